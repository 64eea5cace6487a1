import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { workersOf } from '../support/processes.js';
import { Crawler, type Hosts, startHosts, until, whatIsLeft } from './crawl.js';

/** Several servers on one database (faults F4, F5, F7, F13): they share the work, and continue the tasks of each other. */

const HOSTS = 20;
const PAGES = 60;
const ALL = HOSTS * PAGES;
const PARTS = 8;

let hosts: Hosts;
let db: TestDatabase;
let one: Crawler;
let two: Crawler;

beforeAll(async () => {
  hosts = await startHosts({ hosts: HOSTS, pages: PAGES, pauseMs: 10 });
});
afterAll(() => hosts.close());

/** Both servers are started at once on a database without any table. */
beforeEach(async () => {
  db = await testDatabase({ empty: true });
  [one, two] = [new Crawler(db), new Crawler(db)];
  await Promise.all([one.start(), two.start()]);
  await one.configure();
  await one.finished('INJECT', { seed: hosts.seeds.join('\n') });
  await two.finished('GENERATE', { batch: 'b1' });
});
afterEach(async () => {
  await Promise.all([one.close(), two.close()]);
  await db.drop();
});

const fetched = 'select count(*) as n from webpage where fetch_mark is not null';
const fetchOf = (crawler: Crawler) => crawler.create('FETCH', { batch: 'b1', threads: 16, numTasks: PARTS });

/** Each page of the batch was written once, by either server. */
async function expectEachPageOnce(): Promise<void> {
  const [visits] = await db.query('select count(*)::int as all, count(distinct key)::int as keys from fetch_history');
  expect(visits).toEqual({ all: ALL, keys: ALL });
  const [pages] = await db.query(`select count(*)::int as n from webpage where status = 2 and fetch_mark = 'b1'`);
  expect(pages).toEqual({ n: ALL });
}

/** Number of tasks that a process runs. */
const heldBy = (pid: number) =>
  `select count(*) as n from job_task where state = 'RUNNING' and split_part(owner, '/', -2) = '${pid}'`;

describe('two servers on one database', () => {
  it('create the schema once, share the tasks of a job, and claim each task once', async () => {
    const { id } = await fetchOf(one);
    const job = await two.ended(id);
    expect(job).toMatchObject({ state: 'FINISHED', result: { counters: { FetcherStatus: { SUCCESS: ALL } } } });
    const claims = await db.query<{ part: number; owner: string }>(
      `select (data ->> 'part')::int as part, data ->> 'owner' as owner from job_event
        where job = $1 and kind = 'task' and data ->> 'state' = 'RUNNING' order by part`,
      [id],
    );
    expect(claims.map(({ part }) => part)).toEqual(Array.from({ length: PARTS }, (_, part) => part));
    expect(new Set(claims.map(({ owner }) => owner)).size).toBe(2);
    await expectEachPageOnce();
  });

  it('continue the tasks of a killed worker within 35 s, and write each page once', async () => {
    const { id } = await fetchOf(one);
    const [victim] = workersOf(two.running.pid);
    await until(db, heldBy(victim!), 1);
    await until(db, fetched, 100);
    const [killed] = await db.query<{ at: string }>('select now()::text as at');
    process.kill(victim!, 'SIGKILL');
    const job = await one.ended(id);
    expect(job).toMatchObject({
      state: 'FINISHED',
      result: { reason: 'done', counters: { FetcherStatus: { SUCCESS: ALL } } },
    });
    const lost = await db.query<{ s: number }>(
      `select extract(epoch from min(again.time) - $2::timestamptz)::float8 as s
         from job_event lost left join job_event again on again.job = lost.job and again.id > lost.id
          and again.data ->> 'part' = lost.data ->> 'part' and again.data ->> 'state' = 'RUNNING'
        where lost.job = $1 and lost.data ->> 'msg' like 'lost by %' group by lost.id`,
      [id, killed!.at],
    );
    expect(lost.length).toBeGreaterThan(0);
    // Documented: the tasks of a dead worker run elsewhere after at most 35 s.
    for (const { s } of lost) expect(s).toBeLessThanOrEqual(35);
    await expectEachPageOnce();
  });

  it('reject late writes of a worker that was paused until its lease expired', async () => {
    const { id } = await fetchOf(one);
    const [paused] = workersOf(two.running.pid);
    await until(db, heldBy(paused!), 1);
    await until(db, fetched, 100);
    await pauseOutsideTransactions(paused!);
    // Its heartbeats have stopped: its lease of 20 s expires now, and those of its fetch queues, of 30 s.
    await db.query(
      `update politeness p set lease_until = now() - interval '1 s' from job_task t
        where p.owner = format('task %s#%s', t.id, t.token) and split_part(t.owner, '/', -2) = $1`,
      [String(paused)],
    );
    await db.query(
      `update job_task set lease_until = now() - interval '1 s' where state = 'RUNNING' and split_part(owner, '/', -2) = $1`,
      [String(paused)],
    );
    const job = await one.ended(id);
    expect(job).toMatchObject({
      state: 'FINISHED',
      result: { reason: 'done', counters: { FetcherStatus: { SUCCESS: ALL } } },
    });
    const before = [await whatIsLeft(db), await db.query('select * from job_task order by id'), await one.job(id)];
    process.kill(paused!, 'SIGCONT');
    await expect.poll(() => two.running.output()).toMatch(/lease lost: another worker carries on/);
    expect([await whatIsLeft(db), await db.query('select * from job_task order by id'), await one.job(id)]).toEqual(
      before,
    );
    await expectEachPageOnce();
    // It can run further jobs.
    expect(await two.finished('PARSE', { batch: 'b1' })).toMatchObject({ state: 'FINISHED' });
  });

  it('keep their processes and complete the job after all connections were terminated three times', async () => {
    const { id } = await fetchOf(one);
    const before = [...workersOf(one.running.pid), ...workersOf(two.running.pid)];
    for (const n of [100, 400, 700]) {
      await until(db, fetched, n);
      await db.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name like 'orbweaver%'`,
      );
    }
    await until(db, `select count(*) as n from job where id = '${id}' and ended_at is not null`, 1);
    const job = await one.ended(id);
    expect(job).toMatchObject({
      state: 'FINISHED',
      msg: 'OK',
      result: { reason: 'done', counters: { FetcherStatus: { SUCCESS: ALL } } },
    });
    await expectEachPageOnce();
    expect([...workersOf(one.running.pid), ...workersOf(two.running.pid)]).toEqual(before);
  });
});

/** Stops a process at a moment when it has no open transaction, which would keep its locks for 30 s. */
async function pauseOutsideTransactions(pid: number): Promise<void> {
  for (;;) {
    process.kill(pid, 'SIGSTOP');
    await new Promise((wake) => setTimeout(wake, 300));
    const [open] = await db.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity where datname = current_database() and xact_start < now() - interval '250 ms'`,
    );
    if (open!.n === 0) return;
    process.kill(pid, 'SIGCONT');
    await new Promise((wake) => setTimeout(wake, 20));
  }
}
