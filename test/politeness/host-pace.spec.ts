/** How fast, and whether, the hosts of a task may be requested: the properties, the settings of the hosts, robots.txt. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Conf, parseConf } from '../../src/core/conf/properties.js';
import { FetchQueues } from '../../src/core/politeness/fetch-queues.js';
import type { Sql } from '../../src/db/sql.js';
import { HostPacer, type QueuedPage, earlyBy, withSlack } from '../../src/politeness/host-pace.js';
import { QueueLeases } from '../../src/politeness/queue-leases.js';
import { newCrawl } from '../api/seeded-pages.js';
import { rules } from '../core/politeness/queues-under-test.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

const QUEUE = 'a queue';
/** The settings of hosts are read again every two seconds. */
const REFRESH_MS = 2_001;

let db: TestDatabase;
let crawl: number;
beforeAll(async () => {
  db = await testDatabase();
});
beforeEach(async () => {
  crawl = await newCrawl(db, `pace ${crawl}`);
});
afterEach(() => db.query('delete from politeness'));
afterAll(() => db.drop());

const pageOf = (host: string): QueuedPage => ({ queueId: QUEUE, page: { host } });
const A = pageOf('test.a');
const B = pageOf('test.b');

/** Writes columns of a host's row. */
async function set({ page: { host } }: QueuedPage, columns: Record<string, unknown>): Promise<void> {
  const names = Object.keys(columns);
  await db.query(
    `insert into host (crawl, host, domain, ${names.join()}) values ($1, $2, $2, ${names.map((_, i) => `$${i + 3}`).join()})
     on conflict (crawl, host) do update set ${names.map((name) => `${name} = excluded.${name}`).join()}`,
    [crawl, host, ...Object.values(columns)],
  );
}
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000);

interface Task {
  pace: HostPacer;
  queues: FetchQueues<never>;
  leases: QueueLeases;
}
function taskOf(params: Record<string, string> = {}, sql: Sql = db.pool): Task {
  const conf: Conf = parseConf({ 'fetcher.server.delay': '0', ...params }).conf;
  const queues = new FetchQueues<never>({ ...rules, delayMs: 0 });
  const leases = new QueueLeases({ db: db.pool, once: db.pool, owner: 'this', delayMs: 0 });
  return { queues, leases, pace: new HostPacer({ conf, db: sql, crawl, queues, leases }) };
}
/** A task whose queue has some pages. */
async function taskWith(items: QueuedPage[], params: Record<string, string> = {}, sql?: Sql): Promise<Task> {
  const task = taskOf(params, sql);
  await task.leases.lease([QUEUE]);
  for (const _ of items) task.leases.enqueued(QUEUE);
  await task.pace.load(items);
  return task;
}
let passed = 0;
/** Reads the settings again, as if their interval had passed. */
const refresh = ({ pace }: Task) => pace.refresh(performance.now() + (passed += REFRESH_MS));
const excluded = ({ pace }: Task, { page, queueId } = A) => pace.excluded(page.host, queueId, performance.now());

describe('the delay of a fetch queue (fetcher.server.delay)', () => {
  const nutch2 = { 'fetcher.queue.use.host.settings': 'true' };
  it.each<[string, Record<string, unknown>, Record<string, string>, number]>([
    ['that of the property', {}, { 'fetcher.server.delay': '0.2' }, 220],
    ['0 when the property is 0', {}, {}, 0],
    ['longer by at most 50 ms: servers see the end of a response later', {}, { 'fetcher.server.delay': '5' }, 5_050],
    ['that set by hand', { delay_ms: 100 }, { 'fetcher.server.delay': '5' }, 110],
    ['that of generate.fetch.delay.expr', { fetch_delay_ms: 300 }, {}, 330],
    ['that set by hand rather than that of generate.fetch.delay.expr', { delay_ms: 100, fetch_delay_ms: 300 }, {}, 110],
    ['that of the metadata of Nutch 2.x', { metadata: { q_cd: '400' } }, nutch2, 440],
    ['that set by hand rather than that of the metadata', { delay_ms: 100, metadata: { q_cd: '400' } }, nutch2, 110],
    ['not that of the metadata without fetcher.queue.use.host.settings', { metadata: { q_cd: '400' } }, {}, 0],
    ['at most a day from the metadata', { metadata: { q_cd: '999999999' } }, nutch2, 86_400_050],
    ['not a negative one from the metadata', { metadata: { q_cd: '-1' } }, nutch2, 0],
  ])('is %s', async (_what, columns, params, ms) => {
    if (Object.keys(columns).length > 0) await set(A, columns);
    expect((await taskWith([A], params)).pace.delayOf(QUEUE)).toBe(ms);
  });

  it('is the longest of its hosts, until that host no longer sets it', async () => {
    await set(A, { delay_ms: 100 });
    await set(B, { delay_ms: 300 });
    const task = await taskWith([A, B]);
    expect(task.pace.delayOf(QUEUE)).toBe(330);
    await set(B, { delay_ms: null });
    await refresh(task);
    expect(task.pace.delayOf(QUEUE)).toBe(110);
  });

  it('that is changed while the task runs is that of its lease, too: the next holder waits for it', async () => {
    await set(A, { delay_ms: 100 });
    const task = await taskWith([A]);
    task.pace.apply(A);
    await set(A, { delay_ms: 300 });
    await refresh(task);
    expect(task.leases.delayOf(QUEUE)).toBe(330);
  });

  it('is the longest Crawl-delay of its origins', async () => {
    const task = await taskWith([A, B]);
    const asked = [1_000, 3_000, 2_000].map((ms) => {
      task.pace.raiseCrawlDelay(A, ms);
      return [task.pace.crawlDelay(QUEUE), task.pace.delayOf(QUEUE), task.leases.delayOf(QUEUE)];
    });
    expect(asked).toEqual([
      [1_000, 1_050, 1_050],
      [3_000, 3_050, 3_050],
      [3_000, 3_050, 3_050],
    ]);
  });

  it('is a Crawl-delay as long as the task has pages of the queue: one that runs for weeks meets very many hosts', async () => {
    const task = await taskWith([A]);
    task.pace.raiseCrawlDelay(A, 1_000);
    await refresh(task);
    expect(task.pace.crawlDelay(QUEUE)).toBe(1_000);
    task.leases.ended(QUEUE, performance.now(), { release: true });
    await task.leases.release([QUEUE], performance.now());
    await refresh(task);
    expect([task.pace.crawlDelay(QUEUE), task.pace.delayOf(QUEUE)]).toEqual([-Infinity, 0]);
  });
});

describe('the threads of a fetch queue (fetcher.threads.per.queue)', () => {
  const threadsOf = ({ queues }: Task) => {
    for (let n = 0; n < 200; n++) queues.add(QUEUE, n as never);
    let threads = 0;
    while (queues.next(performance.now()).kind === 'item') threads++;
    return threads;
  };

  it.each<[string, Record<string, unknown>, number]>([
    ['by hand', { threads: 3 }, 3],
    ['in the metadata of Nutch 2.x', { metadata: { q_mt: '4' } }, 4],
    ['in the metadata, at most 100', { metadata: { q_mt: '5000' } }, 100],
    ['in the metadata, at least one', { metadata: { q_mt: '0' } }, 1],
  ])('are set %s', async (_what, columns, threads) => {
    await set(A, columns);
    const task = await taskWith([A], { 'fetcher.queue.use.host.settings': 'true' });
    task.pace.apply(A);
    expect(threadsOf(task)).toBe(threads);
  });

  it('that change while the task runs take effect at once', async () => {
    await set(A, { threads: 1 });
    const task = await taskWith([A]);
    task.pace.apply(A);
    await set(A, { threads: 2 });
    await refresh(task);
    expect(threadsOf(task)).toBe(2);
  });
});

describe('the pages of a host', () => {
  it.each<[string, Record<string, unknown>, string | null]>([
    ['stay in their batch while it is drained', { drain: true }, 'host_drained'],
    [
      'stay in their batch while it is blocked for longer than fetcher.backoff.max.wait',
      { blocked_until: inSeconds(100) },
      'host_blocked',
    ],
    ['are waited for while it is blocked for a shorter time', { blocked_until: inSeconds(30) }, null],
    ['are fetched when its block has expired', { blocked_until: inSeconds(-1) }, null],
  ])('%s', async (_what, columns, why) => {
    await set(A, { ...columns, ...('blocked_until' in columns && { blocked_by: 'back-off' }) });
    const task = await taskWith([A], { 'fetcher.backoff.max.wait': '60' });
    expect(excluded(task)).toBe(why);
  });

  it('are deferred until its block expires', async () => {
    await set(A, { blocked_until: inSeconds(30), blocked_by: 'hand' });
    const task = await taskWith([A]);
    task.pace.apply(A);
    expect(task.queues.deferredUntil(QUEUE)).toBeGreaterThan(performance.now() + 20_000);
  });

  it('have their queue reported when it is drained while the task runs', async () => {
    const task = await taskWith([A]);
    expect(await refresh(task)).toEqual([]);
    await set(A, { drain: true });
    expect(await task.pace.refresh(performance.now())).toEqual([]);
    expect(await refresh(task)).toEqual([QUEUE]);
  });

  it('are no longer excluded or deferred when an operator removes its block', async () => {
    await set(A, { blocked_until: inSeconds(3_000), blocked_by: 'hand' });
    const task = await taskWith([A]);
    await task.pace.block(A, performance.now() + 3_000_000, performance.now());
    task.pace.blockWritten(A.page.host);
    task.pace.apply(A);
    await set(A, { blocked_until: null, blocked_by: null });
    await refresh(task);
    expect([excluded(task), task.pace.isBlocked(QUEUE, performance.now())]).toEqual([null, false]);
    expect(task.queues.deferredUntil(QUEUE)).toBe(-Infinity);
  });
});

describe('a block by hand that is no longer than fetcher.backoff.max.wait', () => {
  const block = (item: QueuedPage, seconds: number | null) =>
    set(item, {
      blocked_until: seconds === null ? null : inSeconds(seconds),
      blocked_by: seconds === null ? null : 'hand',
    });
  /** A task with pages in the queue of hosts that are blocked for so many seconds. */
  const taskBlocked = async (a: number | null, b: number | null) => {
    await block(A, a);
    await block(B, b);
    const task = await taskWith([A, B]);
    for (const item of [A, B]) task.pace.apply(item);
    return task;
  };

  it.each<[string, [number | null, number | null], [number | null, number | null], number]>([
    ['defers the pages that are in the queue', [null, null], [30, null], 30],
    ['defers them for longer when it is extended', [20, null], [40, null], 40],
    ['defers them for less time when it is shortened', [50, null], [20, null], 20],
    ['of another host of the queue is kept when it is removed', [50, 20], [null, 20], 20],
    ['of another host of the queue is kept when it is shortened', [50, 40], [20, 40], 40],
    ['of another host of the queue does not lengthen it', [50, null], [30, 20], 30],
    [
      'of a host whose pages stay in their batch defers no page of another host',
      [null, null],
      [3_000, null],
      -Infinity,
    ],
  ])('%s', async (_what, [a, b], [newA, newB], seconds) => {
    const begin = performance.now();
    const task = await taskBlocked(a, b);
    await block(A, newA);
    await block(B, newB);
    await refresh(task);
    const deferredFor = task.queues.deferredUntil(QUEUE) - begin;
    expect(deferredFor).toBeGreaterThanOrEqual((seconds - 1) * 1000);
    expect(deferredFor).toBeLessThanOrEqual((seconds + 1) * 1000 + (performance.now() - begin));
  });
});

describe('a block set by this task', () => {
  const until = () => performance.now() + 3_000_000;

  it('applies before it is written to the table', async () => {
    const task = await taskWith([A]);
    await task.pace.block(A, until(), performance.now());
    await refresh(task);
    expect([excluded(task), task.pace.isExcludedByQueue(A.page.host, QUEUE)]).toEqual(['host_blocked', false]);
  });

  it('applies when it is written while older settings are being read', async () => {
    let during = (): void => undefined;
    const slow: Sql = {
      async query(statement) {
        const found = await db.pool.query(statement);
        during();
        return found;
      },
    };
    const task = await taskWith([A], {}, slow);
    await task.pace.block(A, until(), performance.now());
    during = () => task.pace.blockWritten(A.page.host);
    await refresh(task);
    expect(excluded(task)).toBe('host_blocked');
  });

  it('applies to the other hosts of its queue, by the queue', async () => {
    const task = await taskWith([A, B]);
    await task.pace.block(A, until(), performance.now());
    expect([excluded(task, B), task.pace.isExcludedByQueue(B.page.host, QUEUE)]).toEqual(['host_blocked', true]);
  });
});

it('failures before the task count until the host responds successfully, however often they are read', async () => {
  await set(A, { failures: 4, blocked_until: inSeconds(-1), blocked_by: 'back-off' });
  const task = await taskWith([A]);
  expect(task.pace.failuresBefore(A.page.host)).toBe(4);
  task.pace.answered(A.page.host);
  await refresh(task);
  expect(task.pace.failuresBefore(A.page.host)).toBe(0);
});

it.each([
  [1_800, 1_700, 4],
  [1_800, 1_900, 0],
  [60, 30, 4],
  [60, 90, 0],
])(
  'fetcher.exceptions.per.queue.clear.after of %i s: failures whose block ended %i s ago count as %i',
  async (clearAfter, ago, counted) => {
    await set(A, { failures: 4, blocked_until: inSeconds(-ago), blocked_by: 'back-off' });
    const task = await taskWith([A], { 'fetcher.exceptions.per.queue.clear.after': String(clearAfter) });
    expect(task.pace.failuresBefore(A.page.host)).toBe(counted);
  },
);

describe('the slack of a delay', () => {
  it.each([
    [0, 0, 0],
    [10, 11, 0.25],
    [40, 44, 1],
    [5_000, 5_050, 1],
  ])('of %i ms makes it %i ms; a page may start %f ms before its end', (asked, kept, early) => {
    expect([withSlack(asked), earlyBy(asked)]).toEqual([kept, early]);
    expect(withSlack(asked) - earlyBy(asked)).toBeGreaterThanOrEqual(asked);
  });
});
