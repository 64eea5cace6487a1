import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { QueueLeases } from '../../src/politeness/queue-leases.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { DELAY, expectRest, later, now, waits } from './leases-under-test.js';

/** A fetch queue goes to the task that waits for it between two requests, so that no crawl keeps a host from the others. */

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
});
afterAll(() => db.drop());

const leases = (owner: string) => new QueueLeases({ db: db.pool, once: db.pool, owner, delayMs: DELAY });

describe('a lease that another task waits for', () => {
  /** A task that has leased a queue, with pages waiting, and has sent a request. */
  async function holderOf(queueId: string): Promise<QueueLeases> {
    const task = leases(`holder of ${queueId}`);
    await task.lease([queueId]);
    for (let i = 0; i < 3; i++) task.enqueued(queueId);
    task.ended(queueId, now());
    return task;
  }
  const quiet = () => false;

  it('goes to it after the minimum lease, with the rest of its delay, and returns', async () => {
    const from = now();
    const [holder, other] = [await holderOf('t'), leases('other')];
    expect(await waits(other, 't')).toEqual({});
    expect(await holder.maintain(later())).toEqual([]);
    expect(holder.hasLease('t')).toBe(false);
    expect(await waits(holder, 't')).toEqual({});
    await holder.releaseWanted(now(), quiet);
    expect(await waits(holder, 't')).toEqual({});
    expectRest((await waits(other, 't'))['t']!, DELAY, from);
    other.enqueued('t');
    other.enqueued('t');
    other.ended('t', now());
    await waits(leases('holder of t'), 't');
    await other.maintain(later());
    await other.releaseWanted(now(), quiet);
    expect(Object.keys(await waits(holder, 't'))).toEqual(['t']);
    expect(holder.hasLease('t')).toBe(true);
  });

  it('stays until the running request has ended', async () => {
    const [holder, other] = [await holderOf('u'), leases('other')];
    await waits(other, 'u');
    await holder.maintain(later());
    await holder.releaseWanted(now(), (queueId) => queueId === 'u');
    expect(await waits(other, 'u')).toEqual({});
    await holder.releaseWanted(now(), quiet);
    expect(Object.keys(await waits(other, 'u'))).toEqual(['u']);
  });

  it('is used again for an interval while one of several requests does not end', async () => {
    const [holder, other] = [await holderOf('z'), leases('other')];
    const at = [60_000, 70_000, 80_000].map((ms) => now() + ms);
    await waits(other, 'z');
    const leased: boolean[] = [];
    for (const moment of at) {
      await holder.maintain(moment);
      await holder.releaseWanted(moment, () => true);
      leased.push(holder.hasLease('z', moment));
    }
    expect(leased).toEqual([false, true, false]);
  });

  it('stays until one request was sent: a long delay does not count', async () => {
    const [holder, other] = [leases('resting'), leases('other')];
    await holder.lease(['v']);
    holder.enqueued('v');
    holder.enqueued('v');
    await waits(other, 'v');
    await holder.maintain(now() + 20_000);
    expect(holder.hasLease('v', now() + 20_000)).toBe(true);
    holder.ended('v', now() + 21_000);
    await holder.maintain(now() + 40_000);
    expect(holder.hasLease('v', now() + 40_000)).toBe(false);
  });

  it('stays for the minimum lease', async () => {
    const [holder, other] = [leases('holder'), leases('other')];
    // All queues of a task are renewed at once: this one soon after it was leased.
    const due = now() + 7_600;
    const clock = performance.now.bind(performance);
    const inThreeSeconds = vi.spyOn(performance, 'now').mockImplementation(() => clock() + 3_000);
    onTestFinished(() => void inThreeSeconds.mockRestore());
    await holder.lease(['w']);
    holder.enqueued('w');
    holder.enqueued('w');
    holder.ended('w', now());
    await waits(other, 'w');
    await holder.maintain(due);
    expect(holder.hasLease('w', due)).toBe(true);
    await holder.maintain(due + 7_600);
    expect(holder.hasLease('w', due + 7_600)).toBe(false);
  });

  it('goes to the task that waited first, and to any other when that one stops requesting it', async () => {
    const [holder, first, second] = [await holderOf('y'), leases('first'), leases('second')];
    await waits(first, 'y');
    await waits(second, 'y');
    await holder.maintain(later());
    await holder.releaseWanted(now(), quiet);
    expect(await waits(second, 'y')).toEqual({});
    await db.query(`update politeness set wanted_until = now() - interval '1 second' where queue_id = 'y'`);
    expect(Object.keys(await waits(second, 'y'))).toEqual(['y']);
  });
});
