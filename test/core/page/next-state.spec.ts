import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextState, type PageState } from '../../../src/core/page/next-state.js';
import { PAGE_STATUS_CODES } from '../../../src/core/page/page-status.js';
import { AdaptiveSchedule } from '../../../src/core/schedule/adaptive-schedule.js';
import { DefaultSchedule } from '../../../src/core/schedule/default-schedule.js';

const NOW = 1_700_000_000_000;
const DAY = 86_400;
const props = {
  'db.fetch.interval.default': 30 * DAY,
  'db.fetch.interval.max': 90 * DAY,
  'db.fetch.retry.max': 3,
  'db.fetch.schedule.adaptive.inc_rate': 0.4,
  'db.fetch.schedule.adaptive.dec_rate': 0.2,
  'db.fetch.schedule.adaptive.min_interval': 60,
  'db.fetch.schedule.adaptive.max_interval': 365 * DAY,
  'db.fetch.schedule.adaptive.sync_delta': true,
  'db.fetch.schedule.adaptive.sync_delta_rate': 0.3,
  'db.fetch.schedule.score.base': 1,
  'db.fetch.schedule.score.exponent': 0,
  'db.fetch.schedule.score.min_interval': 86_400,
};
const schedules = {
  default: new DefaultSchedule(props),
  adaptive: new AdaptiveSchedule(props),
};
const state = (values: Partial<PageState>): PageState => ({
  status: 2,
  fetchTime: NOW,
  prevFetchTime: NOW - 5000,
  fetchInterval: DAY,
  retries: 0,
  modifiedTime: 0,
  prevModifiedTime: 0,
  signature: null,
  prevSignature: null,
  lastModified: null,
  parseFailed: false,
  ...values,
});
const next = (values: Partial<PageState>) => nextState(state(values), schedules.default, props);

describe('the next state of a page in the batch', () => {
  it.each([
    ['fetched', { status: 2 }, 2],
    ['fetched for the first time', { status: 2, signature: 'a' }, 2],
    ['fetched with other content', { status: 2, signature: 'a', prevSignature: 'b' }, 2],
    ['fetched with the same content', { status: 2, signature: 'a', prevSignature: 'a' }, 6],
    ['not modified', { status: 6, signature: 'a', prevSignature: 'b' }, 6],
    ['temporary redirect', { status: 4 }, 4],
    ['redirect with the signature of older content', { status: 5, signature: 'a', prevSignature: 'a' }, 5],
    ['gone', { status: 3 }, 3],
    ['first failure', { status: 34, retries: 0 }, 1],
    ['second failure', { status: 34, retries: 1 }, 1],
    ['third failure', { status: 34, retries: 2 }, 3],
    ['not parseable', { status: 2, parseFailed: true }, 9],
    ['never fetched', { status: 1 }, 1],
  ])('%s: %j has status %i', (_, values, status) => {
    expect(next(values).status).toBe(status);
  });

  it('is due a day later, with retries unchanged, when no request was sent', () => {
    expect(next({ status: 34, retries: 2, unasked: true })).toMatchObject({
      status: 1,
      retries: 2,
      fetchTime: NOW + DAY * 1000,
    });
  });

  it('is due after its interval, with retries reset', () => {
    expect(next({ retries: 2 })).toEqual({
      status: 2,
      fetchTime: NOW + DAY * 1000,
      prevFetchTime: NOW - 5000,
      fetchInterval: DAY,
      retries: 0,
      modifiedTime: 0,
      prevModifiedTime: 0,
      unconditional: false,
    });
  });

  it('is due a day after a temporary failure and keeps its interval', () => {
    expect(next({ status: 34, fetchInterval: 60 })).toMatchObject({
      status: 1,
      fetchTime: NOW + DAY * 1000,
      retries: 1,
      fetchInterval: 60,
    });
  });

  it.each([
    ['gone', { status: 3 }, 0],
    ['failed too often', { status: 34, retries: 2 }, 3],
    ['not parseable', { status: 2, parseFailed: true }, 0],
  ])('lengthens the interval by half when %s', (_, values, retries) => {
    expect(next(values)).toMatchObject({ fetchInterval: 1.5 * DAY, fetchTime: NOW + 1.5 * DAY * 1000, retries });
  });

  it('takes the modified time from Last-Modified, unless that is in the future', () => {
    const dated = { modifiedTime: 111, lastModified: NOW - 1000 };
    expect(next(dated)).toMatchObject({ modifiedTime: NOW - 1000, prevModifiedTime: 111 });
    expect(next({ ...dated, lastModified: NOW + 1 })).toMatchObject({ modifiedTime: 111, prevModifiedTime: 0 });
  });

  it.each([4, 5])('keeps redirect status %d when the interval exceeds the maximum', (status) => {
    expect(next({ status, fetchInterval: 91 * DAY })).toMatchObject({ status, fetchInterval: 81 * DAY });
  });

  it('forces an unconditional fetch when the interval exceeds the maximum', () => {
    expect(next({ fetchInterval: 91 * DAY, modifiedTime: 5 })).toMatchObject({
      status: 1,
      fetchTime: NOW + 81 * DAY * 1000,
      fetchInterval: 81 * DAY,
      retries: 0,
      modifiedTime: 0,
      unconditional: true,
    });
    expect(next({ fetchInterval: 90 * DAY })).toMatchObject({ status: 2, unconditional: false });
  });

  it.each(['default', 'adaptive'] as const)('is valid for any input (%s schedule)', (name) => {
    const time = fc.integer({ min: 0, max: 4_000_000_000_000 });
    const hex = fc.option(fc.constantFrom('a', 'b'));
    fc.assert(
      fc.property(
        fc.record({ status: fc.integer(), fetchTime: time, retries: fc.nat(1000), modifiedTime: time, signature: hex }),
        fc.record({ prevSignature: hex, fetchInterval: fc.nat(2_147_483_647), parseFailed: fc.boolean() }),
        (a, b) => {
          const result = nextState(state({ ...a, ...b }), schedules[name], props);
          expect(PAGE_STATUS_CODES).toContain(result.status);
          expect(result.status).not.toBe(34);
          expect(result.fetchTime).toBeGreaterThanOrEqual(a.fetchTime);
          expect(Number.isSafeInteger(result.fetchTime)).toBe(true);
          expect(Number.isInteger(result.fetchInterval)).toBe(true);
        },
      ),
    );
  });
});
