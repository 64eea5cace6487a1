import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseConf } from '../../../src/core/conf/properties.js';
import type { ModifiedState, VisitedPage } from '../../../src/core/schedule/fetch-schedule.js';
import { makeSchedule } from '../../../src/plugin/chosen-by-class.js';

/** Pages of high score are fetched again sooner (db.fetch.schedule.score.*; feature row C44). */

const NOW = 1_700_000_000_000;
const DAY = 86_400;

const scheduleOf = (params: Record<string, string>) => makeSchedule(parseConf(params).conf);
const page = (values: Partial<VisitedPage> = {}): VisitedPage => ({
  fetchTime: NOW,
  fetchInterval: 30 * DAY,
  retries: 0,
  modifiedTime: 0,
  ...values,
});
/** Days until the next fetch. */
function waitOf(
  params: Record<string, string>,
  values: Partial<VisitedPage>,
  state: ModifiedState = 'unknown',
): number {
  return (scheduleOf(params).afterFetch(page(values), state).fetchTime - NOW) / 1000 / DAY;
}

describe('with db.fetch.schedule.score.exponent', () => {
  const linear = { 'db.fetch.schedule.score.exponent': '1' };

  it.each([
    [undefined, 30],
    [0, 30],
    [0.5, 30],
    [1, 30],
    [2, 15],
    [10, 3],
    [30, 1],
    [1e9, 1],
  ])('1, a page of score %s waits %d of its 30 days', (score, days) => expect(waitOf(linear, { score })).toBe(days));
  it.each([
    ['0', 30],
    ['0.5', 15],
    ['2', 1.875],
  ])('%s, a page of score 4 waits %d of its 30 days', (exponent, days) =>
    expect(waitOf({ 'db.fetch.schedule.score.exponent': exponent }, { score: 4 })).toBe(days),
  );
  it('compares the score with db.fetch.schedule.score.base', () => {
    const params = { ...linear, 'db.fetch.schedule.score.base': '0.001' };
    expect([0.001, 0.01].map((score) => waitOf(params, { score }))).toEqual([30, 3]);
  });
  it('waits db.fetch.schedule.score.min_interval at least, unless the interval is shorter', () => {
    const params = { ...linear, 'db.fetch.schedule.score.min_interval': '432000' };
    expect(waitOf(params, { score: 100 })).toBe(5);
    expect(waitOf(params, { score: 100, fetchInterval: DAY })).toBe(1);
  });
  it('waits the shortest interval of the adaptive schedule, and of the host, at least', () => {
    const adaptive = {
      ...linear,
      'db.fetch.schedule.class': 'AdaptiveFetchSchedule',
      'db.fetch.schedule.score.min_interval': '1',
      'db.fetch.schedule.adaptive.min_interval': '172800',
      'db.fetch.schedule.adaptive.host.rules': 'slow.test 864000 default',
    };
    expect(waitOf(adaptive, { score: 1e6, host: 'a.test' })).toBe(2);
    expect(waitOf(adaptive, { score: 1e6, host: 'slow.test' })).toBe(10);
  });
  it.each(['DefaultFetchSchedule', 'AdaptiveFetchSchedule', 'MimeAdaptiveFetchSchedule'])(
    '%s keeps the interval, so that it does not become shorter at each visit',
    (name) => {
      const schedule = scheduleOf({ ...linear, 'db.fetch.schedule.class': name });
      expect(schedule.afterFetch(page({ score: 10 }), 'unknown')).toMatchObject({
        fetchInterval: 30 * DAY,
        fetchTime: NOW + 3 * DAY * 1000,
      });
    },
  );
  it('leaves a fixed interval, a gone page and a failed one as they are', () => {
    const schedule = scheduleOf(linear);
    const best = page({ score: 10 });
    expect(schedule.afterFetch({ ...best, fixedInterval: 30 * DAY }, 'unknown').fetchTime).toBe(NOW + 30 * DAY * 1000);
    expect(schedule.afterGone(best).fetchTime).toBe(NOW + 45 * DAY * 1000);
    expect(schedule.afterRetry(best).fetchTime).toBe(NOW + DAY * 1000);
  });

  it('never makes a page later, nor a page of higher score later than one of lower score, for any input', () => {
    const score = fc.double({ min: 0, noNaN: true });
    const state = fc.constantFrom<ModifiedState>('unknown', 'modified', 'notmodified');
    const params = fc.record({
      'db.fetch.schedule.class': fc.constantFrom('Default', 'Adaptive', 'MimeAdaptive'),
      'db.fetch.schedule.score.exponent': fc.double({ min: 0, max: 4, noNaN: true }).map((value) => value.toFixed(9)),
      'db.fetch.schedule.score.base': fc.double({ min: 1e-9, max: 1e9, noNaN: true }).map((value) => value.toFixed(9)),
      'db.fetch.schedule.score.min_interval': fc.integer({ min: 1, max: 400 * DAY }).map(String),
    });
    const visited = fc.record({ fetchInterval: fc.nat(2_147_483_647), modifiedTime: fc.nat(NOW) });
    fc.assert(
      fc.property(params, visited, score, score, state, (given, values, one, other, is) => {
        const schedule = scheduleOf(given);
        const timing = (of: number | undefined) => schedule.afterFetch(page({ ...values, score: of }), is);
        const [lower, higher] = [Math.min(one, other), Math.max(one, other)].map(timing);
        expect(higher!.fetchTime).toBeLessThanOrEqual(lower!.fetchTime);
        expect(lower!.fetchTime).toBeLessThanOrEqual(timing(undefined).fetchTime);
        const least = Math.min(
          Number(given['db.fetch.schedule.score.min_interval']) * 1000,
          timing(undefined).fetchTime - NOW,
        );
        expect(higher!.fetchTime - NOW).toBeGreaterThanOrEqual(least);
        expect(Number.isSafeInteger(higher!.fetchTime)).toBe(true);
        expect({ ...higher, fetchTime: 0 }).toEqual({ ...timing(undefined), fetchTime: 0 });
      }),
      { numRuns: 500 },
    );
  });
});
