import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { onlyWhere } from '../support/left-out.js';
import pg from 'pg';
import { ofDatabase } from '../support/cluster.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type TcpProxy, socketOf, startTcpProxy } from '../support/tcp-proxy.js';
import { Crawler, type Hosts, type Job, startHosts, until } from './crawl.js';

/**
 * A server whose connection to the database fails while it crawls, or whose database is full or locked (faults F7, F19, F21): jobs wait
 * and finish without intervention, requests get 200 or 503 with Retry-After, and each page is written once.
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
  // Each test has its own crawl.
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

/** Waits for the end of a job by its row, as the server may be unreachable; it must be FINISHED. */
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

/** Tests that take long; FAULTS_LONG=1 runs them. */
const long = onlyWhere(Boolean(process.env['FAULTS_LONG']), 'takes long, FAULTS_LONG=1 runs it');

const ready = async (): Promise<number> => (await fetch(`${crawler.running.url}/health/ready`)).status;

describe('a server during FETCH', () => {
  it('is not ready while its network drops all packets, and continues afterwards', async () => {
    const { id } = await fetching();
    await until(db, fetched(), 40);
    proxy.blackHole();
    await expect.poll(ready).toBe(503);
    proxy.heal();
    await expectEachPageOnce(id);
    expect(await ready()).toBe(200);
  });

  // Takes half a minute, by the default timeouts; connections.deep.spec.ts has it with small ones.
  it('continues after the database dropped all its connections without notice', long, async () => {
    const { id } = await fetching();
    await until(db, fetched(), 40);
    proxy.halfOpen();
    await expectEachPageOnce(id);
  });

  it('repeats no committed work when the responses to five COMMITs are lost', async () => {
    const { id } = await fetching();
    await until(db, fetched(), 20);
    await proxy.cutAtCommit(5);
    await expectEachPageOnce(id);
  });

  it('continues without new statistics while another session locks its outdated table as VACUUM does', async () => {
    const vacuum = new pg.Client({ connectionString: db.url });
    await vacuum.connect();
    await vacuum.query('begin');
    await vacuum.query('lock table webpage in share update exclusive mode');
    await asAdmin(`update pg_class set reltuples = -1 where relname = 'webpage'`, db.name);
    const { id } = await fetching();
    await expectEachPageOnce(id);
    await vacuum.end();
  });

  it('responds with 200 or 503 and Retry-After when connections run out, and continues the job', async () => {
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

  it('reports in msg that it waits for a lock on its table, and continues after VACUUM FULL', async () => {
    const holder = await db.pool.connect();
    const { id } = await fetching();
    await until(db, fetched(), 20);
    await holder.query('begin');
    await holder.query('lock table webpage in access exclusive mode');
    await expect
      .poll(async () => (await db.query<{ msg: string }>('select msg from job where id = $1', [id]))[0]!.msg)
      .toMatch(/^OK: waiting for the database \(canceling statement due to lock timeout\)/);
    await holder.query('commit');
    await holder.query('vacuum full webpage');
    holder.release();
    await expectEachPageOnce(id);
  });

  it(
    'exits with 0 when it is stopped while the network drops all packets, and the next start continues',
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
