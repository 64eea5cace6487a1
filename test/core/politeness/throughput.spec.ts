import { describe, expect, it } from 'vitest';
import { ThroughputWatch, timeLimitAt } from '../../../src/core/politeness/throughput.js';

it.each([
  [-1, Infinity],
  [0, 1000],
  [10, 601_000],
])('fetcher.timelimit.mins %s ends a fetch started at 1000 at %s', (minutes, expected) => {
  expect(timeLimitAt(1000, minutes)).toBe(expected);
});

describe('fetcher.throughput.threshold', () => {
  const rules = { pagesPerSecond: 2, retries: 2, checkAfter: 0, every: 5000 };
  /** Verdicts at 5 s, 10 s, … for the pages fetched in each five seconds. */
  const verdicts = (counts: number[], changed: Partial<typeof rules> = {}) => {
    const watch = new ThroughputWatch({ ...rules, ...changed }, 0);
    let pages = 0;
    return counts.map((count, i) => watch.check((i + 1) * 5000, (pages += count)));
  };

  it('stops after more than `retries` slow measurements in a row, for good', () => {
    expect(verdicts([9, 9, 9, 100])).toEqual(['slow', 'slow', 'stop', 'stop']);
  });

  it('resets the count after a fast measurement', () => {
    expect(verdicts([9, 9, 10, 9, 9])).toEqual(['slow', 'slow', 'ok', 'slow', 'slow']);
  });

  it('does not report slow throughput before check.after', () => {
    expect(verdicts([0, 0, 0, 0, 0], { checkAfter: 15_000 })).toEqual(['ok', 'ok', 'slow', 'slow', 'stop']);
  });

  it('is off with a negative threshold', () => {
    expect(verdicts([0, 0, 0, 0], { pagesPerSecond: -1 })).toEqual(['ok', 'ok', 'ok', 'ok']);
  });

  it('measures over the elapsed time, however often it is called', () => {
    const watch = new ThroughputWatch(rules, 0);
    expect([1, 100, 4999].map((now) => watch.check(now, 0))).toEqual(['ok', 'ok', 'ok']);
    expect(watch.check(20_000, 40)).toBe('ok');
    expect(watch.check(30_000, 59)).toBe('slow');
    expect(watch.check(30_001, 59)).toBe('slow');
  });
});
