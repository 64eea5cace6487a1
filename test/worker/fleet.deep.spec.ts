import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { onlyWhere } from '../support/left-out.js';
import { ConfStore } from '../../src/conf/conf.store.js';
import type { JobRow } from '../../src/job/job-row.js';
import { type Cycle, loopback, openCycle } from '../support/cycle.js';
import { onCluster } from '../support/database.js';
import { type Site, startSite } from '../support/site.js';
import { WorkerFleet, type WorkerProcess } from './fleet.js';

/** Several worker processes for one FETCH: they share its hosts, start and stop, and never request one host concurrently. */

const HOSTS = 8;
const PAGES = 40;

interface Visit {
  start: number;
  end: number;
}

let sites: Site[];
/** Requests for pages by host, robots.txt not counted. */
let visits: Visit[][];
let pauseMs = 0;
let port = 0;

beforeAll(async () => {
  sites = [];
  for (let h = 0; h < HOSTS; h++) {
    const site = await startSite(
      async (request, response) => {
        if (request.url === '/robots.txt') return void response.writeHead(404).end();
        const visit = { start: performance.now(), end: Infinity };
        visits[h]!.push(visit);
        await new Promise((wake) => setTimeout(wake, pauseMs));
        response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>${h}</title><p>${request.url}</p>`);
        visit.end = performance.now();
      },
      { host: `127.0.2.${h + 1}`, port },
    );
    port = site.port;
    sites.push(site);
  }
});
afterAll(() => Promise.all(sites.map((site) => site.close())));

let cycle: Cycle;
let fleet: WorkerFleet;
beforeEach(async () => {
  visits = Array.from({ length: HOSTS }, () => []);
  cycle = await openCycle();
  fleet = new WorkerFleet();
});
afterEach(async () => {
  await fleet.close();
  await cycle.close();
});

interface FetchOptions {
  pages?: number;
  conf?: Record<string, string>;
  args?: object;
  /** Starts workers before FETCH, and after the other steps. */
  workers?: () => Promise<void>;
}

/** A crawl with generated pages, and a FETCH of them that waits for workers. */
async function fetchOf(
  crawlId: string,
  { pages = PAGES, conf = {}, args = {}, workers }: FetchOptions = {},
): Promise<JobRow> {
  const seeds = sites.flatMap(({ url }) => Array.from({ length: pages }, (_, i) => `${url}/p${i}`));
  await cycle.inject(seeds, {}, { crawlId });
  await cycle.run('GENERATE', {}, { crawlId });
  const confs = new ConfStore(await cycle.db.dataSource());
  await confs.create(`c-${crawlId}`, { ...loopback, ...conf }, true);
  const { hash } = (await confs.snapshot(`c-${crawlId}`))!;
  await workers?.();
  return cycle.jobs.create({ type: 'FETCH', crawlId, confId: `c-${crawlId}`, confHash: hash, args: { ...args } });
}

const ended = async ({ id }: JobRow): Promise<JobRow> => {
  await expect.poll(async () => (await cycle.jobs.find(id))!.endedAt, { interval: 100 }).not.toBeNull();
  return (await cycle.jobs.find(id))!;
};
const one = async (text: string, values: unknown[] = []): Promise<number> =>
  (await cycle.db.query<{ n: number }>(text, values))[0]!.n;
const atLeast = (n: number, text: string, values: unknown[] = []) =>
  expect.poll(() => one(text, values), { interval: 20 }).toBeGreaterThanOrEqual(n);
const expectEachOnce = async (pages: number): Promise<void> => {
  const [visited] = await cycle.db.query(
    'select count(*)::int as all, count(distinct (crawl, key))::int as keys from fetch_history',
  );
  expect(visited).toEqual({ all: pages, keys: pages });
};
const heldBy = `select count(*)::int as n from job_task where state = 'RUNNING' and split_part(owner, '/', -2) = $1`;
const fetched = 'select count(*)::int as n from fetch_history';

describe('four workers and two crawls on the same hosts', () => {
  it('send one request at a time to a host and keep the delay after the end of each, as the host observes', async () => {
    const delay = 100;
    const conf = { 'fetcher.server.delay': String(delay / 1_000) };
    const jobs = [
      await fetchOf('one', { pages: 8, conf, args: { numTasks: 4 } }),
      await fetchOf('two', { pages: 8, conf, args: { numTasks: 4 } }),
    ];
    await Promise.all([1, 2, 3, 4].map(() => fleet.start(cycle.db.url)));
    for (const job of jobs) expect(await ended(job)).toMatchObject({ state: 'FINISHED', result: { reason: 'done' } });
    for (const of of visits) {
      expect(of).toHaveLength(16);
      const gaps = of.slice(1).map(({ start }, i) => start - of[i]!.end);
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(delay);
    }
    const owners = await one(`select count(distinct data ->> 'owner')::int as n from job_event where kind = 'task'`);
    expect(owners).toBeGreaterThan(1);
  });
});

describe('a worker without tasks, and one that stops', () => {
  it("gets a part of the hosts of another's FETCH and continues what that one releases; no page is fetched twice", async () => {
    pauseMs = 150;
    const started: WorkerProcess[] = [];
    const workers = async (): Promise<void> => {
      for (const _ of [1, 2]) started.push(await fleet.start(cycle.db.url));
      await atLeast(2, 'select count(*)::int as n from worker');
    };
    const job = await fetchOf('k', { args: { threads: 4, numTasks: 1 }, workers });
    const leaving = started[0]!;
    await atLeast(2, 'select count(*)::int as n from job_task where job = $1', [job.id]);
    const [threads] = await cycle.db.query(
      `select sum((progress ->> 'threads')::int)::int as n from job_task where job = $1 and state <> 'DONE'`,
      [job.id],
    );
    expect(threads).toEqual({ n: 4 });
    leaving.signal('SIGTERM');
    await leaving.ended;
    expect(await one('select count(*)::int as n from worker')).toBe(1);
    const done = await ended(job);
    const { FetcherStatus = {}, Fetcher = {} } = done.result!.counters;
    expect([FetcherStatus['SUCCESS'], Fetcher['selected']]).toEqual([HOSTS * PAGES, HOSTS * PAGES]);
    await expectEachOnce(HOSTS * PAGES);
  });
});

describe('a worker without tasks and a FETCH with one thread', () => {
  it('do not divide the FETCH', async () => {
    pauseMs = 20;
    const workers = async (): Promise<void> => {
      await Promise.all([fleet.start(cycle.db.url), fleet.start(cycle.db.url)]);
      await atLeast(2, 'select count(*)::int as n from worker');
    };
    const [pages, conf] = [16, { 'fetcher.server.delay': '0' }];
    const job = await fetchOf('k', { pages, args: { threads: 1 }, conf, workers });
    expect(await ended(job)).toMatchObject({ state: 'FINISHED', result: { reason: 'done' } });
    const divided = `select count(*)::int as n from job_task where job = $1 and progress ? 'threads'`;
    expect(await one(divided, [job.id])).toBe(0);
    await expectEachOnce(HOSTS * pages);
  });
});

/** Citus allows no triggers on distributed tables; there, test/job/stale-writers.deep.spec.ts tests this. */
describe('a worker stopped (SIGSTOP) beyond its lease', onlyWhere(!onCluster, 'Citus takes no triggers'), () => {
  it('writes no row after SIGCONT, as counted by triggers', async () => {
    pauseMs = 600;
    // After the stop too few pages are left for a division: otherwise it would get a partition whose rows it may write.
    const pages = 8;
    // Its own role distinguishes its rows from those of others.
    const role = `stalled_${process.pid}`;
    await asAdmin(`create role ${role} login in role orbweaver`);
    const url = cycle.db.url.replace('orbweaver@', `${role}@`);
    await cycle.db.query('create table late (relation text)');
    await cycle.db.query('create table counting (pid text)');
    await cycle.db.query(`create function count_late() returns trigger language plpgsql security definer as $$
      begin
        if session_user = '${role}' and exists (select from counting)
          and not exists (select from job_task where state = 'RUNNING' and split_part(owner, '/', -2) = (select pid from counting)) then insert into late values (tg_table_name); end if;
        return null;
      end $$`);
    for (const table of ['webpage', 'page_content', 'fetch_history', 'host', 'job_task'])
      await cycle.db.query(
        `create trigger count_late after insert or update on ${table} for each row execute function count_late()`,
      );
    const job = await fetchOf('k', { pages, args: { threads: 8, numTasks: 1 } });
    const stalled = await fleet.start(url);
    await atLeast(1, heldBy, [String(stalled.pid)]);
    await atLeast(20, fetched);
    await stopOutsideTransactions(stalled.pid, role);
    await cycle.db.query(
      `update job_task set lease_until = now() - interval '1 second' where state = 'RUNNING' and split_part(owner, '/', -2) = $1`,
      [String(stalled.pid)],
    );
    const other = await fleet.start(cycle.db.url);
    await atLeast(1, heldBy, [String(other.pid)]);
    await cycle.db.query('insert into counting values ($1)', [String(stalled.pid)]);
    stalled.signal('SIGCONT');
    await expect.poll(() => stalled.output()).toMatch(/lease lost/);
    expect(await ended(job)).toMatchObject({
      state: 'FINISHED',
      result: { counters: { FetcherStatus: { SUCCESS: HOSTS * pages } } },
    });
    await expectEachOnce(HOSTS * pages);
    expect(await cycle.db.query('select relation, count(*) from late group by 1')).toEqual([]);
  });

  async function asAdmin(statement: string): Promise<void> {
    const client = new pg.Client({ connectionString: inject('cluster').adminUrl });
    await client.connect();
    await client.query(statement);
    await client.end();
  }

  /** Stops a process outside of transactions, as an open one would keep its locks. */
  async function stopOutsideTransactions(pid: number, role: string): Promise<void> {
    for (;;) {
      process.kill(pid, 'SIGSTOP');
      await new Promise((wake) => setTimeout(wake, 100));
      const open = await one(
        `select count(*)::int as n from pg_stat_activity where usename = $1 and xact_start is not null`,
        [role],
      );
      if (open === 0) return;
      process.kill(pid, 'SIGCONT');
      await new Promise((wake) => setTimeout(wake, 20));
    }
  }
});
