/** What a PostgreSQL server says about itself, and about its sessions. */
import { CHECK_INTERVAL_MS } from './session-settings.js';
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

/** The encoding of the database's texts, such as `UTF8`. */
export async function databaseEncoding(db: Sql): Promise<string> {
  const server = await row<{ encoding: string }>(db)`select current_setting('server_encoding') as encoding`;
  return server!.encoding;
}

/** Whether a session has a setting that our connections send in `options`: a pooler drops it, and with it all others. */
export async function settingsArrive(db: Sql): Promise<boolean> {
  const check = await row<{ set: boolean }>(db)`
    select current_setting('client_connection_check_interval')::interval = ${`${CHECK_INTERVAL_MS} ms`}::interval as set`;
  return check!.set;
}

/** Whether this role may make the schema of the queue, or it exists. */
export async function mayMakeSchema(db: Sql): Promise<boolean> {
  const role = await row<{ may: boolean }>(db)`
    select has_database_privilege(current_database(), 'create') or to_regnamespace('pgboss') is not null as may`;
  return role!.may;
}

/** Whether sessions of the database wait at their commit for a synchronous standby that does not confirm it: for seconds now. */
export async function commitsWait(db: Sql): Promise<boolean> {
  const sessions = await row<{ wait: boolean }>(db)`
    select exists (select 1 from pg_stat_activity
                    where datname = current_database() and wait_event = 'SyncRep'
                      and query_start < now() - interval '5 seconds') as wait`;
  return sessions!.wait;
}
