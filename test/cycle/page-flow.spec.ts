import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { parseConf } from '../../src/core/conf/properties.js';
import type { FetchItem, LeftHost } from '../../src/cycle/fetch/chunk-feeder.js';
import { PageFlow } from '../../src/cycle/fetch/page-flow.js';
import { unvisited } from '../../src/cycle/fetch/visit.js';
import { unblockQueues } from '../../src/politeness/host-settings.store.js';
import { PageQueues } from '../../src/politeness/page-queues.js';
import { leaseQueues } from '../../src/politeness/queue-lease.sql.js';
import { QueueIds } from '../../src/politeness/queue-ids.js';
import { newCrawl } from '../api/seeded-pages.js';
import { rules } from '../core/politeness/queues-under-test.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { pageOf } from './feeder.js';

/** Pages of one FETCH whose queue is blocked, with the tables of hosts and queues; minutes pass at once. */

const MINUTE = 61_000;
const HOUR = 3_600_000;

let db: TestDatabase;
let crawl: number;
let passed = 0;
beforeAll(async () => {
  db = await testDatabase();
});
beforeEach(async () => {
  crawl = await newCrawl(db, `flow ${crawl}`);
  passed = 0;
  const clock = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => clock() + passed);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await db.query('delete from politeness');
});
afterAll(() => db.drop());

const QUEUE = 'shared.test';
const itemOf = (url: string, hash = 0): FetchItem => ({
  page: pageOf(url, 'a', hash),
  url,
  queueId: QUEUE,
  batch: 'a',
  hops: 0,
});
const A = itemOf('http://a.shared.test/1', 1);
const B = itemOf('http://b.shared.test/1', 2);

function flowOf() {
  const { conf } = parseConf({ 'fetcher.server.delay': '0' });
  const { signal } = new AbortController();
  const ids = new QueueIds('byDomain');
  const sql = db.pool;
  const queues = new PageQueues<FetchItem>({ conf, ids, rules, crawl, owner: 'task 1#1', db: sql, once: sql, signal });
  const writer = { add: () => undefined };
  const flow = new PageFlow({ conf, queues, writer, clock: Date.now });
  const again: string[] = [];
  const readAgain = ({ host }: LeftHost) => void again.push(host);
  return {
    flow,
    queues,
    async enqueue(...items: FetchItem[]) {
      await queues.prepare(items);
      for (const item of items) flow.enqueue(item);
    },
    /** Lets a minute pass; returns hosts whose pages are read again. */
    async minute(): Promise<string[]> {
      passed += MINUTE;
      for (const queueId of await queues.maintain()) flow.removeExcluded(queueId);
      await flow.checkExcluded();
      flow.readAgain({ readAgain });
      return again.splice(0);
    },
  };
}

/** A visit of `A` whose server asks for a pause of an hour. */
async function blockByA({ flow, queues }: ReturnType<typeof flowOf>): Promise<void> {
  expect(queues.pages.next(performance.now())).toMatchObject({ kind: 'item', item: A });
  const answer = { ok: true, status: 503, headers: { 'retry-after': `${HOUR / 1_000}` } };
  const outcome = flow.answered(A, answer as never);
  expect(outcome).toMatchObject({ failed: true });
  await flow.block(A, outcome!.blockedUntil!);
  flow.noteWritten([unvisited(A.page, A.url, { code: 16, args: [] })]);
}

it('does not read pages again as long as the table has a block of their queue, whose lease was released', async () => {
  const task = flowOf();
  await task.enqueue(A, B);
  await blockByA(task);
  expect(task.flow.left).toMatchObject({ host_blocked: 1 });
  await task.minute();
  expect(task.queues.leases.knows(QUEUE)).toBe(false);
  expect([await task.minute(), await task.minute()]).toEqual([[], []]);
  await unblockQueues(db.pool, [QUEUE]);
  expect(await task.minute()).toEqual([B.page.host]);
});

it('waits before it asks again for a queue that another task has', async () => {
  await leaseQueues(db.pool, 'another', [{ queueId: QUEUE, delayMs: 0 }]);
  const task = flowOf();
  const begun = performance.now();
  await task.enqueue(A);
  expect(task.queues.pages.next(begun)).toMatchObject({ kind: 'wait' });
});

it('fetches the pages of a queue whose block was removed, after the delay that its next lease has', async () => {
  const task = flowOf();
  await task.enqueue(A, B);
  await blockByA(task);
  await task.minute();
  await unblockQueues(db.pool, [QUEUE]);
  expect(await task.minute()).toEqual([B.page.host]);
  await task.enqueue(B);
  const next = task.queues.pages.next(performance.now());
  expect(next).toMatchObject({ kind: 'wait' });
  const wait = next.kind === 'wait' ? next.until - performance.now() : Infinity;
  expect([wait > 1_000, wait < 5_001]).toEqual([true, true]);
});

it('does not read the pages of a host again while one of them is in a queue, or its visit is not written', async () => {
  const task = flowOf();
  // Its address was not known when this page was read.
  const other = { ...itemOf('http://b.shared.test/2', 3), queueId: 'b.shared.test' };
  await task.enqueue(A, B, other);
  await blockByA(task);
  await unblockQueues(db.pool, [QUEUE]);
  expect([await task.minute(), await task.minute()]).toEqual([[], []]);
  const { pages } = task.queues;
  expect(pages.next(performance.now())).toMatchObject({ item: other });
  expect(await task.minute()).toEqual([]);
  task.flow.end(other, {});
  expect(await task.minute()).toEqual([]);
  task.flow.noteWritten([unvisited(other.page, other.url, { code: 1, args: [] })]);
  expect(await task.minute()).toEqual([B.page.host]);
});
