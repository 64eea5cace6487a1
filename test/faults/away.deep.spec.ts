import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { onlyWhere } from '../support/left-out.js';
import pg from 'pg';
import { ofDatabase } from '../support/cluster.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type TcpProxy, socketOf, startTcpProxy } from '../support/tcp-proxy.js';
import { Crawler, type Hosts, type Job, startHosts, until } from './crawl.js';

/**
 * A server whose way to the database fails while it crawls, or whose database is full or locked (F7, F19, F21): jobs wait
 * and end by themselves, requests are answered or told to come back, and each page is written once.
 */

const ALL = 10 * 30;

let hosts: Hosts;
let db: TestDatabase;
let proxy: TcpProxy;
let crawler: Crawler;
let round = 0;
let batch: string;
beforeAll(async () => {
  hosts = await startHosts({ hosts: 10, pages: 30, pauseMs: 10 });
  db = await testDatabase();
  proxy = await startTcpProxy(socketOf(db.url));
  crawler = new Crawler({ ...db, url: proxy.databaseUrl(db.url) });
  await crawler.start();
  await crawler.configure();
});
beforeEach(async () => {
  // Each time a crawl of its own.
  batch = `b${++round}`;
  await ended((await crawler.create('INJECT', { seed: hosts.seeds.join('\n') }, batch)).id);
  await ended((await crawler.create('GENERATE', { batch }, batch)).id);
});
afterEach(() => proxy.heal());
afterAll(async () => {
  await crawler?.close();
  await proxy?.close();
  await db?.drop();
  await hosts?.close();
});

/** Waits for the end of a job by the database, as the server may be cut off; it must be FINISHED. */
async function ended(id: string): Promise<Job> {
  await until(db, `select count(*) as n from job where id = '${id}' and ended_at is not null`, 1);
  const [job] = await db.query<Job & { state: string }>('select state, msg, result from job where id = $1', [id]);
  expect(job).toMatchObject({ state: 'FINISHED', msg: 'OK' });
  return job!;
}

const fetched = () =>
  `select count(*) as n from webpage join crawl on crawl.id = webpage.crawl where crawl.name = '${batch}' and fetch_mark is not null`;
const fetching = () => crawler.create('FETCH', { batch, threads: 8 }, batch);

async function expectEachPageOnce(id: string): Promise<void> {
  const job = await ended(id);
  expect(job.result!.counters['FetcherStatus']!['SUCCESS']).toBe(ALL);
  const [visits] = await db.query(
    `select count(*)::int as all, count(distinct key)::int as keys from fetch_history
      where crawl = (select id from crawl where name = $1)`,
    [batch],
  );
  expect(visits).toEqual({ all: ALL, keys: ALL });
}

async function asAdmin(statement: string, database?: string): Promise<void> {
  const url = inject('cluster').adminUrl;
  const admin = new pg.Client({ connectionString: database === undefined ? url : ofDatabase(url, database) });
  await admin.connect();
  await admin.query(statement).finally(() => admin.end());
}

/** What takes longer than a test should; FAULTS_LONG=1 runs it, too. */
const long = onlyWhere(Boolean(process.env['FAULTS_LONG']), 'takes long, FAULTS_LONG=1 runs it');

const ready = async (): Promise<number> => (await fetch(`${crawler.running.url}/health/ready`)).status;

describe('while a server fetches', () => {
  it('its network swallows everything for a while: it says that it is not ready, and goes on', async () => {
    const { id } = await fetching();
    await until(db, fetched(), 40);
    proxy.blackHole();
    await expect.poll(ready).toBe(503);
    proxy.heal();
    await expectEachPageOnce(id);
    expect(await ready()).toBe(200);
  });

  // Half a minute, with the times after which an answer is late; connections.spec.ts has it with small ones.
  it(
    'the database forgets all its connections, and the server hears nothing of it: none is used for long',
    long,
    async () => {
      const { id } = await fetching();
      await until(db, fetched(), 40);
      proxy.halfOpen();
      await expectEachPageOnce(id);
    },
  );

  it('the answers to five of its COMMITs are lost: what had happened is not done again', async () => {
    const { id } = await fetching();
    await until(db, fetched(), 20);
    await proxy.cutAtCommit(5);
    await expectEachPageOnce(id);
  });

  it('somebody vacuums its table, which has outgrown its statistics: it goes on without new ones', async () => {
    const vacuum = new pg.Client({ connectionString: db.url });
    await vacuum.connect();
    await vacuum.query('begin');
    await vacuum.query('lock table webpage in share update exclusive mode');
    await asAdmin(`update pg_class set reltuples = -1 where relname = 'webpage'`, db.name);
    const { id } = await fetching();
    await expectEachPageOnce(id);
    await vacuum.end();
  });

  it('the database has hardly any connections: requests are answered or told to come back, the job goes on', async () => {
    const { id } = await fetching();
    await until(db, fetched(), 20);
    await asAdmin(`alter database ${db.name} connection limit 7`);
    await asAdmin(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = '${db.name}' and application_name like 'orbweaver%'`);
    const answers = await Promise.all(Array.from({ length: 30 }, () => fetch(`${crawler.running.url}/job/${id}`)));
    for (const answer of answers) {
      expect([200, 503]).toContain(answer.status);
      if (answer.status === 503) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    await asAdmin(`alter database ${db.name} connection limit -1`);
    await expectEachPageOnce(id);
  });

  it('somebody keeps the table locked, and rewrites it with VACUUM FULL: it waits, says for what, and goes on', async () => {
    const holder = await db.pool.connect();
    const { id } = await fetching();
    await until(db, fetched(), 20);
    await holder.query('begin');
    await holder.query('lock table webpage in access exclusive mode');
    await expect
      .poll(async () => (await db.query<{ msg: string }>('select msg from job where id = $1', [id]))[0]!.msg)
      .toMatch(/^OK: waits for the database: canceling statement due to lock timeout/);
    await holder.query('commit');
    await holder.query('vacuum full webpage');
    holder.release();
    await expectEachPageOnce(id);
  });

  it(
    'its network swallows everything, and it is asked to stop: it ends with 0, and the next start goes on',
    long,
    async () => {
      const { id } = await fetching();
      await until(db, fetched(), 40);
      proxy.blackHole();
      expect(await crawler.running.stop()).toMatchObject({ code: 0 });
      proxy.heal();
      await crawler.start();
      await expectEachPageOnce(id);
    },
  );
});
