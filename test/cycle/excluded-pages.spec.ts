import { describe, expect, it } from 'vitest';
import { EXCLUDED_HOST, WAITING } from '../../src/core/job/fetch-counters.js';
import { unreverseUrl } from '../../src/core/url/row-key.js';
import type { FetchItem } from '../../src/cycle/fetch/chunk-feeder.js';
import { type ExcludedHost, ExcludedPages } from '../../src/cycle/fetch/excluded-pages.js';
import { feederOf, pageOf, randomBatches, randomOf } from './feeder.js';

/** Pages of blocked hosts that stay in their batch, and are read again when the block is over. */

const itemOf = (url: string, { hash = 0, batch = 'a', hops = 0 } = {}): FetchItem => {
  const page = pageOf(url, batch, hash);
  return { page, url, queueId: new URL(url).host, batch, hops };
};
const exclude = (pages: ExcludedPages, item: FetchItem, until: number, counter: 'host_blocked' | 'host_drained') =>
  pages.add(item, { counter, until }, 0);

describe('a host that is excluded', () => {
  it('excludes its further pages of the batch by the same counter until it is removed', () => {
    const pages = new ExcludedPages();
    exclude(pages, itemOf('http://a.test/1'), 5_000, 'host_drained');
    expect(pages.counterOf(itemOf('http://a.test/2'))).toBe('host_drained');
    expect(pages.counterOf(itemOf('http://a.test/2', { batch: 'b' }))).toBe(null);
    expect(pages.counterOf(itemOf('http://b.test/2'))).toBe(null);
    pages.remove(pages.due(5_000)[0]!);
    expect(pages.counterOf(itemOf('http://a.test/2'))).toBe(null);
    expect(sum(pages)).toBe(0);
  });

  it('has the first of its pages by their position, the last queue, and the keys that joined', () => {
    const pages = new ExcludedPages();
    exclude(pages, itemOf('http://a.test/5', { hash: 5 }), 0, 'host_blocked');
    exclude(pages, itemOf('http://a.test/3', { hash: 3, hops: 1 }), 0, 'host_blocked');
    exclude(pages, { ...itemOf('http://a.test/7', { hash: 7 }), queueId: '192.0.2.1' }, 0, 'host_blocked');
    expect(pages.due(1_000)).toMatchObject([
      {
        batch: 'a',
        host: 'test.a',
        queueId: '192.0.2.1',
        first: { mark: 'a', hash: 3, key: 'test.a:http/3' },
        joined: ['test.a:http/3'],
        counts: { host_blocked: 3, host_drained: 0, [WAITING.inQueue]: 0 },
      },
    ]);
  });

  it.each([
    ['when its block is over', 20_000, 20_000],
    ['after a second at the earliest', 10, 1_000],
    ['after a minute at the latest, as an operator may lift a block', 3_600_000, 60_000],
    ['after a minute if it is drained', Infinity, 60_000],
  ])('is checked %s', (_, until, at) => {
    const pages = new ExcludedPages();
    exclude(pages, itemOf('http://a.test/1'), until, 'host_blocked');
    expect(pages.due(at - 1)).toEqual([]);
    expect(pages.due(at + 1_000)).toHaveLength(1);
  });

  it('is checked again a second later at the earliest, and when it was postponed, then', () => {
    const pages = new ExcludedPages();
    exclude(pages, itemOf('http://a.test/1'), 0, 'host_blocked');
    const [host] = pages.due(1_000);
    expect(pages.due(1_999)).toEqual([]);
    pages.postpone(host!, 9_000, 2_000);
    expect(pages.due(8_999)).toEqual([]);
    expect(pages.due(9_999)).toEqual([host]);
  });

  it('is checked in time although its pages keep arriving', () => {
    const pages = new ExcludedPages();
    for (let now = 0; now < 20_000; now += 500)
      pages.add(itemOf(`http://a.test/${now}`), { counter: 'host_blocked', until: 5_000 }, now);
    expect(pages.due(5_000)).toHaveLength(1);
  });

  it('is read again with the pages that the time limit removed from its queue', () => {
    const pages = new ExcludedPages();
    pages.addOutOfTime(itemOf('http://a.test/1', { hash: 1 }));
    pages.addOutOfTime(itemOf('http://b.test/1'));
    expect([pages.counterOf(itemOf('http://a.test/2')), pages.due(100_000)]).toEqual([null, []]);
    exclude(pages, itemOf('http://a.test/2', { hash: 2 }), 0, 'host_drained');
    expect(pages.counterOf(itemOf('http://a.test/3'))).toBe('host_drained');
    const [host] = pages.due(200_000);
    expect(host).toMatchObject({ host: 'test.a', first: { hash: 1 } });
    pages.remove(host!);
    expect(pages.counts).toEqual({ host_blocked: 0, host_drained: 0, [WAITING.inQueue]: 1 });
  });

  it('is checked in turn, however many there are', () => {
    const pages = new ExcludedPages();
    for (let i = 0; i < 3_000; i++) exclude(pages, itemOf(`http://h${i}.test/`), 0, 'host_blocked');
    const checked = new Set<string>();
    for (let now = 1_000; now <= 3_000; now += 1_000) {
      for (const host of pages.due(now)) {
        checked.add(host.host);
        pages.postpone(host, 0, now);
      }
    }
    expect(checked.size).toBe(3_000);
  });

  it('is one of at most a thousand in a check', () => {
    const pages = new ExcludedPages();
    for (let i = 0; i < 1_001; i++) exclude(pages, itemOf(`http://h${i}.test/`), 0, 'host_blocked');
    expect(pages.due(1_000)).toHaveLength(1_000);
  });
});

it.each(Array.from({ length: 150 }, (_, seed) => seed + 1))(
  'each page of any batches is visited once, although hosts are blocked meanwhile: seed %i',
  async (seed) => {
    const random = randomOf(seed);
    const all = randomBatches(random);
    const { feeder, queues, left } = feederOf(all, 1 + random(12));
    const excluded = new ExcludedPages();
    const blocked = new Set<string>();
    const running: FetchItem[] = [];
    const visited: string[] = [];
    let now = 0;

    const add = (item: FetchItem): void => {
      const { host } = item.page;
      const counter = blocked.has(host) ? EXCLUDED_HOST.blocked : excluded.counterOf(item);
      if (counter) excluded.add(item, { counter, until: 0 }, now);
      else queues.add(item.queueId, item);
    };
    const queuesOf = new Map(all.map(({ host, key }) => [host, new URL(unreverseUrl(key)).host]));
    const check = (queueId: string): void => queues.purge(queueId).forEach(add);
    const isFree = ({ host, batch }: ExcludedHost): boolean =>
      !blocked.has(host) && !running.some((item) => item.page.host === host && item.batch === batch);

    for (let steps = 0; !feeder.ended || queues.queued > 0 || running.length > 0 || sum(excluded) > 0; steps++) {
      expect(steps).toBeLessThan(10_000);
      now += 1_000;
      // Pages of a redirect join a batch at any position.
      if (random(10) === 0 && left.size > 0) {
        const page = pageOf(`http://h${random(12)}.test/joined/${steps}.html`, `b${random(3)}`, random(80) - 40);
        if (steps < 500) {
          left.add(page);
          all.push(page);
          feeder.join(page);
          for (const item of await feeder.itemOf(page, 1)) add(item);
        }
      }
      const limit = 1 + random(20);
      for (const item of random(2) === 0 ? await feeder.next(limit) : await feeder.refill(limit)) add(item);
      if (random(4) === 0) {
        const host = `test.h${random(12)}`;
        blocked.add(host);
        // If another crawl has blocked it, its pages leave their queue later.
        if (random(2) === 0) check(queuesOf.get(host) ?? host);
      }
      if (random(3) === 0) blocked.clear();
      // The time limit: the delay of a queue ends after it.
      if (random(10) === 0) {
        for (const item of queues.purge(queuesOf.get(`test.h${random(12)}`) ?? '')) excluded.addOutOfTime(item);
      }
      for (const host of excluded.due(now).filter(isFree)) {
        check(host.queueId);
        excluded.remove(host);
        feeder.readAgain(host);
      }
      for (let n = random(8); n > 0; n--) {
        const next = queues.next(now);
        if (next.kind === 'item') running.push(next.item);
      }
      for (const item of running.splice(0, random(6))) {
        queues.done(item.queueId, now);
        visited.push(item.page.key);
        left.delete([...left].find(({ key }) => key === item.page.key)!);
        feeder.noteWritten([item.page]);
      }
    }
    const wanted = all.map(({ key }) => key).filter((key) => !key.endsWith('.gif'));
    const outOfTime = [...left].map(({ key }) => key).filter((key) => !key.endsWith('.gif'));
    expect([...visited, ...outOfTime].toSorted()).toEqual(wanted.toSorted());
    expect(excluded.counts[WAITING.inQueue]).toBe(outOfTime.length);
    expect(feeder.filtered).toBe(all.length - wanted.length);
  },
);

const sum = ({ counts }: ExcludedPages): number => counts.host_blocked + counts.host_drained;
