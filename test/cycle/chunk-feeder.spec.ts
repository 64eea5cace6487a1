import { describe, expect, it } from 'vitest';
import type { FetchItem } from '../../src/cycle/fetch/chunk-feeder.js';
import { enqueue, feederOf, pageOf, randomBatches, randomOf } from './feeder.js';

/** Which pages of its batches a FETCH has in memory, by a batch in memory and the real queues. */

describe('a host with more pages than the capacity of its queue', () => {
  const slow = Array.from({ length: 50 }, (_, i) => pageOf(`http://slow.test/${i}`, 'a', i));
  const fast = Array.from({ length: 10 }, (_, i) => pageOf(`http://fast.test/${i}`, 'a', 4 * i));

  it('leaves its further pages, so that those of others are read', async () => {
    const { feeder, queues } = feederOf([...slow, ...fast], 12);
    while (!feeder.isThrough) enqueue(queues, await feeder.next(5));
    expect([queues.lengthOf('slow.test'), queues.lengthOf('fast.test')]).toEqual([12, 10]);
    expect([feeder.ended, feeder.deferredHosts, feeder.needsRefill]).toEqual([false, 1, false]);
  });

  it('gets further pages when fewer than half are left, up to its capacity', async () => {
    const { feeder, queues } = feederOf(slow, 12);
    while (!feeder.isThrough) enqueue(queues, await feeder.next(5));
    for (let i = 0; i < 6; i++) queues.next(0);
    expect(feeder.needsRefill).toBe(false);
    queues.done('slow.test', 0);
    for (let i = 0; i < 6; i++) if (queues.next(0).kind === 'item') queues.done('slow.test', 0);
    expect([queues.lengthOf('slow.test'), feeder.needsRefill]).toEqual([5, true]);
    enqueue(queues, await feeder.refill(100));
    expect([queues.lengthOf('slow.test'), feeder.needsRefill]).toEqual([12, false]);
  });
});

describe('a host that gets further pages before the batch is read to its end', () => {
  it('gets none of those behind the position of the batch twice', async () => {
    const pages = Array.from({ length: 8 }, (_, i) => pageOf(`http://a.test/${i}`, 'a', i));
    const { feeder, queues } = feederOf(pages, 2);
    const returned = async (items: FetchItem[]) => {
      for (const { queueId } of items) {
        queues.next(0);
        queues.done(queueId, 0);
      }
      return items.map(({ page }) => page.hash).toSorted();
    };
    // 0 and 1 fill the queue, 2 and 3 are left; then these are read, and what follows only by the next read.
    expect(await returned(await feeder.next(4))).toEqual([0, 1]);
    expect(await returned(await feeder.refill(100))).toEqual([2, 3]);
    expect(await returned(await feeder.refill(100))).toEqual([]);
    expect(await returned(await feeder.next(2))).toEqual([4, 5]);
    expect(await returned(await feeder.next(100))).toEqual([6, 7]);
    expect(feeder.ended).toBe(true);
  });
});

describe('a page that joined by a redirect', () => {
  it('is not read again until it is written, and then not remembered', async () => {
    const pages = Array.from({ length: 4 }, (_, i) => pageOf(`http://a.test/${i}`, 'a', i));
    const { feeder, left } = feederOf(pages, 100);
    feeder.join(pages[1]!);
    const first = await feeder.next(2);
    expect(first.map(({ page }) => page.hash)).toEqual([0]);
    feeder.join(pages[3]!);
    left.delete(pages[3]!);
    feeder.noteWritten([pages[3]!]);
    expect((await feeder.next(2)).map(({ page }) => page.hash)).toEqual([2]);
  });
});

it.each(Array.from({ length: 150 }, (_, seed) => seed + 1))(
  'each page of any batches is returned once, and memory is bounded: seed %i',
  async (seed) => {
    const random = randomOf(seed);
    const pages = randomBatches(random);
    const maxPages = 1 + random(12);
    const { feeder, queues } = feederOf(pages, maxPages);
    const returned: string[] = [];
    for (let steps = 0; !feeder.ended || queues.queued > 0; steps++) {
      expect(steps).toBeLessThan(10_000);
      const limit = 1 + random(20);
      const items = random(2) === 0 ? await feeder.next(limit) : await feeder.refill(limit);
      enqueue(queues, items);
      returned.push(...items.map(({ page }) => page.key));
      for (const { queueId } of items) expect(queues.lengthOf(queueId)).toBeLessThanOrEqual(maxPages);
      for (let visits = random(8); visits > 0; visits--) {
        const next = queues.next(steps);
        if (next.kind === 'item') queues.done(next.queueId, steps);
      }
    }
    const wanted = pages.map(({ key }) => key).filter((key) => !key.endsWith('.gif'));
    expect(returned.toSorted()).toEqual(wanted.toSorted());
    expect(feeder.filtered).toBe(pages.length - wanted.length);
  },
);
