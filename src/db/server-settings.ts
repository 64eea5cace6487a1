/** What a PostgreSQL server says about itself. */
import { type Sql, row } from './sql.js';

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
