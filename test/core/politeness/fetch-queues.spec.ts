import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FetchQueues } from '../../../src/core/politeness/fetch-queues.js';
import { ask, fill, queues } from './queues-under-test.js';

describe('a fetch queue with one thread (fetcher.server.delay)', () => {
  it('gives its first page at once and the next after the delay, counted from the end of the fetch', () => {
    const fetching = fill(queues(), 'a1', 'a2');
    expect(ask(fetching, 0)).toBe('a1');
    expect(ask(fetching, 6000)).toBe('wait Infinity');
    fetching.done('a', 7000);
    expect(ask(fetching, 11_999)).toBe('wait 12000');
    expect(ask(fetching, 12_000)).toBe('a2');
  });

  it('gives pages in the order in which they were added', () => {
    const fetching = fill(queues({ delayMs: 0 }), 'a1', 'a2', 'a3');
    const given = [1, 2, 3].map((now) => {
      const item = ask(fetching, now);
      fetching.done('a', now);
      return item;
    });
    expect(given).toEqual(['a1', 'a2', 'a3']);
    expect(ask(fetching, 4)).toBe('empty');
  });

  it('does not wait after a page that sent no request (robots denied)', () => {
    const fetching = fill(queues(), 'a1', 'a2');
    ask(fetching, 0);
    fetching.done('a', 10, { release: true });
    expect(ask(fetching, 10)).toBe('a2');
  });

  it('keeps the delay of an earlier page when a later one is released', () => {
    const fetching = fill(queues({ threads: 2, minDelayMs: 100 }), 'a1', 'a2', 'a3');
    ask(fetching, 0);
    ask(fetching, 0);
    fetching.done('a', 50);
    fetching.done('a', 60, { release: true });
    expect(ask(fetching, 60)).toBe('wait 150');
  });

  it('keeps its delay when it becomes empty and is filled again', () => {
    const fetching = fill(queues(), 'a1');
    ask(fetching, 0);
    fetching.done('a', 100);
    expect(ask(fetching, 200)).toBe('empty');
    fill(fetching, 'a2');
    expect(ask(fetching, 200)).toBe('wait 5100');
  });

  it('does not delay another queue', () => {
    const fetching = fill(queues(), 'a1', 'a2', 'b1');
    expect([ask(fetching, 0), ask(fetching, 0), ask(fetching, 0)]).toEqual(['a1', 'b1', 'wait Infinity']);
  });
});

describe('a fetch queue with several threads (fetcher.server.min.delay)', () => {
  it('runs one fetch per thread and waits for the minimum delay', () => {
    const fetching = fill(queues({ threads: 2, minDelayMs: 10 }), 'a1', 'a2', 'a3', 'a4');
    expect([ask(fetching, 0), ask(fetching, 0), ask(fetching, 0)]).toEqual(['a1', 'a2', 'wait Infinity']);
    fetching.done('a', 100);
    expect(ask(fetching, 105)).toBe('wait 110');
    expect(ask(fetching, 110)).toBe('a3');
  });

  it('alternates with other queues', () => {
    const fetching = fill(queues({ threads: 9, minDelayMs: 0 }), 'a1', 'a2', 'a3', 'b1', 'b2', 'b3');
    expect([1, 1, 1, 1, 1, 1].map((now) => ask(fetching, now))).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3']);
  });
});

it('a page that is added as the first one is given out before the others, after the delay', () => {
  const fetching = fill(queues({ delayMs: 10 }), 'a1', 'a2', 'b1');
  expect(ask(fetching, 0)).toBe('a1');
  fetching.done('a', 0);
  expect(fetching.add('a', 'a1', { first: true })).toBe(true);
  expect([0, 0, 10].map((now) => ask(fetching, now))).toEqual(['b1', 'wait 10', 'a1']);
});

describe('every second page of nextAlternating', () => {
  /** The queues of the pages that are given, each fetched at once. */
  const given = (fetching: FetchQueues<string>, n: number) =>
    Array.from({ length: n }, () => {
      const next = fetching.nextAlternating(0);
      if (next.kind !== 'item') return next.kind;
      fetching.done(next.queueId, 0);
      return next.queueId;
    });

  it('comes from the longest queue; the others come in the order in which queues became ready', () => {
    const fetching = fill(queues({ delayMs: 0 }), 'a1', 'b1', 'c1', 'c2', 'c3', 'c4', 'a2', 'b2');
    expect(given(fetching, 9).join(' ')).toBe('c a c b c a c b empty');
  });

  it('comes from another queue when the longest is waiting, busy or suspended', () => {
    const resting = fill(queues({ threads: 2, minDelayMs: 10 }), 'a1', 'b1', 'b2', 'b3');
    resting.deferUntil('b', 10);
    expect(given(resting, 2)).toEqual(['a', 'wait']);
    const busy = fill(queues(), 'a1', 'b1', 'b2', 'b3');
    expect([busy.nextAlternating(0), busy.nextAlternating(0), busy.nextAlternating(0)]).toMatchObject([
      { item: 'b1' },
      { item: 'a1' },
      { kind: 'wait', until: Infinity },
    ]);
    const suspended = fill(queues({ delayMs: 0 }), 'a1', 'b1', 'b2', 'b3');
    suspended.suspend('b');
    expect(given(suspended, 2)).toEqual(['a', 'wait']);
  });

  it('is also given after queues were removed and added again', () => {
    const fetching = fill(queues({ delayMs: 0 }), 'a1', 'a2');
    expect(given(fetching, 3)).toEqual(['a', 'a', 'empty']);
    fill(fetching, 'b1', 'a3');
    expect(given(fetching, 3).sort()).toEqual(['a', 'b', 'empty']);
    expect(fetching.queued).toBe(0);
  });
});

describe('settings of one fetch queue', () => {
  it('Crawl-delay changes a delay that is already running', () => {
    const fetching = fill(queues(), 'a1', 'a2');
    ask(fetching, 0);
    fetching.done('a', 1000);
    fetching.configure('a', { delayMs: 20_000 });
    expect(ask(fetching, 6000)).toBe('wait 21000');
    fetching.configure('a', { delayMs: 1000 });
    expect(ask(fetching, 6000)).toBe('a2');
  });

  it('the minimum delay replaces Crawl-delay with several threads (Nutch, fetcher.threads.per.queue)', () => {
    const fetching = fill(queues({ threads: 2, minDelayMs: 10 }), 'a1', 'a2', 'a3');
    ask(fetching, 0);
    fetching.configure('a', { delayMs: 20_000 });
    fetching.done('a', 0);
    expect(ask(fetching, 10)).toBe('a2');
  });

  it('a host may have its own number of threads', () => {
    const fetching = fill(queues(), 'a1', 'a2', 'b1', 'b2');
    fetching.configure('a', { threads: 2, minDelayMs: 0 });
    const given = [ask(fetching, 0), ask(fetching, 0), ask(fetching, 0), ask(fetching, 0)];
    expect(given.toSorted()).toEqual(['a1', 'a2', 'b1', 'wait Infinity']);
  });

  it('a deferred queue waits, and deferring it to an earlier time changes nothing', () => {
    const fetching = fill(queues(), 'a1', 'b1');
    fetching.deferUntil('a', 300_000);
    fetching.deferUntil('a', 100_000);
    expect([ask(fetching, 0), ask(fetching, 0)]).toEqual(['b1', 'wait 300000']);
    fetching.done('b', 0);
    expect(ask(fetching, 300_000)).toBe('a1');
  });
});

describe('a blocked fetch queue', () => {
  it('waits until the time of the last call, earlier or later than the one before', () => {
    const fetching = fill(queues(), 'a1');
    const waits = [100, 300, 200].map((time) => {
      fetching.blockUntil('a', time);
      return [ask(fetching, 0), fetching.deferredUntil('a')];
    });
    expect(waits).toEqual([
      ['wait 100', 100],
      ['wait 300', 300],
      ['wait 200', 200],
    ]);
    fetching.blockUntil('a', -Infinity);
    expect(ask(fetching, 0)).toBe('a1');
  });

  it('has a deferral apart from its block: each is cancelled alone', () => {
    const fetching = fill(queues(), 'a1');
    fetching.deferUntil('a', 100);
    fetching.blockUntil('a', 200);
    fetching.lift('a', 0);
    expect(ask(fetching, 0)).toBe('wait 200');
    fetching.deferUntil('a', 100);
    fetching.blockUntil('a', -Infinity);
    expect(ask(fetching, 0)).toBe('wait 100');
  });

  it('is deferred for at most one delay after its deferral was lifted, and not longer than before', () => {
    const fetching = fill(queues({ delayMs: 50 }), 'a1');
    fetching.deferUntil('a', 100);
    fetching.lift('a', 20);
    expect(ask(fetching, 20)).toBe('wait 70');
    fetching.lift('a', 60);
    expect(ask(fetching, 60)).toBe('wait 70');
  });

  it('that is not in memory is not made by the end of its block', () => {
    const fetching = queues();
    fetching.blockUntil('a', -Infinity);
    expect(fetching.size).toBe(0);
  });
});

describe('an empty fetch queue', () => {
  it('stays deferred until its time', () => {
    const fetching = fill(queues({ delayMs: 0 }), 'a1');
    ask(fetching, 0);
    fetching.deferUntil('a', 300_000);
    fetching.done('a', 0);
    for (const now of [10, 20, 30]) expect(ask(fetching, now)).toBe('empty');
    fill(fetching, 'a2');
    expect(ask(fetching, 40)).toBe('wait 300000');
  });
});

describe('dropping pages from their queues', () => {
  it('purge returns the waiting pages, and the queue accepts pages again', () => {
    const fetching = fill(queues({ delayMs: 0 }), 'a1', 'a2', 'a3', 'b1');
    ask(fetching, 0);
    expect(fetching.purge('a')).toEqual(['a2', 'a3']);
    expect([fetching.queued, fetching.inFlight]).toEqual([1, 1]);
    fetching.done('a', 0);
    expect(fetching.add('a', 'a4')).toBe(true);
    expect(fetching.purge('nobody')).toEqual([]);
  });

  it('dismiss returns the waiting pages, and the queue accepts no more', () => {
    const fetching = fill(queues(), 'a1', 'a2');
    expect(fetching.dismiss('a')).toEqual(['a1', 'a2']);
    expect(fetching.add('a', 'a3')).toBe(false);
    fetching.deferUntil('a', 1);
    expect([ask(fetching, 0), fetching.queued]).toEqual(['empty', 0]);
  });

  it('purgeAll empties all queues and does not affect running fetches', () => {
    const fetching = fill(queues(), 'a1', 'a2', 'b1', 'c1');
    ask(fetching, 0);
    expect([...fetching.purgeAll()].toSorted()).toEqual(['a2', 'b1', 'c1']);
    expect([fetching.queued, fetching.inFlight, ask(fetching, 0)]).toEqual([0, 1, 'empty']);
  });

  it('a queue whose next request would be after endsAt is emptied', () => {
    const fetching = fill(queues({ endsAt: 10_000 }), 'a1', 'a2', 'b1', 'b2');
    ask(fetching, 0);
    ask(fetching, 0);
    expect(fetching.done('a', 5000)).toEqual({ items: [], reason: 'none' });
    expect(fetching.done('b', 5001)).toEqual({ items: ['b2'], reason: 'time-limit' });
  });
});

describe('the memory of fetch queues', () => {
  it('does not keep empty queues whose delay has passed', () => {
    const fetching = queues({ delayMs: 10 });
    for (let i = 0; i < 1000; i++) {
      fetching.add(`host${i}`, 'x');
      const next = fetching.next(i);
      if (next.kind === 'item') fetching.done(next.queueId, i);
    }
    expect(fetching.size).toBeLessThan(20);
  });

  it.each(['__proto__', 'constructor', '', '\0', 'x'.repeat(5000)])('accepts %j as a queue id', (id) => {
    const fetching = queues();
    fetching.add(id, 'page');
    expect(fetching.next(0)).toEqual({ kind: 'item', item: 'page', queueId: id });
    fetching.done('unknown', 0);
    fetching.done(id, 0);
    fetching.done(id, 0);
    expect(fetching.inFlight).toBe(0);
  });
});

/** A simulation: fetches take random times, the clock jumps from event to event. */
interface Fetch {
  readonly queueId: string;
  readonly item: string;
  readonly start: number;
  readonly end: number;
  /** State of the queue at the start: running fetches, and when the last one ended. */
  readonly besides: number;
  readonly lastEnd: number;
}

function crawl(fetching: FetchQueues<string>, pages: [string, string][], durations: number[]): Fetch[] {
  for (const [queueId, item] of pages) fetching.add(queueId, item);
  const all: Fetch[] = [];
  const running: Fetch[] = [];
  const ended = new Map<string, number>();
  for (let now = 0, guard = 0; guard < 100_000; guard++) {
    const next = fetching.next(now);
    if (next.kind === 'item') {
      const took = durations[all.length % durations.length] ?? 0;
      const { queueId, item } = next;
      const besides = running.filter((other) => other.queueId === queueId).length;
      const fetch = { queueId, item, start: now, end: now + took, besides, lastEnd: ended.get(queueId) ?? -Infinity };
      all.push(fetch);
      running.push(fetch);
      continue;
    }
    running.sort((a, b) => a.end - b.end);
    const [first] = running;
    const until = next.kind === 'wait' ? next.until : Infinity;
    if (first === undefined && until === Infinity) return all;
    now = Math.min(until, first?.end ?? Infinity);
    if (first !== undefined && first.end === now) {
      running.shift();
      ended.set(first.queueId, now);
      fetching.done(first.queueId, now);
    }
  }
  throw new Error('no end');
}

const hosts = fc.integer({ min: 0, max: 6 }).map((n) => `h${n}`);
const scene = fc.record({
  pages: fc.array(hosts, { minLength: 1, maxLength: 60 }),
  durations: fc.array(fc.nat(300), { minLength: 1, maxLength: 10 }),
  threads: fc.integer({ min: 1, max: 3 }),
  delay: fc.nat(500),
  minDelay: fc.nat(50),
});

describe('fetch queues with random pages, times and settings', () => {
  it('lose no page, never exceed their threads, and keep the delay between requests', () => {
    fc.assert(
      fc.property(scene, ({ pages, durations, threads, delay, minDelay }) => {
        const items = pages.map((host, i): [string, string] => [host, `${host}/${i}`]);
        const fetching = queues({ threads, delayMs: delay, minDelayMs: minDelay });
        const fetched = crawl(fetching, items, durations);
        expect(fetched.map(({ item }) => item).toSorted()).toEqual(items.map(([, item]) => item).toSorted());
        expect([fetching.queued, fetching.inFlight]).toEqual([0, 0]);
        for (const { start, besides, lastEnd } of fetched) {
          expect(besides).toBeLessThan(threads);
          expect(start - lastEnd).toBeGreaterThanOrEqual(threads > 1 ? minDelay : delay);
        }
      }),
    );
  });

  it('never serve a queue twice while another ready queue waits', () => {
    fc.assert(
      fc.property(scene, ({ pages, threads }) => {
        const fetching = queues({ threads, delayMs: 0, minDelayMs: 0 });
        pages.forEach((host, i) => fetching.add(host, `${host}/${i}`));
        const left = new Map<string, number>();
        for (const host of pages) left.set(host, (left.get(host) ?? 0) + 1);
        let turns = new Set<string>();
        for (let now = 1, next = fetching.next(now); next.kind === 'item'; next = fetching.next(++now)) {
          const { queueId } = next;
          if (turns.has(queueId)) {
            for (const [host, count] of left) expect(count === 0 || turns.has(host)).toBe(true);
            turns = new Set();
          }
          turns.add(queueId);
          left.set(queueId, (left.get(queueId) ?? 0) - 1);
          fetching.done(queueId, now);
        }
      }),
    );
  });

  it('do not delay an old page when many new hosts arrive', () => {
    const fetching = queues({ delayMs: 0 });
    fill(fetching, 'a1', 'a2');
    ask(fetching, 0);
    fetching.done('a', 0);
    let asked = 0;
    for (let now = 1; asked < 10; now++, asked++) {
      fetching.add(`new${now}-1`, 'x');
      fetching.add(`new${now}-2`, 'x');
      if (ask(fetching, now) === 'a2') break;
    }
    expect(asked).toBeLessThan(3);
  });

  it('keep correct totals for any order of calls', () => {
    const call = fc.record({
      verb: fc.constantFrom('add', 'add', 'next', 'next', 'done', 'fail', 'purge', 'dismiss', 'delay', 'defer'),
      host: hosts,
      time: fc.nat(50),
    });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 200 }), (calls) => {
        const fetching = queues({ delayMs: 10, maxExceptions: 3 });
        const flying: string[] = [];
        let [now, inside] = [0, 0];
        for (const { verb, host, time } of calls) {
          now += time;
          if (verb === 'add') inside += Number(fetching.add(host, 'page'));
          else if (verb === 'next') {
            const next = fetching.next(now);
            if (next.kind !== 'item') continue;
            flying.push(next.queueId);
            inside -= 1;
          } else if (verb === 'purge') inside -= fetching.purge(host).length;
          else if (verb === 'dismiss') inside -= fetching.dismiss(host).length;
          else if (verb === 'delay') fetching.configure(host, { delayMs: time });
          else if (verb === 'defer') fetching.deferUntil(host, now + time);
          else inside -= fetching.done(flying.shift() ?? host, now, { exception: verb === 'fail' }).items.length;
          expect([fetching.queued, fetching.inFlight]).toEqual([inside, flying.length]);
        }
      }),
    );
  });
});
