/** What a PostgreSQL server says about itself. */
import { type Sql, row, rows } from './sql.js';

/** Its version, such as `17.2`. */
export async function postgresVersion(db: Sql): Promise<string> {
  const server = await row<{ version: string }>(db)`select current_setting('server_version') as version`;
  return server!.version;
}

/** The number of connections that it accepts from ordinary users. */
export async function maxConnections(db: Sql): Promise<number> {
  const limits = await row<{ max: number }>(db)`
    select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as max`;
  return limits!.max;
}

/** The encoding of the database's texts, such as `UTF8`. */
export async function databaseEncoding(db: Sql): Promise<string> {
  const server = await row<{ encoding: string }>(db)`select current_setting('server_encoding') as encoding`;
  return server!.encoding;
}

/**
 * Of two settings that each connection sends when it opens, one as a parameter and one in `options`, those that its session does
 * not have: a pooler has dropped them, and with them all others.
 */
export async function lostSettings(db: Sql): Promise<string[]> {
  const lost = await rows<{ name: string }>(db)`
    select name from pg_settings
     where name in ('lock_timeout', 'client_connection_check_interval') and source not in ('client', 'session') order by name`;
  return lost.map(({ name }) => name);
}
