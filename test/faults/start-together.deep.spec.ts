import { DataSource } from 'typeorm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { Hosts1764900000000 } from '../../migrations/1764900000000-hosts.js';
import { CrawlsAndPages1764900000001 } from '../../migrations/1764900000001-crawls-and-pages.js';
import { isMigrated, migrate, openDataSource } from '../../src/db/data-source.js';
import type { PooledDataSource } from '../../src/db/pooled-data-source.js';
import { JobQueue } from '../../src/job/job-queue.js';
import { asAdmin } from '../support/cluster.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';
import { runProgram } from '../support/server.js';

/**
 * Five servers start at once (fault F13): on a database without any table, and on one with the first two migrations only. (Whole
 * servers on one database, and tasks with one owner each: two-servers.deep.spec.ts, and fair-claims.spec.ts of jobs.)
 */

const FIVE = [1, 2, 3, 4, 5];

const migrationsDone = async (db: TestDatabase): Promise<string[]> =>
  (await db.query<{ name: string }>('select name from migrations order by id')).map(({ name }) => name);

describe('five servers started at once', () => {
  let folder: TemporaryFolder;
  let empty: TestDatabase;
  let old: TestDatabase;
  beforeAll(async () => {
    folder = await temporaryFolder();
    [empty, old] = [await testDatabase({ empty: true }), await testDatabase({ empty: true })];
    const migrations = [Hosts1764900000000, CrawlsAndPages1764900000001];
    const first = new DataSource({ type: 'postgres', url: old.url, migrations });
    await first.initialize();
    await first.runMigrations({ transaction: 'each' });
    await first.destroy();
  });
  afterAll(async () => {
    await empty.drop();
    await old.drop();
    await folder.remove();
  });

  it.each([
    ['an empty', () => empty],
    ['an old', () => old],
  ])('run the migrations of %s database once', async (_name, of) => {
    const [databaseUrl, dataDir] = [of().url, folder.path];
    const ends = await Promise.all(FIVE.map(() => runProgram({ dataDir, databaseUrl, args: ['migrate'] })));
    expect(ends.map(({ code, stderr }) => [code, stderr])).toEqual(FIVE.map(() => [0, '']));
    const done = await migrationsDone(of());
    expect(new Set(done).size).toBe(done.length);
    const dataSource = await of().dataSource();
    expect(await isMigrated(dataSource)).toBe(true);
  });

  it('create the queue once', async () => {
    const dataSources = await Promise.all(FIVE.map(() => openDataSource(empty.url)));
    const open = (dataSource: PooledDataSource) =>
      JobQueue.open(dataSource.pool, { maintain: true, onError: () => undefined });
    const queues = await Promise.all(dataSources.map(open));
    await Promise.all(queues.map((queue) => queue.close()));
    expect(await empty.query('select name from pgboss.queue')).toEqual([{ name: 'task' }]);
    await Promise.all(dataSources.map((dataSource) => dataSource.destroy()));
  });
});

describe('a migration of a locked table', () => {
  let db: TestDatabase;
  beforeEach(async () => {
    db = await testDatabase({ empty: true });
  });
  afterEach(() => db.drop());

  it('is cancelled by lock_timeout and retried until the lock is released', async () => {
    await db.query('create table migrations (id serial primary key, timestamp bigint not null, name varchar not null)');
    const holder = await db.pool.connect();
    await holder.query('begin');
    await holder.query('lock table migrations in access exclusive mode');
    const dataSource = await openDataSource(db.url, { max: 2, lockTimeoutMs: 100 });
    const migrating = migrate(dataSource);
    const statements = new Set<string>();
    await expect
      .poll(
        async () => {
          const waiting = await db.query<{ since: string }>(
            `select query_start::text as since from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock'`,
          );
          waiting.forEach(({ since }) => statements.add(since));
          return statements.size;
        },
        { interval: 20 },
      )
      .toBeGreaterThan(1);
    await holder.query('commit');
    holder.release();
    await migrating;
    expect(await isMigrated(dataSource)).toBe(true);
    await dataSource.destroy();
  });
});

describe('a migration whose connections are terminated', () => {
  it('locks again, completes, and leaves no advisory lock', async () => {
    const db = await testDatabase({ empty: true });
    const blocker = await db.pool.connect();
    blocker.on('error', () => undefined);
    await blocker.query('begin');
    await blocker.query('create table migrations (id int)');
    const folder = await temporaryFolder();
    const migrating = runProgram({ dataDir: folder.path, databaseUrl: db.url, args: ['migrate'] });
    const waiting = `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    const waits = async () => (await db.query<{ n: number }>(waiting))[0]?.n;
    await expect.poll(waits).toBeGreaterThan(0);
    await asAdmin(
      inject('cluster').adminUrl,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${db.name}'`,
    );
    blocker.release(true);
    expect(await migrating).toMatchObject({ code: 0, stderr: '' });
    expect(await isMigrated(await db.dataSource())).toBe(true);
    expect(
      await db.query(
        `select from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
      ),
    ).toEqual([]);
    await db.drop();
    await folder.remove();
  });
});
