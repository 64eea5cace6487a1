import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { entities } from '../../src/cycle/entities.js';
import { openDataSource } from '../../src/db/data-source.js';
import type { PooledDataSource } from '../../src/db/pooled-data-source.js';
import { setManyNodes } from '../../src/db/row-locks.js';
import { asAdmin, ofDatabase } from './cluster.js';
import { logSql } from './sql-log.js';

logSql(inject('sqlLog'));

/** Whether the tables are spread over the nodes of a Citus cluster. */
export const onCluster = inject('cluster').workerUrls.length > 0;
// As the program learns it from the database that it opens.
setManyNodes(onCluster);

/** Statements that wait for a row; on a cluster they wait at the node that has it. */
export const AT_ROW = onCluster
  ? 'select count(*) as n from citus_lock_waits'
  : `select count(*) as n from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and application_name like 'orbweaver%'`;

const OBJECT_IN_USE = '55006';

/** A database of its own for a spec file: a clone of the migrated template, gone after `drop()`. */
export interface TestDatabase {
  readonly name: string;
  /** Connection string as the role that owns the database; for servers and workers under test. */
  readonly url: string;
  readonly pool: pg.Pool;
  /** Runs a statement and answers its rows. */
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  /** A further pool, closed by `drop`. */
  openPool(options: pg.PoolConfig): pg.Pool;
  /** A TypeORM data source on this database, opened (with so many connections at most) at the first call and closed by `drop`. */
  dataSource(connections?: number): Promise<PooledDataSource>;
  /** Closes what was opened here; the database stays. */
  close(): Promise<void>;
  /** Closes what was opened here, cuts all other connections and removes the database. */
  drop(): Promise<void>;
}

/** Clones the template; `empty: true` gives a database without any table, `filled` one that was filled once in this run. */
export async function testDatabase(options: { empty?: boolean; filled?: Filling } = {}): Promise<TestDatabase> {
  const { adminUrl, workerUrls, templateUrl } = inject('cluster');
  const template = options.empty
    ? 'template0'
    : options.filled
      ? await filled(options.filled)
      : databaseOf(templateUrl);
  // An empty one belongs to no cluster.
  const nodes = options.empty ? [adminUrl] : [adminUrl, ...workerUrls];
  return clone(nodes, template, `test_${randomBytes(6).toString('hex')}`);
}

/** Rows that several spec files begin with. */
export interface Filling {
  name: string;
  /** What is there before; default: no row. */
  on?: Filling;
  fill(db: TestDatabase): Promise<void>;
}

/** The name of a clone of the template that holds these rows: the first that asks for it makes it, others wait. */
async function filled({ name, on, fill }: Filling): Promise<string> {
  const { adminUrl, workerUrls, templateUrl } = inject('cluster');
  const template = `${databaseOf(templateUrl)}_${name}`;
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    await admin.query('select pg_advisory_lock(hashtext($1))', [template]);
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [template]);
    if (rowCount === 0) {
      const below = on ? await filled(on) : databaseOf(templateUrl);
      const db = await clone([adminUrl, ...workerUrls], below, template);
      await fill(db);
      await db.close();
    }
    return template;
  } finally {
    await admin.end();
  }
}

const databaseOf = (url: string): string => new URL(url).pathname.slice(1);

async function clone(nodes: readonly string[], template: string, name: string): Promise<TestDatabase> {
  // Copies files: by default the pages would pass through the buffers and be written to the log, too.
  await onEach(nodes, `create database ${name} template ${template} strategy file_copy owner orbweaver`);
  const url = ofDatabase(inject('cluster').templateUrl, name);
  const pools: pg.Pool[] = [];
  const openPool = (options: pg.PoolConfig): pg.Pool => {
    const opened = new pg.Pool({ connectionString: url, ...options });
    // Dropping the database cuts connections that are idle, or still close; that is no failure of a test.
    opened.on('error', () => undefined);
    pools.push(opened);
    return opened;
  };
  const pool = openPool({ max: 4 });
  let opened: Promise<PooledDataSource> | undefined;
  const close = async () => {
    await (await opened)?.destroy();
    await Promise.all(pools.map((each) => each.end()));
  };
  return {
    name,
    url,
    pool,
    query: async (text, values) => (await pool.query(text, values)).rows,
    openPool,
    dataSource: (max) => (opened ??= openDataSource(url, { max, entities })),
    close,
    drop: async () => {
      await close();
      await Promise.all(nodes.map((url) => dropAt(url, name)));
    },
  };
}

async function onEach(nodes: readonly string[], statement: string): Promise<void> {
  await Promise.all(nodes.map((url) => asAdmin(url, statement)));
}

/** On a cluster it tries again: Citus' own daemon may enter the database between being cut and the drop. */
async function dropAt(url: string, name: string, tries = onCluster ? 5 : 1): Promise<void> {
  try {
    await asAdmin(url, `drop database ${name} with (force)`);
  } catch (error) {
    if (tries <= 1 || (error as pg.DatabaseError).code !== OBJECT_IN_USE) throw error;
    await dropAt(url, name, tries - 1);
  }
}
