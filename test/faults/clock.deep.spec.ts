import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { testDatabase } from '../support/database.js';
import { type Handler, page, status } from '../support/site.js';
import { type Watched, gaps, startWatched } from '../cycle/watched.js';
import { Crawler, type Hosts, startHosts, until, whatIsLeft } from './crawl.js';

/**
 * Wrong clocks. Of two servers that share a crawl, one clock is ten years ahead and the other an hour behind (fault F11); the clock of
 * PostgreSQL goes back by an hour in the middle of a round (fault F12). Only the time of the database counts.
 */

const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;
const ALL = 10 * 20;

/** Prevents one server from claiming all tasks of a job before the other. */
const SLOTS = { WORKER_SLOTS: '2' };

/** A module that is loaded before the program and its workers: their clock is wrong by that many milliseconds. */
function wrongBy(ms: number): Record<string, string> {
  const source = `const Right = Date; globalThis.Date = class Date extends Right {
    constructor(...given) { if (given.length) super(...given); else super(Right.now() + ${ms}); }
    static now() { return Right.now() + ${ms}; } };`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(source)}` };
}

describe('two servers with wrong clocks', () => {
  let hosts: Hosts;
  let ahead: Crawler;
  let behind: Crawler;
  beforeAll(async () => {
    hosts = await startHosts({ hosts: 10, pages: 20, pauseMs: 50 });
    const db = await testDatabase();
    ahead = new Crawler(db, { ...wrongBy(10 * YEAR), ...SLOTS });
    behind = new Crawler(db, { ...wrongBy(-HOUR), ...SLOTS });
    await Promise.all([ahead.start(), behind.start()]);
  });
  afterAll(async () => {
    await Promise.all([ahead.close(), behind.close()]);
    await ahead.db.drop();
    await hosts.close();
  });

  it('share a round: no lease is lost, each page is fetched once, and all stored times are those of the database', async () => {
    await ahead.configure();
    await behind.finished('INJECT', { seed: hosts.seeds.join('\n') });
    await ahead.finished('GENERATE', { batch: 'b1' });
    const { id } = await behind.create('FETCH', { batch: 'b1', threads: 10, numTasks: 6 });
    const job = await ahead.ended(id);
    expect(job).toMatchObject({ state: 'FINISHED', result: { counters: { FetcherStatus: { SUCCESS: ALL } } } });
    expect([...hosts.requests().values()].every((n) => n === 1)).toBe(true);
    const { db } = ahead;
    const owners = await db.query(`select distinct owner from job_task where job = $1`, [id]);
    expect(owners).toHaveLength(2);
    expect(await db.query(`select from job_event where data ->> 'msg' like 'lost by%'`)).toEqual([]);
    const near = (column: string) =>
      `${column} not between now() - interval '10 minutes' and now() + interval '1 minute'`;
    expect(await db.query(`select key, fetch_time from webpage where status = 2 and ${near('fetch_time')}`)).toEqual(
      [],
    );
    expect(await db.query(`select from fetch_history where ${near('time')}`)).toEqual([]);
    for (const type of ['PARSE', 'UPDATEDB']) await ahead.finished(type, { batch: 'b1' });
    const due = `fetch_time not between now() + interval '29 days' and now() + interval '31 days'`;
    expect(await db.query(`select key, fetch_time from webpage where status = 2 and ${due}`)).toEqual([]);
    // New pages are due at once, whichever server found them.
    const { result } = await behind.finished('GENERATE', { batch: 'b2' });
    expect(result!['generate.count']).toBeGreaterThan(0);
  });

  it('store no job that ends before its start or after now', async () => {
    const jobs = await ahead.db.query(
      `select id from job where started_at < created_at or ended_at < started_at or ended_at > now()`,
    );
    expect(jobs).toEqual([]);
  });
});

describe.each([
  ['ten years ahead', 10 * YEAR],
  ['an hour behind', -HOUR],
])('a server with a clock %s', (_, wrong) => {
  let crawler: Crawler;
  const sites: Watched[] = [];
  beforeAll(async () => {
    crawler = new Crawler(await testDatabase(), wrongBy(wrong));
    await crawler.start();
    // The time limit counts from the start of the job.
    await crawler.configure({ 'fetcher.timelimit.mins': '60' });
  });
  afterAll(async () => {
    await crawler.close();
    await crawler.db.drop();
    for (const site of sites) await site.close();
  });

  /** A host whose first response has Retry-After. */
  async function busy(host: string, retryAfter: () => string): Promise<Watched> {
    let asked = 0;
    const pages: Handler = (req, res) =>
      (asked++ === 0 ? status(429, { 'retry-after': retryAfter() }) : page('x'))(req, res);
    const site = await startWatched({ host, pages, ms: 0 });
    sites.push(site);
    return site;
  }

  it('waits as long as Retry-After asks, also as a date, and fetches until the time limit', async () => {
    const [short, dated, long] = [
      await busy('127.0.6.1', () => '8'),
      await busy('127.0.6.2', () => new Date(Date.now() + 9_000).toUTCString()),
      await busy('127.0.6.3', () => '1800'),
    ];
    const seeds = [short, dated, long].flatMap((site) => [1, 2, 3].map((n) => `${site.url}/${n}`));
    await crawler.finished('INJECT', { seed: seeds.join('\n') });
    await crawler.finished('GENERATE', { batch: 'b1' });
    const { result } = await crawler.finished('FETCH', { batch: 'b1' });
    expect(result).toMatchObject({
      reason: 'done',
      counters: { FetcherStatus: { EXCEPTION: 3, SUCCESS: 4, host_blocked: 2 } },
    });
    for (const site of [short, dated]) expect(gaps(site.spans)[0]).toBeGreaterThan(7_900);
    const [host] = await crawler.db.query(
      `select extract(epoch from blocked_until - now())::float8 as blocked from host where host = '127.0.6.3'`,
    );
    expect(Math.abs(Number(host!['blocked']) - 1_800)).toBeLessThan(60);
  });

  it('visits each page once in a crawl with a clock ahead (adddays)', async () => {
    const site = await startWatched({ host: '127.0.6.4', ms: 0 });
    sites.push(site);
    const seed = [1, 2, 3].map((n) => `${site.url}/${n}`).join('\n');
    const { id } = await crawler.create('CRAWL', { seed, adddays: 31, rounds: 3 }, 'ahead');
    expect(await crawler.ended(id)).toMatchObject({ state: 'FINISHED', result: { reason: 'done' } });
    expect(site.spans.map(({ path }) => path).toSorted()).toEqual(['/1', '/2', '/3']);
  });
});

describe('a FETCH when the clock of PostgreSQL is set back', () => {
  let hosts: Hosts;
  let cycle: Cycle;
  beforeAll(async () => {
    hosts = await startHosts({ hosts: 4, pages: 10, pauseMs: 20 });
    cycle = await openCycle();
  });
  afterAll(async () => {
    await cycle.close();
    await hosts.close();
  });

  /** Shadows the time functions of PostgreSQL by functions of the same names, which are wrong by an interval. */
  async function makeWrong(by: string): Promise<void> {
    for (const name of ['now', 'clock_timestamp', 'statement_timestamp', 'transaction_timestamp']) {
      await cycle.db.query(`create or replace function wrong.${name}() returns timestamptz language sql stable
        as $$ select pg_catalog.${name}() - interval '${by}' $$`);
    }
  }

  async function setBack(by: string): Promise<void> {
    const { db } = cycle;
    await db.query('create schema wrong');
    await makeWrong(by);
    const admin = new pg.Client({ connectionString: inject('cluster').adminUrl });
    await admin.connect();
    await admin.query(`alter database ${db.name} set search_path = wrong, pg_catalog, public`);
    // Open connections would keep the correct clock.
    await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${db.name}'`);
    await admin.end();
  }

  it('by an hour after GENERATE fetches no page twice; due pages wait for at most that time', async () => {
    await cycle.inject(hosts.seeds);
    const generated = await cycle.run('GENERATE', { batch: 'b1' });
    expect(generated.result).toMatchObject({ 'generate.count': 40 });
    await setBack('1 hour');
    // Until both pools have replaced all old connections: more statements at once than each pool has connections.
    const pools = Array.from({ length: 20 }, () => [cycle.pool, cycle.db.pool]).flat();
    const ask = (pool: pg.Pool) => pool.query<{ wrong: boolean }>('select now() < pg_catalog.now() as wrong');
    await expect
      .poll(async () => (await Promise.all(pools.map(ask))).every(({ rows: [first] }) => first!.wrong))
      .toBe(true);
    for (const type of ['FETCH', 'PARSE', 'UPDATEDB'] as const) {
      expect(await cycle.run(type, { batch: 'b1' })).toMatchObject({ state: 'FINISHED', msg: 'OK' });
    }
    expect([...hosts.requests().values()].every((n) => n === 1)).toBe(true);
    const { pages } = await whatIsLeft(cycle.db);
    expect(pages.filter(({ status, closed }) => status === 2 && closed === true)).toHaveLength(40);
    // A page that was fetched is not due again, by either clock; new pages may have to wait for an hour.
    await cycle.run('GENERATE', { batch: 'b2' });
    await cycle.run('FETCH', { batch: 'b2' });
    expect([...hosts.requests().values()].every((n) => n === 1)).toBe(true);
  });

  const OF_M = `crawl = (select id from crawl where name = 'm')`;

  it('by two more hours while it runs fetches the remaining pages and counts each once', async () => {
    const crawl = { crawlId: 'm' };
    await cycle.inject(hosts.seeds, {}, crawl);
    await cycle.run('GENERATE', { batch: 'b1' }, crawl);
    const fetching = cycle.run('FETCH', { batch: 'b1' }, crawl);
    await until(cycle.db, `select count(*) as n from webpage where fetch_mark is not null and ${OF_M}`, 1);
    await makeWrong('3 hours');
    expect((await fetching).result!.counters['FetcherStatus']).toEqual({ SUCCESS: 40 });
  });
});
