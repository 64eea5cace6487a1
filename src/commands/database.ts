/** Opens the database of a server: starts the embedded one if needed, checks the version, and runs the migrations. */
import type { Env } from '../conf/env.js';
import type { LifeLog } from '../conf/log.js';
import { entities } from '../cycle/entities.js';
import { hasSqlState } from '../db/sql-state.js';
import { databaseEncoding, mayMakeSchema, postgresVersion, settingsArrive } from '../db/server-settings.js';
import { type DataSourceOptions, migrate, ForeignSchemaError, openDataSource } from '../db/data-source.js';
import { startEmbedded } from '../db/embedded/embedded.js';
import { StartError } from '../core/start-error.js';
import type { Sql } from '../db/sql.js';
import type { PooledDataSource } from '../db/pooled-data-source.js';
import { withinTime } from '../net/within-time.js';
import { type ConnectionSettings, enoughFor } from './connections.js';
import { REQUEST_TIMEOUTS } from '../api/database.js';

/** The database of a server: the one of DATABASE_URL, or the embedded one; opened, checked and migrated. */
export interface OpenedDatabase {
  readonly url: string;
  readonly dataSource: PooledDataSource;
  /** What prevents the start of the embedded one for as long as somebody has to act. */
  startError(): string | undefined;
  close(): Promise<void>;
}

const MIN_VERSION = 15;
const OWNER = 'the role of DATABASE_URL must own the database and its tables';
const NO_POOLER = 'DATABASE_URL must name PostgreSQL itself, not a pooler such as PgBouncer';
/** What PgBouncer answers to a connection that sends settings. */
const POOLER = /unsupported startup parameter/;
/** Connections that are not closed after this time are abandoned. */
const CLOSING_MS = 3_000;
/** For a command that runs without a server. */
const DEFAULT_SETTINGS: ConnectionSettings = { role: 'all', workers: 1, apiConnections: 20, workerConnections: 12 };

/**
 * Opens and migrates the database. `onLost` is called when the embedded server cannot be restarted; `durable: false` is for
 * throw-away data.
 * @throws StartError `database` (unreachable, refused, too old), `schema` (made by a newer or an unreleased version), `dataDir…`
 */
export async function openDatabase(
  env: Pick<Env, 'databaseUrl' | 'dataDir'> & Partial<ConnectionSettings>,
  log: LifeLog,
  onLost: (error: Error) => void,
  durable = true,
): Promise<OpenedDatabase> {
  const settings = { ...DEFAULT_SETTINGS, ...env };
  const embedded = env.databaseUrl
    ? undefined
    : await startEmbedded({ dataDir: env.dataDir, connections: enoughFor(settings), log, onLost, durable });
  const url = env.databaseUrl ?? embedded?.url ?? '';
  let dataSource: PooledDataSource | undefined;
  const close = async (): Promise<void> => {
    // If the network has failed silently, closing a connection does not end either.
    if (dataSource) await withinTime(CLOSING_MS, dataSource.destroy(), () => undefined).catch(() => undefined);
    await embedded?.stop();
  };
  try {
    // Migrations may take any time, on connections of their own.
    dataSource = await connect(url, { max: 2, lockTimeoutMs: 2_000 });
    await refuseUnfit(dataSource.pool);
    await bringUpToDate(dataSource);
    await dataSource.destroy();
    dataSource = await connect(url, {
      max: settings.apiConnections,
      entities,
      ...REQUEST_TIMEOUTS,
      patience: 'request',
    });
    return { url, dataSource, startError: () => embedded?.startError(), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function connect(url: string, options: DataSourceOptions): Promise<PooledDataSource> {
  try {
    return await openDataSource(url, options);
  } catch (error) {
    const reason = cause(error);
    const cure = POOLER.test(reason) ? `: ${NO_POOLER}` : '';
    throw new StartError('database', `cannot use the database ${withoutPassword(url)}: ${reason}${cure}`);
  }
}

/** A server that is too old, a database that cannot store all texts, and a pooler on the way, with which limits are lost. */
async function refuseUnfit(db: Sql): Promise<void> {
  const version = await postgresVersion(db);
  if (Number.parseInt(version, 10) < MIN_VERSION) {
    throw new StartError('database', `PostgreSQL ${version} is too old: ${MIN_VERSION} or newer is needed`);
  }
  const encoding = await databaseEncoding(db);
  if (encoding !== 'UTF8') {
    const cure = `create one with: create database … template template0 encoding 'UTF8'`;
    throw new StartError('database', `the encoding of the database is ${encoding}, and UTF8 is needed: ${cure}`);
  }
  if (!(await settingsArrive(db)))
    throw new StartError('database', `the settings that connections send do not arrive at the database: ${NO_POOLER}`);
  if (!(await mayMakeSchema(db))) throw new StartError('database', `no schema can be made in the database: ${OWNER}`);
}

async function bringUpToDate(dataSource: PooledDataSource): Promise<void> {
  try {
    await migrate(dataSource);
  } catch (error) {
    if (error instanceof ForeignSchemaError) throw new StartError('schema', error.message);
    const cure = hasSqlState(error, 'INSUFFICIENT_PRIVILEGE') ? `: ${OWNER}` : '';
    throw new StartError('database', `cannot migrate the database: ${cause(error)}${cure}`);
  }
}

/** A connection string that may be printed. A password that is not encoded may contain slashes, at signs and question marks. */
export function withoutPassword(url: string): string {
  return url.replace(/(:\/\/[^:@/\s]*):\S*@/, '$1:***@').replace(/([?&]\w*password=)[^&\s]*/gi, '$1***');
}

/** The reason in one line. Node wraps refusals of several addresses (::1 and 127.0.0.1) in an error without words. */
function cause(error: unknown): string {
  if (error instanceof AggregateError && !error.message) return error.errors.map(cause).join('; ');
  return error instanceof Error ? error.message || String((error as NodeJS.ErrnoException).code) : String(error);
}
