import pg from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type TestDatabase, onCluster, testDatabase } from '../support/database.js';
import { Crawler, type Hosts, startHosts, until } from './crawl.js';

/**
 * A backup made during a FETCH is restored elsewhere an hour later (fault F25). The database is copied as a dump
 * would copy it (there is no pg_dump among the bundled programs): jobs are RUNNING there, owned by workers that do not
 * exist, with leases of an hour ago. The server that starts on it continues them.
 */

const ALL = 6 * 25;
const fetched = `select count(*) as n from webpage where fetch_mark is not null`;

let hosts: Hosts;
let first: Crawler;
let restored: Crawler;
let copy: TestDatabase;
beforeAll(async () => {
  hosts = await startHosts({ hosts: 6, pages: 25, pauseMs: 40 });
  first = new Crawler(await testDatabase());
  await first.start();
  await first.configure();
});
afterAll(async () => {
  await first?.close();
  await first?.db.drop();
  await restored?.close();
  await copy?.drop();
  await hosts?.close();
});

it('a crawl that was running in the backup is completed after a restore, with each page written once', async ({
  skip,
}) => {
  skip(onCluster, 'a cluster is not copied so: its nodes know of each other');
  const seeds = hosts.seeds;
  const crawl = await first.call<{ id: string }>('/v1/crawls', {
    crawlId: 'k',
    confId: 'c',
    seeds,
    rounds: 1,
    threads: 4,
  });
  await until(first.db, fetched, 20);
  await first.kill();
  expect(await first.db.query(`select from job_task where state = 'RUNNING'`)).not.toEqual([]);
  await first.db.query(
    `update job_task set lease_until = lease_until - interval '1 hour', owner = 'gone/1/1/1/1/1/1' where state = 'RUNNING'`,
  );
  copy = await copyOf(first.db);
  restored = new Crawler(copy);
  await restored.start();
  const job = await restored.ended(crawl.id);
  expect(job).toMatchObject({ state: 'FINISHED', result: { counters: { FetcherStatus: { SUCCESS: ALL } } } });
  const [visits] = await copy.query('select count(*)::int as all, count(distinct key)::int as keys from fetch_history');
  expect(visits).toEqual({ all: ALL, keys: ALL });
  const lost = await copy.query(`select from job_event where data ->> 'msg' like 'lost by %'`);
  expect(lost.length).toBeGreaterThan(0);
});

/** A database with the same content; the first must have no connections, so those of its test are cut. */
async function copyOf(db: TestDatabase): Promise<TestDatabase> {
  const made = await testDatabase({ empty: true });
  const admin = new pg.Client({ connectionString: inject('cluster').adminUrl });
  await admin.connect();
  await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${db.name}'`);
  await admin.query(`drop database ${made.name}`);
  await admin.query(`create database ${made.name} template ${db.name} owner orbweaver`);
  await admin.end();
  return made;
}
