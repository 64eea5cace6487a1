/** How often the server looks whether a client is still there, ms; the default of PostgreSQL is never. */
export const CHECK_INTERVAL_MS = 2_000;

/**
 * Settings of each session of the program. A database or a role may have defaults of its own (`alter database … set`); those
 * of which statements, their results and their conflicts depend are set here, so that they mean the same on every server.
 */
const SETTINGS = {
  // Compiling a statement costs more than any of ours takes.
  jit: 'off',
  // Random reads cost little on disks without moving parts.
  random_page_cost: '1.1',
  // A statement whose process was killed ends within two seconds: the next start must not wait for its locks.
  client_connection_check_interval: String(CHECK_INTERVAL_MS),
  // A lost machine of a client is noticed within half a minute.
  tcp_keepalives_idle: '15',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  // A statement sees what was committed before it: rows are locked first and read again, and no conflict fails it (40001).
  default_transaction_isolation: 'read committed',
  // How the driver reads times and numbers, and how we write literals.
  datestyle: 'ISO',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  extra_float_digits: '1',
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
  transform_null_equals: 'off',
  array_nulls: 'on',
  // Listeners and pools keep idle sessions.
  idle_session_timeout: '0',
} as const;

/** The parameter `options` of a connection; in a value, a blank is escaped. */
const SESSION_OPTIONS = Object.entries(SETTINGS)
  .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
  .join(' ');

/** What each connection sends when it opens, whatever the environment of the program says (PGOPTIONS, PGCLIENT_ENCODING). */
export const SESSION = { options: SESSION_OPTIONS, client_encoding: 'UTF8' } as const;

/** From this version on, a transaction may have a time limit, which `options` cannot name for older servers. */
const TRANSACTION_TIMEOUT_SINCE = 17;

/** The statement for settings that only servers of this version know; undefined if there are none. */
export const laterSettings = (serverVersion: string): string | undefined =>
  Number.parseInt(serverVersion, 10) >= TRANSACTION_TIMEOUT_SINCE ? 'set transaction_timeout = 0' : undefined;
