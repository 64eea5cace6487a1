/** Requests to a host that fetch no page of it: each has the fetch queue to itself, with its delay before and after. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FetchQueues } from '../../src/core/politeness/fetch-queues.js';
import { failure } from '../../src/net/http-answer.js';
import { QueueLeases } from '../../src/politeness/queue-leases.js';
import { QueueRequests } from '../../src/politeness/queue-requests.js';
import { rules } from '../core/politeness/queues-under-test.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

const URL = 'http://a.test/robots.txt';
const QUEUE = 'a.test';
const ANSWER = failure('reset', 'the connection was reset');

let db: TestDatabase;
const stop = new AbortController();
beforeAll(async () => {
  db = await testDatabase();
});
afterEach(() => db.query('delete from politeness'));
afterAll(() => {
  stop.abort();
  return db.drop();
});

function task({ delayMs = 0, longestMs = Infinity, owner = 'this', signal = stop.signal } = {}) {
  const leases = new QueueLeases({ db: db.pool, once: db.pool, owner, delayMs });
  const pages = new FetchQueues<string>({ ...rules, delayMs: 0 });
  const requests = new QueueRequests({
    leases,
    pages,
    signal,
    queueOf: () => Promise.resolve(QUEUE),
    lease: async (queueId) => void (await leases.lease([queueId])),
    delayOf: () => delayMs,
    isTooLong: (ms) => ms > longestMs,
  });
  return { leases, pages, requests };
}

/** Records when requests begin and end. */
function noted() {
  const spans: { name: string; start: number; end: number }[] = [];
  const work =
    (name: string, until: Promise<unknown> = sleep(10)) =>
    async () => {
      const span = { name, start: performance.now(), end: Infinity };
      spans.push(span);
      await until;
      span.end = performance.now();
      return ANSWER;
    };
  return { spans, work, names: () => spans.map(({ name }) => name) };
}

describe('an exclusive request', () => {
  it('waits for the running page and for earlier requests, with the delay between', async () => {
    const delayMs = 60;
    const { requests, leases, pages } = task({ delayMs });
    await leases.lease([QUEUE]);
    const { spans, work, names } = noted();
    const page = Promise.withResolvers<void>();
    leases.enqueued(QUEUE);
    const visit = requests.page(QUEUE, work('page', page.promise)).then(() => leases.ended(QUEUE, performance.now()));
    const others = ['one', 'two'].map((name) => requests.exclusive(URL, work(name)));
    await sleep(100);
    expect([names(), requests.taken(QUEUE), requests.remainingDelay(QUEUE, performance.now())]).toEqual([
      ['page'],
      2,
      50,
    ]);
    page.resolve();
    await Promise.all([visit, ...others]);
    expect(names()).toEqual(['page', 'one', 'two']);
    // Timers fire a little early.
    for (const [i, { start }] of spans.slice(1).entries()) expect(start - spans[i]!.end).toBeGreaterThan(delayMs - 5);
    expect(pages.deferredUntil(QUEUE)).toBeGreaterThanOrEqual(spans[2]!.end + delayMs);
    expect(requests.remainingDelay(QUEUE, performance.now())).toBeGreaterThan(0);
  });

  it('makes the pages of its queue wait until it has ended, also when it fails', async () => {
    const { requests, pages } = task();
    pages.add(QUEUE, 'a page');
    const next = () => pages.next(performance.now()).kind;
    const during: string[] = [];
    const failing = requests.exclusive(URL, () => {
      during.push(next());
      return Promise.reject(new Error('no'));
    });
    const second = requests.exclusive(URL, () => {
      during.push(next());
      return Promise.resolve(ANSWER);
    });
    await expect(failing).rejects.toThrow('no');
    expect(await second).toBe(ANSWER);
    expect([during, next()]).toEqual([['wait', 'wait'], 'item']);
  });

  it('is refused when those before it take longer than the task would wait', async () => {
    const { requests, leases } = task({ delayMs: 30, longestMs: 50 });
    await leases.lease([QUEUE]);
    const { work, names } = noted();
    const answers = await Promise.all(['1', '2', '3', '4'].map((name) => requests.exclusive(URL, work(name))));
    expect(names()).toEqual(['1', '2', '3']);
    expect(answers[3]).toMatchObject({ ok: false, code: 'timeout', local: true });
  });

  it('is not sent when another task has the queue, or gets it while the request waits', async () => {
    const { requests, leases } = task();
    const { work, names } = noted();
    const page = Promise.withResolvers<void>();
    const visit = requests.page(QUEUE, work('page', page.promise));
    const waiting = requests.exclusive(URL, work('late'));
    await expect.poll(() => requests.taken(QUEUE)).toBe(1);
    await leases.releaseAll(performance.now());
    const other = task({ owner: 'another' });
    expect(await other.requests.exclusive(URL, work('of another'))).toBe(ANSWER);
    expect(await requests.exclusive(URL, work('refused'))).toBeUndefined();
    page.resolve();
    await visit;
    expect(await waiting).toBeUndefined();
    expect(names()).toEqual(['page', 'of another']);
  });

  it('that waits ends unsent with its task, and no longer makes the pages wait', async () => {
    const own = new AbortController();
    const { requests, pages } = task({ signal: own.signal });
    pages.add(QUEUE, 'a page');
    const { work, names } = noted();
    const page = Promise.withResolvers<void>();
    const visit = requests.page(QUEUE, work('page', page.promise));
    const waiting = requests.exclusive(URL, work('late'));
    await expect.poll(() => requests.taken(QUEUE)).toBe(1);
    own.abort();
    expect(await waiting).toMatchObject({ ok: false, code: 'aborted' });
    expect([names(), pages.next(performance.now()).kind]).toEqual([['page'], 'item']);
    page.resolve();
    await visit;
  });
});

it('the exclusive requests to a queue are forgotten when the task no longer uses it', async () => {
  const { requests, leases } = task();
  await leases.lease([QUEUE]);
  const { work } = noted();
  await requests.exclusive(URL, work('one'));
  const later = () => performance.now() + 20_000;
  requests.forgetUnused(later());
  expect(requests.taken(QUEUE)).toBe(1);
  await leases.release([QUEUE], performance.now());
  requests.forgetUnused(later() + 20_000);
  expect(requests.taken(QUEUE)).toBe(0);
});

describe('the delay after a request of a visit', () => {
  it.each([
    ['begins when a server was reached', failure('reset', 'it was reset'), true],
    ['does not begin when none was reached', failure('dns', 'no such host'), false],
  ])('%s', async (_what, answer, isDelayed) => {
    const { requests, leases } = task({ delayMs: 60_000 });
    await leases.lease([QUEUE]);
    const client = requests.clientOf({ fetch: () => Promise.resolve(answer) });
    expect(await client.fetch({ url: URL, headers: {} })).toBe(answer);
    expect(requests.remainingDelay(QUEUE, performance.now()) > 0).toBe(isDelayed);
  });
});

describe('the pause before the answer to a challenge', () => {
  it('is as long as the delay of the queue, whose pages wait meanwhile', async () => {
    const { requests, leases } = task({ delayMs: 200 });
    await leases.lease([QUEUE]);
    const began = performance.now();
    const client = requests.clientOf({
      fetch: async ({ pause }) => {
        expect([await pause?.(), requests.hasRequest(QUEUE)]).toEqual([true, true]);
        return ANSWER;
      },
    });
    await client.fetch({ url: URL, headers: {} });
    expect(performance.now() - began).toBeGreaterThanOrEqual(199);
  });

  it.each<[string, (task: { leases: QueueLeases; stopped: AbortController }) => Promise<unknown> | void]>([
    ['the queue was lost', ({ leases }) => leases.releaseAll(performance.now())],
    ['the task is aborted', ({ stopped }) => stopped.abort()],
  ])('allows no request once %s', async (_what, happens) => {
    const stopped = new AbortController();
    const { requests, leases } = task({ delayMs: 50, signal: stopped.signal });
    await leases.lease([QUEUE]);
    const client = requests.clientOf({
      fetch: async ({ pause }) => {
        await happens({ leases, stopped });
        expect(await pause?.()).toBe(false);
        return ANSWER;
      },
    });
    await client.fetch({ url: URL, headers: {} });
  });
});
