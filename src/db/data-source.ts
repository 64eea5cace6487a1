/** Opens the database: one TypeORM data source, and so one connection pool, per process. */
import { DataSource } from 'typeorm';
import type { Pool } from 'pg';
import { poolOf } from './sql.js';
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
];
/** Held while migrating, so that servers that start together make the schema once. */
const MIGRATION_LOCK = 7_104_532_001;

/**
 * No JIT: compiling a statement costs more than any of ours takes. Reading by key costs what it does on disks that do
 * not spin. A statement whose process was killed ends within two
 * seconds: the next start must not wait for its locks.
 */
const SETTINGS = '-c jit=off -c random_page_cost=1.1 -c client_connection_check_interval=2000';

export interface DataSourceOptions {
  /** Connections in the pool. */
  max?: number;
  name?: string;
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
    extra: {
      max: options.max ?? 10,
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
      idle_in_transaction_session_timeout: 30_000,
      statement_timeout: options.statementTimeoutMs ?? 0,
      options: SETTINGS,
    },
  });
  await dataSource.initialize();
  // A pooled connection that breaks while idle must not end the process: the next statement gets another one.
  poolOf(dataSource).on('error', () => undefined);
  return dataSource;
}

/** Brings the schema up to date. Throws when the database knows migrations that this program does not. */
export async function migrate(dataSource: DataSource): Promise<void> {
  const lock = await (poolOf(dataSource) as Pool).connect();
  try {
    await lock.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await refuseNewerSchema(dataSource);
    await dataSource.runMigrations({ transaction: 'each' });
  } finally {
    await lock.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    lock.release();
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
