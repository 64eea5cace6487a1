import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backOff, isThrottled, isTrouble, retryAfter } from '../../../src/core/politeness/back-off.js';

const hour = 3_600_000;
const now = Date.UTC(2026, 0, 1, 12);

describe('the back-off after consecutive failures', () => {
  it.each([
    [0, 5_000],
    [1, 5_000],
    [2, 10_000],
    [3, 20_000],
    [4, 40_000],
    [11, hour],
    [1e9, hour],
  ])('after %i failures is %i ms', (failures, ms) => {
    expect(backOff(failures, { base: 5_000, max: hour })).toBe(ms);
  });

  it('is 0 when the base delay is 0', () => {
    expect(backOff(20, { base: 0, max: hour })).toBe(0);
  });

  it('never decreases with another failure and never exceeds its maximum', () => {
    fc.assert(
      fc.property(fc.nat(100), fc.nat(1e6), fc.nat(1e9), (failures, base, most) => {
        const [one, next] = [failures, failures + 1].map((n) => backOff(n, { base, max: most }));
        expect(next).toBeGreaterThanOrEqual(one!);
        expect(next).toBeLessThanOrEqual(most);
      }),
    );
  });
});

describe('Retry-After, delay-seconds or an HTTP date (RFC 9110 §10.2.3)', () => {
  it.each<[string | undefined, number | null]>([
    ['120', 120_000],
    [' 0 ', 0],
    ['1.5', 1_000],
    ['Thu, 01 Jan 2026 12:00:30 GMT', 30_000],
    ['Thursday, 01-Jan-26 12:00:30 GMT', 30_000],
    ['Thu Jan  1 12:00:30 2026', 30_000],
    ['Thu, 01 Jan 2026 11:00:00 GMT', 0],
    ['Thu, 01 Jan 2037 12:00:00 GMT', hour],
    ['99999999999999999999', hour],
    ['60, 120', 60_000],
    ['-5', null],
    ['soon', null],
    ['', null],
    ['12 minutes', null],
    ['2026-01-01T12:00:30Z', null],
    [undefined, null],
  ])('%j is %s ms', (value, ms) => {
    expect(retryAfter(value, now, hour)).toBe(ms);
  });

  it('is null or within its bound for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[\d,. ]{0,40}$/)), (text) => {
        const ms = retryAfter(text, now, hour);
        expect(ms === null || (ms >= 0 && ms <= hour)).toBe(true);
      }),
    );
  });
});

it.each([
  [200, false, false],
  [304, false, false],
  [403, false, false],
  [404, false, false],
  [429, true, true],
  [500, true, false],
  [503, true, true],
  [599, true, false],
])('HTTP %i is a failure: %s, is throttling (RFC 6585 §4, RFC 9110 §15.6.4): %s', (status, trouble, throttled) => {
  expect([isTrouble(status), isThrottled(status)]).toEqual([trouble, throttled]);
});
