import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FetchQueues } from '../../../src/core/politeness/fetch-queues.js';
import type { QueueRules } from '../../../src/core/politeness/queue-rules.js';
import { ask, fill, queues, rules } from './queues-under-test.js';

describe('exceptions of a fetch queue (fetcher.max.exceptions.per.queue)', () => {
  const failing = (changed: Partial<QueueRules> = {}) =>
    fill(queues({ delayMs: 1000, exceptionDelay: 1000, ...changed }), ...'123456789'.split('').map((n) => `a${n}`));

  /** Lets one page after another fail at the time it starts. @returns the start times */
  const starts = (fetching: FetchQueues<string>, count: number): number[] => {
    const seen: number[] = [];
    for (let now = 0; seen.length < count;) {
      const next = fetching.next(now);
      if (next.kind === 'empty') break;
      if (next.kind === 'wait') now = next.until;
      else {
        seen.push(now);
        fetching.done(next.queueId, now, { exception: true });
      }
    }
    return seen;
  };

  it('add 1, 2, 4, 8 times the exception delay to the delay', () => {
    expect(starts(failing({ maxExceptions: -1 }), 5)).toEqual([0, 2000, 5000, 10_000, 19_000]);
  });

  it('dismiss the queue when they reach the maximum', () => {
    const fetching = failing({ maxExceptions: 2, exceptionDelay: 0 });
    ask(fetching, 0);
    expect(fetching.done('a', 0, { exception: true }).reason).toBe('none');
    ask(fetching, 1000);
    const { items, reason } = fetching.done('a', 1000, { exception: true });
    expect([items.length, reason, fetching.queued, fetching.add('a', 'x')]).toEqual([7, 'exceptions', 0, false]);
  });

  it('dismiss the queue for as long as they count: then its host is tried again', () => {
    const fetching = failing({ maxExceptions: 2, exceptionDelay: 0, exceptionsClearAfter: 10_000 });
    for (const now of [0, 1000]) {
      ask(fetching, now);
      fetching.done('a', now, { exception: true });
    }
    fill(fetching, 'b1');
    expect([ask(fetching, 11_000), fetching.add('a', 'a')]).toEqual(['b1', false]);
    expect([ask(fetching, 11_001), fetching.add('a', 'a2'), ask(fetching, 11_001)]).toEqual(['empty', true, 'a2']);
    expect(fetching.done('a', 11_001, { exception: true }).reason).toBe('none');
    fill(fetching, 'a3');
    ask(fetching, 12_001);
    expect(fetching.done('a', 12_001, { exception: true }).reason).toBe('exceptions');
    expect(fetching.add('a', 'a4')).toBe(false);
  });

  it('no longer count after exceptionsClearAfter', () => {
    const fetching = fill(
      queues({ delayMs: 0, exceptionDelay: 0, maxExceptions: 2, exceptionsClearAfter: 1000 }),
      'a1',
    );
    ask(fetching, 0);
    fetching.done('a', 0, { exception: true });
    for (const now of [10, 500, 900]) ask(fetching, now);
    fill(fetching, 'a2', 'a3', 'a4');
    ask(fetching, 1000);
    expect(fetching.done('a', 1000, { exception: true }).reason).toBe('none');
    ask(fetching, 1999);
    expect(fetching.done('a', 1999, { exception: true }).reason).toBe('exceptions');
  });

  it('count in a row: a success clears them', () => {
    const fetching = failing({ maxExceptions: 2, exceptionDelay: 0, delayMs: 0 });
    for (const exception of [true, false, true, false, true]) {
      ask(fetching, 0);
      expect(fetching.done('a', 0, { exception }).reason).toBe('none');
    }
    ask(fetching, 0);
    expect(fetching.done('a', 0, { exception: true }).reason).toBe('exceptions');
  });

  it('in a row are not interrupted by a page released without a request', () => {
    const fetching = failing({ maxExceptions: 2, exceptionDelay: 0, delayMs: 0 });
    for (const [end, reason] of [
      [{ exception: true }, 'none'],
      [{ release: true }, 'none'],
      [{ exception: true }, 'exceptions'],
    ] as const) {
      ask(fetching, 0);
      expect(fetching.done('a', 0, end).reason).toBe(reason);
    }
  });

  it('still count before exceptionsClearAfter in a queue that was empty', () => {
    const fetching = fill(
      queues({ delayMs: 0, exceptionDelay: 0, maxExceptions: 2, exceptionsClearAfter: 1000 }),
      'a1',
    );
    ask(fetching, 0);
    fetching.done('a', 0, { exception: true });
    for (const now of [10, 500, 900]) ask(fetching, now);
    fill(fetching, 'a2');
    ask(fetching, 999);
    expect(fetching.done('a', 999, { exception: true }).reason).toBe('exceptions');
  });

  it('that defer a queue beyond the end of the task empty it at once', () => {
    const fetching = failing({ endsAt: 10_000 });
    ask(fetching, 0);
    const { items, reason } = fetching.done('a', 0, { exception: true, retryAfter: 10_001 });
    expect([items.length, reason]).toEqual([8, 'time-limit']);
  });

  it.each([
    ['by at most maxBackOffMs', { exception: true, failuresBefore: 40 }, 61_000],
    ['counting the failures before the task', { exception: true, failuresBefore: 2 }, 1000 + 4000],
    ['to Retry-After when that is longer', { exception: true, retryAfter: 7000 }, 7000],
    ['by their own back-off when Retry-After is shorter', { exception: true, retryAfter: 1 }, 2000],
  ])('lengthen the delay %s', (_, end, until) => {
    const fetching = failing({ maxBackOffMs: 60_000 });
    ask(fetching, 0);
    fetching.done('a', 0, end);
    expect([ask(fetching, 0), fetching.deferredUntil('a')]).toEqual([`wait ${until}`, until]);
    fetching.lift('a', 0);
    expect(ask(fetching, 1000)).toBe('a2');
  });

  it.each<[string, (fetching: FetchQueues<string>) => void]>([
    ['a Retry-After', (fetching) => void fetching.done('a', 0, { exception: true, retryAfter: 60_000 })],
    ['a deferral', (fetching) => (fetching.deferUntil('a', 60_000), void fetching.done('a', 0))],
  ])('that come later do not shorten the wait set by %s', (_, defer) => {
    const fetching = failing({ threads: 2 });
    for (let i = 0; i < 2; i++) ask(fetching, 0);
    defer(fetching);
    fetching.done('a', 10, { exception: true });
    expect([fetching.deferredUntil('a'), ask(fetching, 10)]).toEqual([60_000, 'wait 60000']);
  });

  it('at the same instant lengthen the delay once, by the longest back-off', () => {
    const fetching = failing({ threads: 4, minDelayMs: 1000, exceptionDelay: 5000 });
    for (let i = 0; i < 4; i++) ask(fetching, 0);
    for (let i = 0; i < 4; i++) fetching.done('a', 0, { exception: true, failuresBefore: 12 });
    expect(fetching.deferredUntil('a')).toBe(1000 + rules.maxBackOffMs);
  });

  it('never defer a queue for longer than delay plus maxBackOffMs, however many requests are running', () => {
    const end = fc.record({ after: fc.nat(2000), exception: fc.boolean(), failuresBefore: fc.nat(40) });
    const scenario = fc.record({
      delay: fc.nat(5000),
      maxBackOffMs: fc.nat(100_000),
      bursts: fc.array(fc.array(end, { minLength: 1, maxLength: 8 }), { maxLength: 10 }),
    });
    fc.assert(
      fc.property(scenario, ({ delay, maxBackOffMs, bursts }) => {
        const fetching = queues({ threads: 8, delayMs: delay, minDelayMs: delay, maxBackOffMs, maxExceptions: -1 });
        let now = 0;
        for (const burst of bursts) {
          now = Math.max(now, fetching.deferredUntil('a')) + delay;
          burst.forEach((_, i) => fetching.add('a', `a${i}`));
          for (const _ of burst) expect(fetching.next(now).kind).toBe('item');
          for (const { after, ...how } of burst) {
            now += after;
            fetching.done('a', now, how);
            expect(fetching.deferredUntil('a')).toBeLessThanOrEqual(now + delay + maxBackOffMs);
          }
        }
      }),
    );
  });

  it('in large number lead to finite start times', () => {
    const times = starts(failing({ maxExceptions: -1, exceptionDelay: 1e6 }), 9);
    expect(times.every(Number.isSafeInteger)).toBe(true);
  });
});
