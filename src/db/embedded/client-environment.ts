/** Variables that `pg` reads where a connection string is silent. In the operator's shell they are meant for other databases. */
const VARIABLES = [
  'PGPORT',
  'PGOPTIONS',
  'PGSSLMODE',
  'PGSSLNEGOTIATION',
  'PGREPLICATION',
  'PGBINARY',
  'PGCLIENT_ENCODING',
] as const;

/** Removes them from this process and those that it starts: the included PostgreSQL listens on one socket, without TLS. */
export function forgetClientEnvironment(): void {
  for (const name of VARIABLES) delete process.env[name];
}
