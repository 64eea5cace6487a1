import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { workersOf } from '../support/processes.js';
import { Crawler, type Hosts, startHosts, until, whatIsLeft } from './crawl.js';

/** Several servers on one database (F4, F5, F7, F13): they share the work, and take over from each other. */

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

/** Both servers start at once on a database without any table. */
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

/** Each page of the batch was written once, whoever asked for it. */
async function expectEachPageOnce(): Promise<void> {
  const [visits] = await db.query('select count(*)::int as all, count(distinct key)::int as keys from fetch_history');
  expect(visits).toEqual({ all: ALL, keys: ALL });
  const [pages] = await db.query(`select count(*)::int as n from webpage where status = 2 and fetch_mark = 'b1'`);
  expect(pages).toEqual({ n: ALL });
}

/** How many tasks of a job a process holds. */
const heldBy = (pid: number) =>
  `select count(*) as n from job_task where state = 'RUNNING' and split_part(owner, '/', -2) = '${pid}'`;

describe('two servers on one database', () => {
  it('make the schema once, share the tasks of a job, and claim each task once', async () => {
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

  it('one takes over the tasks of the other, whose worker is killed', async () => {
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
    // Promised: what a dead worker had is at work elsewhere after 35 s at most.
    for (const { s } of lost) expect(s).toBeLessThanOrEqual(35);
    await expectEachPageOnce();
  });

  it('what a paused worker writes late is refused', async () => {
    const { id } = await fetchOf(one);
    const [paused] = workersOf(two.running.pid);
    await until(db, heldBy(paused!), 1);
    await until(db, fetched, 100);
    await pauseOutsideTransactions(paused!);
    // Its beats have stopped: the lease that runs out in 20 s runs out now, and those of its hosts, which run out in 30.
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
    // It is none the worse for it.
    expect(await two.finished('PARSE', { batch: 'b1' })).toMatchObject({ state: 'FINISHED' });
  });

  it('all connections are cut, three times: the processes live and the job comes to its end', async () => {
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

/** Stops a process at a moment when it has no transaction open: one that is open would keep its locks for 30 s. */
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
