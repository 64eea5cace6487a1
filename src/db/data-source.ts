/** Opens the database: one TypeORM data source, and so one connection pool, per process. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource, QueryRunnerAlreadyReleasedError } from 'typeorm';
import pg from 'pg';
import { MigrationLock } from './migration-lock.js';
import { DatabasePool } from './database-pool.js';
import { type Distribution, distribute, hasCitus, isDistributed } from './distribute.js';
import { rowsLieOnManyNodes } from './row-locks.js';
import { poolOf } from './sql.js';
import { isTransient } from './transient.js';
import { WebTable1763700000000 } from '../../migrations/1763700000000-web-table.js';
import { Jobs1763700000001 } from '../../migrations/1763700000001-jobs.js';
import { Crawls1763800000000 } from '../../migrations/1763800000000-crawls.js';
import { Events1763800000001 } from '../../migrations/1763800000001-events.js';
import { Links1763800000002 } from '../../migrations/1763800000002-links.js';
import { RuleFiles1763900000000 } from '../../migrations/1763900000000-rule-files.js';
import { HostSettings1763900000001 } from '../../migrations/1763900000001-host-settings.js';
import { Scores1763900000002 } from '../../migrations/1763900000002-scores.js';
import { Sitemaps1763900000003 } from '../../migrations/1763900000003-sitemaps.js';
import { Traps1763900000004 } from '../../migrations/1763900000004-traps.js';
import { Workers1764000000020 } from '../../migrations/1764000000020-workers.js';
import { SelectableByRank1764000000000 } from '../../migrations/1764000000000-selectable-by-rank.js';
import { StatusCounts1764000000001 } from '../../migrations/1764000000001-status-counts.js';
import { SharesOnTheWay1764000000010 } from '../../migrations/1764000000010-shares-on-the-way.js';
import { NoStatisticsOfContents1764100000000 } from '../../migrations/1764100000000-no-statistics-of-contents.js';
import { DelayOfQueue1764200000000 } from '../../migrations/1764200000000-delay-of-queue.js';
import { RobotsFailingSince1764300000000 } from '../../migrations/1764300000000-robots-failing-since.js';
import { LeftByJobs1764400000000 } from '../../migrations/1764400000000-left-by-jobs.js';
import { TasksThatWaitForLocks1764500000000 } from '../../migrations/1764500000000-tasks-that-wait-for-locks.js';
import { WantedQueues1764600000000 } from '../../migrations/1764600000000-wanted-queues.js';
import { GonePages1764610000000 } from '../../migrations/1764610000000-gone-pages.js';
import { PartitionsOfBatch1764620000000 } from '../../migrations/1764620000000-partitions-of-batch.js';
import { Segments1764630000000 } from '../../migrations/1764630000000-segments.js';
import { DeadlyPages1764640000000 } from '../../migrations/1764640000000-deadly-pages.js';
import { SilentAttempts1764650000000 } from '../../migrations/1764650000000-silent-attempts.js';
import { OwnersOfWebhooks1764660000000 } from '../../migrations/1764660000000-owners-of-webhooks.js';
import { TaskWaits1764661900000 } from '../../migrations/1764661900000-task-waits.js';
import { ExactRanks1764662000000 } from '../../migrations/1764662000000-exact-ranks.js';
import { CutContents1764662500000 } from '../../migrations/1764662500000-cut-contents.js';
import { FormerLinks1764670000000 } from '../../migrations/1764670000000-former-links.js';

const migrations = [
  WebTable1763700000000,
  Jobs1763700000001,
  Crawls1763800000000,
  Events1763800000001,
  Links1763800000002,
  RuleFiles1763900000000,
  HostSettings1763900000001,
  Scores1763900000002,
  Sitemaps1763900000003,
  Traps1763900000004,
  Workers1764000000020,
  SelectableByRank1764000000000,
  StatusCounts1764000000001,
  SharesOnTheWay1764000000010,
  NoStatisticsOfContents1764100000000,
  DelayOfQueue1764200000000,
  RobotsFailingSince1764300000000,
  LeftByJobs1764400000000,
  TasksThatWaitForLocks1764500000000,
  WantedQueues1764600000000,
  GonePages1764610000000,
  PartitionsOfBatch1764620000000,
  Segments1764630000000,
  DeadlyPages1764640000000,
  SilentAttempts1764650000000,
  OwnersOfWebhooks1764660000000,
  TaskWaits1764661900000,
  ExactRanks1764662000000,
  CutContents1764662500000,
  FormerLinks1764670000000,
];
/** Milliseconds for which migrations are tried again while others hold what they need, and between two tries. */
const MIGRATION_PATIENCE_MS = 600_000;
const MIGRATION_PAUSE_MS = 1_000;

/**
 * No JIT: compiling a statement costs more than any of ours takes. Reading by key costs what it does on disks that do
 * not spin. A statement whose process was killed ends within two
 * seconds: the next start must not wait for its locks. A client's machine that vanished is noticed within half a minute.
 */
const SETTINGS = [
  'jit=off',
  'random_page_cost=1.1',
  'client_connection_check_interval=2000',
  'tcp_keepalives_idle=15',
  'tcp_keepalives_interval=5',
  'tcp_keepalives_count=3',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

/**
 * How long a connection is waited for, ms: a free one of the pool (or one that answers), one that the server has (53300),
 * a server that is away, starting, or takes no writes.
 */
const PATIENCE = {
  /** Starts and migrations: who starts a server wants to know. */
  start: { connectionTimeoutMillis: 10_000, fullPatienceMs: 5_000, awayPatienceMs: 0 },
  /** Requests: whoever asks is told soon, and comes back. */
  request: { connectionTimeoutMillis: 5_000, fullPatienceMs: 5_000, awayPatienceMs: 0 },
  /** Tasks: they have time, and what they hold would have to be fetched again. */
  work: { connectionTimeoutMillis: 10_000, fullPatienceMs: 60_000, awayPatienceMs: 60_000 },
} as const;

export interface DataSourceOptions {
  /** Connections in the pool. */
  max?: number;
  name?: string;
  /** For whom the connections work; default `start`. */
  patience?: keyof typeof PATIENCE;
  /** Time after which a statement gives up waiting for a lock (55P03, and is tried again), ms. Default 5 s; 0: never. */
  lockTimeoutMs?: number;
  /**
   * Time after which the server gives up a statement of these connections, ms; without it never. For connections that work
   * for requests; `patiently` (patient.ts) gives single statements longer. Not for migrating.
   */
  statementTimeoutMs?: number;
}

/**
 * @param url a PostgreSQL connection URL; a unix socket as `postgresql://user@localhost/db?host=/folder`
 */
export async function openDataSource(url: string, options: DataSourceOptions = {}): Promise<DataSource> {
  const dataSource = new DataSource({
    type: 'postgres',
    url,
    migrations,
    migrationsTransactionMode: 'each',
    applicationName: options.name ?? 'orbweaver',
    driver: { Pool: DatabasePool, defaults: pg.defaults },
    extra: {
      max: options.max ?? 10,
      ...PATIENCE[options.patience ?? 'start'],
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      idle_in_transaction_session_timeout: 30_000,
      lock_timeout: options.lockTimeoutMs ?? 5_000,
      statement_timeout: options.statementTimeoutMs ?? 0,
      options: SETTINGS,
    },
  });
  await dataSource.initialize();
  rowsLieOnManyNodes(await hasCitus(dataSource));
  // A pooled connection that breaks while idle must not end the process: the next statement gets another one.
  poolOf(dataSource).on('error', () => undefined);
  return dataSource;
}

/**
 * Brings the schema up to date. A migration that finds its table in use gives way and comes back, so that those who use
 * it do not queue behind it. Throws when the database knows migrations that this program does not.
 * @param options.distribute spread the tables over a Citus cluster; one that has done so once gets new tables anyway
 * @returns what was spread now; undefined where nothing is
 */
export async function migrate(
  dataSource: DataSource,
  options: { distribute?: boolean } = {},
): Promise<Distribution | undefined> {
  const lock = new MigrationLock(poolOf(dataSource));
  const step = <T>(work: () => Promise<T>): Promise<T> =>
    givingWay(async () => {
      await lock.hold();
      return work();
    });
  try {
    await step(() => refuseNewerSchema(dataSource));
    await step(() => dataSource.runMigrations({ transaction: 'each' }));
    if (!options.distribute && !(await isDistributed(dataSource))) return undefined;
    return await step(() => distribute(dataSource));
  } finally {
    await lock.release();
  }
}

/** Each migration, and each table that is spread, is one transaction: what failed may simply be tried again. */
async function givingWay<T>(work: () => Promise<T>): Promise<T> {
  const until = performance.now() + MIGRATION_PATIENCE_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      // What TypeORM says of a connection that was cut between two statements.
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

export class NewerSchemaError extends Error {
  constructor(names: string[]) {
    super(
      `The database was migrated by a newer version (it has ${names.join(', ')}). Start that version, or restore a backup.`,
    );
  }
}

async function refuseNewerSchema(dataSource: DataSource): Promise<void> {
  const [exists] = await dataSource.query<{ present: boolean }[]>(
    `select to_regclass('migrations') is not null as present`,
  );
  if (!exists?.present) return;
  const done = await dataSource.query<{ name: string }[]>('select name from migrations');
  const known = new Set(migrations.map((migration) => migration.name));
  const foreign = done.map(({ name }) => name).filter((name) => !known.has(name));
  if (foreign.length) throw new NewerSchemaError(foreign);
}
