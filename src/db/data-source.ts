/** Opens the database: one connection pool, and one TypeORM data source on it, per process. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type DataSource, type DataSourceOptions as TypeOrmOptions, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { MigrationLock } from './migration-lock.js';
import { DatabasePool } from './database-pool.js';
import { type CitusDistribution, distribute, hasCitus, isDistributed } from './citus.js';
import { PooledDataSource } from './pooled-data-source.js';
import { SESSION } from './session-settings.js';
import { setManyNodes } from './row-locks.js';
import { isTransient } from './transient.js';
import { Hosts1764900000000 } from '../../migrations/1764900000000-hosts.js';
import { CrawlsAndPages1764900000001 } from '../../migrations/1764900000001-crawls-and-pages.js';
import { Links1764900000002 } from '../../migrations/1764900000002-links.js';
import { Configurations1764900000003 } from '../../migrations/1764900000003-configurations.js';
import { Jobs1764900000004 } from '../../migrations/1764900000004-jobs.js';
import { Events1764900000005 } from '../../migrations/1764900000005-events.js';
import { Search1764900000006 } from '../../migrations/1764900000006-search.js';

const migrations = [
  Hosts1764900000000,
  CrawlsAndPages1764900000001,
  Links1764900000002,
  Configurations1764900000003,
  Jobs1764900000004,
  Events1764900000005,
  Search1764900000006,
];

/** Of the time at the end of a migration's name. */
const TIME_DIGITS = 13;
/** Milliseconds for which migrations are retried while others lock what they need, and between two attempts. */
const MIGRATION_PATIENCE_MS = 600_000;
const MIGRATION_PAUSE_MS = 1_000;

/**
 * How long to wait for a connection, ms: a free one of the pool (or one that responds), one that the server has (53300),
 * a server that is unavailable, starting, or read-only.
 */
const PATIENCE = {
  /** Starts and migrations: the user is waiting for the result. */
  start: { connectionTimeoutMillis: 10_000, fullPatienceMs: 5_000, awayPatienceMs: 0 },
  /** Requests: the client gets an error soon, and may try again. */
  request: { connectionTimeoutMillis: 5_000, fullPatienceMs: 5_000, awayPatienceMs: 0 },
  /** Tasks: they have time, and their unwritten pages would have to be fetched again. */
  work: { connectionTimeoutMillis: 10_000, fullPatienceMs: 60_000, awayPatienceMs: 60_000 },
} as const;

export interface DataSourceOptions {
  /** Connections in the pool. */
  max?: number;
  name?: string;
  /** Tables that are read or written through repositories; default: none. */
  entities?: TypeOrmOptions['entities'];
  /** Who uses the connections; default `start`. */
  patience?: keyof typeof PATIENCE;
  /** Time after which a statement gives up waiting for a lock (55P03, and is retried), ms. Default 5 s; 0: never. */
  lockTimeoutMs?: number;
  /**
   * Time after which the server cancels a statement of these connections, ms; default never. For connections that serve
   * requests; `slowRows` (slow-rows.ts) gives single statements longer. Not for migrations.
   */
  statementTimeoutMs?: number;
}

/**
 * @param url a PostgreSQL connection URL; a unix socket as `postgresql://user@localhost/db?host=/folder`
 */
export async function openDataSource(url: string, options: DataSourceOptions = {}): Promise<PooledDataSource> {
  const pool = new DatabasePool({
    connectionString: url,
    application_name: options.name ?? 'orbweaver',
    max: options.max ?? 10,
    ...PATIENCE[options.patience ?? 'start'],
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    idle_in_transaction_session_timeout: 30_000,
    lock_timeout: options.lockTimeoutMs ?? 5_000,
    statement_timeout: options.statementTimeoutMs ?? 0,
    ...SESSION,
  });
  // A pooled connection that breaks while idle must not end the process: the next statement gets another one.
  pool.on('error', () => undefined);
  const dataSource = new PooledDataSource(url, pool, { entities: options.entities ?? [], migrations });
  await dataSource.initialize();
  setManyNodes(await hasCitus(dataSource));
  return dataSource;
}

/**
 * Brings the schema up to date. A migration whose table is locked is rolled back and retried, so that other users of the
 * table do not queue after it. Throws if the database has migrations that this program does not know.
 * @param options.distribute distribute the tables over a Citus cluster; on one where that was done, new tables are
 * distributed anyway
 * @returns the tables distributed by this call; undefined if none are
 */
export async function migrate(
  dataSource: PooledDataSource,
  options: { distribute?: boolean } = {},
): Promise<CitusDistribution | undefined> {
  const lock = new MigrationLock(dataSource.pool);
  const step = <T>(work: () => Promise<T>): Promise<T> =>
    retrying(async () => {
      await lock.acquire();
      return work();
    });
  try {
    await step(() => refuseForeignSchema(dataSource));
    await step(() => dataSource.runMigrations({ transaction: 'each' }));
    if (!options.distribute && !(await isDistributed(dataSource))) return undefined;
    return await step(() => distribute(dataSource));
  } finally {
    await lock.release();
  }
}

/** Each migration, and each distribution of a table, is one transaction: if it fails it can be retried. */
async function retrying<T>(work: () => Promise<T>): Promise<T> {
  const until = performance.now() + MIGRATION_PATIENCE_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      // The error of TypeORM for a connection that broke between two statements.
      const isCut = error instanceof QueryRunnerAlreadyReleasedError;
      if (!(isCut || isTransient(error)) || performance.now() > until) throw error;
      await sleep(MIGRATION_PAUSE_MS);
    }
  }
}

/** Whether every migration of this program has run. */
export async function isMigrated(dataSource: DataSource): Promise<boolean> {
  return !(await dataSource.showMigrations());
}

export class ForeignSchemaError extends Error {}

/** An unknown migration: of a newer version if it comes after ours, else of a version that was never released. */
async function refuseForeignSchema(dataSource: DataSource): Promise<void> {
  const [exists] = await dataSource.query<{ present: boolean }[]>(
    `select to_regclass('migrations') is not null as present`,
  );
  if (!exists?.present) return;
  const known = migrations.map((migration) => migration.name);
  const foreign = await dataSource.query<{ name: string; newer: boolean }[]>(
    'select name, timestamp > $2 as newer from migrations where name <> all ($1) order by timestamp desc',
    [known, known.at(-1)?.slice(-TIME_DIGITS)],
  );
  if (foreign.length === 0) return;
  const { name, newer } = foreign[0]!;
  const names = foreign.length > 1 ? `${name} and ${foreign.length - 1} more` : name;
  throw new ForeignSchemaError(
    newer
      ? `The database was migrated by a newer version (it has ${names}). Start that version, or restore a backup.`
      : `The database was made by an unreleased state of development (it has ${names}), which cannot be upgraded. Nothing in it was changed. Start with an empty database or data directory.`,
  );
}
