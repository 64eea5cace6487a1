import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { leaseQueues, releaseQueues } from '../../src/politeness/queue-lease.sql.js';
import { OrderedRequests, type OrderedRequestRules } from '../../src/politeness/ordered-requests.js';
import { failure } from '../../src/net/http-answer.js';
import type { Sql } from '../../src/db/sql.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

/** How long SITEMAP keeps a fetch queue that it does not use. */

const IDLE_MS = 200;
const URL = 'http://a.test/';
const QUEUE = 'a.test';
const ANSWER = failure('reset', 'the connection was reset');

let db: TestDatabase;
let opened: OrderedRequests[] = [];
beforeAll(async () => {
  db = await testDatabase();
});
afterEach(async () => {
  for (const requests of opened.splice(0)) await requests.close();
  await db.query('delete from politeness');
});
afterAll(() => db.drop());

function queuesOf(rules: Partial<OrderedRequestRules> = {}, sql: Sql = db.pool): OrderedRequests {
  const requests = new OrderedRequests(sql, {
    owner: 'this',
    mode: 'byHost',
    delayMs: 0,
    backOff: { base: 0, max: 60_000 },
    signal: new AbortController().signal,
    idleMs: IDLE_MS,
    ...rules,
  });
  opened.push(requests);
  return requests;
}

/** A request that takes no time. It returns when it began, by the monotonic clock. */
const request = (requests: OrderedRequests, { delayMs = 0, trouble }: { delayMs?: number; trouble?: number } = {}) =>
  requests.enqueue(URL, async (setDelay) => {
    await setDelay(delayMs);
    return { value: performance.now(), reached: true, ...(trouble !== undefined && { trouble }) };
  });

/** How long another task that requests the queue must wait, ms; undefined: it is not free. */
const others = async (): Promise<number | undefined> =>
  (await leaseQueues(db.pool, 'another', [{ queueId: QUEUE, delayMs: 0 }]))[0]?.waitMs;
const holder = async () =>
  (await db.query<{ owner: string }>('select owner from politeness where queue_id = $1', [QUEUE]))[0]?.owner;
const longIdle = () => sleep(3 * IDLE_MS);
const released = () => expect.poll(holder, { interval: 20 }).toBe('');

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('a fetch queue of SITEMAP', () => {
  it('that is not used is released, with the rest of its delay', async () => {
    const requests = queuesOf();
    await request(requests, { delayMs: 60_000 });
    expect(await others()).toBeUndefined();
    await released();
    expect(await others()).toBeGreaterThan(30_000);
  });

  it('that a request of another queue has used is released while that request is running', async () => {
    const requests = queuesOf();
    let owners: (string | undefined)[] = [];
    await requests.enqueue('http://first.test/', async () => {
      await requests.exclusive(URL, () => Promise.resolve(ANSWER));
      owners = [await holder()];
      await released();
      return { value: null, reached: true };
    });
    expect(owners).toEqual(['this']);
  });

  it('that keeps its delay does not retain the body of its last request', async () => {
    const requests = queuesOf();
    let read: WeakRef<object> | undefined;
    await requests.enqueue(URL, async (setDelay) => {
      await setDelay(60_000);
      const body = Buffer.alloc(1_000_000);
      read = new WeakRef(body);
      return { value: body, reached: true };
    });
    await released();
    collectGarbage();
    expect(read?.deref()).toBeUndefined();
  });

  it('is kept while a request is running, and while one waits in it', async () => {
    const requests = queuesOf();
    const slow = requests.enqueue(URL, async (setDelay) => {
      await setDelay(3 * IDLE_MS);
      await longIdle();
      return { value: await others(), reached: true };
    });
    const next = requests.enqueue(URL, async () => ({ value: await others(), reached: true }));
    expect(await Promise.all([slow, next])).toEqual([undefined, undefined]);
  });

  it('has the delay of its robots.txt in the table before its first request', async () => {
    const requests = queuesOf();
    const delay = () => db.query<{ ms: number }>('select delay_ms::int as ms from politeness');
    const noted = await requests.enqueue(URL, async (setDelay) => {
      await setDelay(30_000);
      return { value: await delay(), reached: false };
    });
    expect(noted).toEqual([{ ms: 30_050 }]);
  });

  it('that another task waits for goes to it between two requests, with its delay, and returns', async () => {
    const requests = queuesOf({ minLeaseMs: 300, idleMs: 15_000 / 60 });
    const ours: number[] = [];
    const theirs: number[] = [];
    const ask = (name: OrderedRequests, to: number[]) =>
      name.enqueue(URL, async (setDelay) => {
        await setDelay(100);
        to.push(performance.now());
        return { value: true, reached: true };
      });
    const another = queuesOf({ owner: 'another', minLeaseMs: 300 });
    const work = async () => {
      for (let asked = 0; asked < 15;) if ((await ask(requests, ours)) === true) asked++;
    };
    const busy = work();
    await sleep(200);
    for (let asked = 0; asked < 3;) if ((await ask(another, theirs)) === true) asked++;
    expect(ours.length).toBeLessThan(15);
    await busy;
    const all = [...ours, ...theirs].sort((a, b) => a - b);
    expect(all).toHaveLength(18);
    for (const [i, at] of all.slice(1).entries()) expect(at - all[i]!).toBeGreaterThanOrEqual(100);
  });

  it('is leased again before it is used when it could not be renewed for half of its lease', async () => {
    let asked = 0;
    const cut: Sql = {
      query: (statement) => {
        if (statement.text.includes('update politeness set lease_until')) return Promise.reject(new Error('away'));
        if (statement.text.includes('insert into politeness')) asked++;
        return db.pool.query(statement);
      },
    };
    const requests = queuesOf({ idleMs: 60_000 }, cut);
    let passed = 0;
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + passed);
    try {
      for (const [ms, times] of [
        [0, 1],
        [14_000, 1],
        [2_000, 2],
      ] as const) {
        passed += ms;
        expect(await request(requests)).toBeGreaterThan(0);
        expect(asked).toBe(times);
      }
    } finally {
      vi.restoreAllMocks();
    }
  });

  it('keeps its delay when it is leased again', async () => {
    const requests = queuesOf();
    const first = await request(requests, { delayMs: 900 });
    await released();
    const second = await request(requests);
    const third = await request(requests);
    expect(second! - first!).toBeGreaterThanOrEqual(900);
    expect(third! - second!).toBeGreaterThanOrEqual(900);
  });

  it('keeps its delay when one of its hosts is completed', async () => {
    const requests = queuesOf();
    await requests.pace(URL, { delayMs: 300, waitMs: 0 });
    const first = await request(requests);
    await requests.leave(URL);
    expect(await holder()).toBe('');
    const second = await request(requests);
    const third = await request(requests);
    expect(second! - first!).toBeGreaterThanOrEqual(300);
    expect(third! - second!).toBeGreaterThanOrEqual(300);
  });

  it('keeps its waiting time when one of its hosts is completed', async () => {
    const requests = queuesOf();
    const set = performance.now();
    await requests.pace(URL, { delayMs: null, waitMs: 500 });
    await requests.leave(URL);
    expect((await request(requests))! - set).toBeGreaterThanOrEqual(500);
  });

  it('waits for Retry-After, and lengthens its delay with failures in a row', async () => {
    const requests = queuesOf({ backOff: { base: 400, max: 60_000 } });
    const first = await request(requests, { trouble: 1_000 });
    await released();
    const second = await request(requests, { trouble: 0 });
    expect(second! - first!).toBeGreaterThanOrEqual(1_000);
    await released();
    const third = await request(requests);
    expect(third! - second!).toBeGreaterThanOrEqual(800);
  });

  it('that is blocked for longer than maxWaitMs is not waited for, whichever task had it, and stays free', async () => {
    const begun = performance.now();
    const rules = { maxWaitMs: 50_000 };
    const ours = queuesOf(rules);
    await request(ours, { trouble: 60_000 });
    const left = (requests: OrderedRequests) =>
      requests.enqueue<unknown>(
        URL,
        () => Promise.reject(new Error('asked')),
        () => 'excluded',
      );
    expect(await left(ours)).toBe('excluded');
    expect(await ours.exclusive(URL, () => Promise.reject(new Error('asked')))).toMatchObject({
      ok: false,
      local: true,
    });
    await ours.leave(URL);
    const later = queuesOf({ ...rules, owner: 'later' });
    expect(await left(later)).toBe('excluded');
    await later.leave(URL);
    expect(await holder()).toBe('');
    // Neither the block of the host nor maxWaitMs was waited for.
    expect(performance.now() - begun).toBeLessThan(50_000);
  });

  it.each([
    ['a longer delay of another host', (requests: OrderedRequests) => requests.pace(URL, { delayMs: 400, waitMs: 0 })],
    ['a longer Crawl-delay of another host', (requests: OrderedRequests) => request(requests, { delayMs: 400 })],
  ])('keeps %s', async (_, slow) => {
    const requests = queuesOf();
    await slow(requests);
    await requests.pace(URL, { delayMs: 100, waitMs: 0 });
    const first = await request(requests);
    await requests.pace(URL, { delayMs: null, waitMs: 0 });
    expect((await request(requests))! - first!).toBeGreaterThanOrEqual(400);
  });

  it('with a delay of months waits without looking at it all the time', async () => {
    const warned: string[] = [];
    const note = ({ name }: Error): void => void warned.push(name);
    process.on('warning', note);
    const stop = new AbortController();
    const requests = queuesOf({ signal: stop.signal });
    await request(requests, { delayMs: 100 * 86_400_000 });
    const later = request(requests);
    const redirected = requests.exclusive(URL, () => Promise.resolve(ANSWER));
    await sleep(100);
    stop.abort();
    expect([await later, await redirected]).toEqual([undefined, expect.objectContaining({ code: 'aborted' })]);
    process.off('warning', note);
    expect(warned).not.toContain('TimeoutOverflowWarning');
  });

  it('has a shorter delay than usual when its host sets one', async () => {
    const begun = performance.now();
    const requests = queuesOf({ delayMs: 60_000 });
    await requests.pace(URL, { delayMs: 10, waitMs: 0 });
    await request(requests);
    await request(requests);
    expect(performance.now() - begun).toBeLessThan(60_000);
  });

  it('waits for its delay after requests of another task that had it meanwhile', async () => {
    const requests = queuesOf();
    await request(requests);
    await released();
    expect(await others()).toBe(0);
    const given = performance.now();
    await releaseQueues(db.pool, 'another', [{ queueId: QUEUE, remainingMs: 500 }]);
    expect((await request(requests))! - given).toBeGreaterThanOrEqual(499);
  });

  it.each([
    ['because it is not used', () => undefined],
    ['because its host is completed', (requests: OrderedRequests) => requests.leave(URL)],
  ])('that is being released (%s) is leased after that', async (_, release) => {
    let begun = (): void => undefined;
    const releasing = new Promise<void>((resolve) => (begun = resolve));
    const slowly: Sql = {
      async query(statement) {
        // The connection that releases is slower than the one that leases.
        if (statement.text.includes('update politeness p')) {
          begun();
          await sleep(100);
        }
        return db.pool.query(statement);
      },
    };
    const requests = queuesOf({}, slowly);
    await request(requests);
    void release(requests);
    await releasing;
    const during = requests.enqueue(URL, async () => {
      await sleep(200);
      return { value: await others(), reached: true };
    });
    expect(await during).toBeUndefined();
    expect(await holder()).toBe('this');
  });
});
