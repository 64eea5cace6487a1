import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ScheduleProps, VisitedPage } from '../../../src/core/schedule/fetch-schedule.js';
import { SCHEDULE_NAMES, scheduleOf } from '../../../src/core/schedule/schedule-of.js';

const NOW = 1_700_000_000_000;
const DAY = 86_400;
const props: ScheduleProps = {
  'db.fetch.interval.default': 30 * DAY,
  'db.fetch.interval.max': 90 * DAY,
  'db.fetch.schedule.adaptive.inc_rate': 0.4,
  'db.fetch.schedule.adaptive.dec_rate': 0.2,
  'db.fetch.schedule.adaptive.min_interval': 60,
  'db.fetch.schedule.adaptive.max_interval': 365 * DAY,
  'db.fetch.schedule.adaptive.sync_delta': true,
  'db.fetch.schedule.adaptive.sync_delta_rate': 0.3,
};
const page = (values: Partial<VisitedPage> = {}): VisitedPage => ({
  fetchTime: NOW,
  fetchInterval: DAY,
  retries: 2,
  modifiedTime: 0,
  ...values,
});

describe('choice of a schedule', () => {
  it.each([...SCHEDULE_NAMES, 'org.apache.nutch.crawl.DefaultFetchSchedule'])('%s exists', (name) => {
    expect(scheduleOf(name, props).initial(NOW)).toEqual({
      fetchTime: NOW,
      fetchInterval: 30 * DAY,
      retries: 0,
      modifiedTime: 0,
    });
  });
  it('names the schedules there are when it does not know one', () => {
    expect(() => scheduleOf('org.example.Mine', props)).toThrow(/Mine.*DefaultFetchSchedule, AdaptiveFetchSchedule/);
    expect(() => scheduleOf('', props)).toThrow(RangeError);
  });
});

describe('default schedule', () => {
  const schedule = scheduleOf('DefaultFetchSchedule', props);

  it('comes back after the interval and forgets retries', () => {
    const next = { fetchTime: NOW + DAY * 1000, fetchInterval: DAY, retries: 0, modifiedTime: 5 };
    expect(schedule.afterFetch(page({ modifiedTime: 5 }), 'modified')).toEqual(next);
  });
  it('uses the default interval for a page without one', () => {
    expect(schedule.afterFetch(page({ fetchInterval: 0 }), 'unknown').fetchInterval).toBe(30 * DAY);
  });
  it('waits half as long again for a gone page', () => {
    const next = schedule.afterGone(page());
    expect(next).toMatchObject({ fetchInterval: 1.5 * DAY, fetchTime: NOW + 1.5 * DAY * 1000 });
  });
  it('never waits longer than nine tenths of the maximum for a gone page', () => {
    expect(schedule.afterGone(page({ fetchInterval: 60 * DAY })).fetchInterval).toBe(81 * DAY);
    expect(schedule.afterGone(page({ fetchInterval: 500 * DAY })).fetchInterval).toBe(81 * DAY);
  });
  it('tries again tomorrow after a temporary failure', () => {
    expect(schedule.afterRetry(page())).toEqual({
      fetchTime: NOW + DAY * 1000,
      fetchInterval: DAY,
      retries: 3,
      modifiedTime: 0,
    });
  });
  it('starts afresh where the interval is beyond the maximum', () => {
    const next = schedule.forceRefetch(page({ fetchInterval: 400 * DAY, modifiedTime: 7 }));
    expect(next).toEqual({ fetchTime: NOW, fetchInterval: 81 * DAY, retries: 0, modifiedTime: 0 });
  });
  it.each([
    [NOW, true],
    [NOW - 1, true],
    [NOW + 1, false],
    [NOW + 90 * DAY * 1000, false],
    [NOW + 90 * DAY * 1000 + 1, true],
  ])('a page of time %i is due: %s', (fetchTime, due) => {
    expect(schedule.due(page({ fetchTime }), NOW).due).toBe(due);
  });
  it('pulls a page that is too far ahead to now', () => {
    const far = page({ fetchTime: NOW + 400 * DAY * 1000, fetchInterval: 400 * DAY });
    expect(schedule.due(far, NOW).timing).toMatchObject({ fetchTime: NOW, fetchInterval: 81 * DAY });
  });
});

describe('adaptive schedule', () => {
  const schedule = scheduleOf('AdaptiveFetchSchedule', props);

  it('keeps to a fixed interval whatever the page does', () => {
    const fixed = page({ fixedInterval: 3600, modifiedTime: NOW - 9_000_000 });
    for (const state of ['unknown', 'modified', 'notmodified'] as const) {
      expect(schedule.afterFetch(fixed, state)).toMatchObject({ fetchInterval: 3600, fetchTime: NOW + 3_600_000 });
    }
  });

  it('stays within its bounds and never schedules into the past', () => {
    fc.assert(
      fc.property(
        fc.nat(2_147_483_647),
        fc.nat(NOW),
        fc.constantFrom('unknown' as const, 'modified' as const, 'notmodified' as const),
        (fetchInterval, modifiedTime, state) => {
          const next = schedule.afterFetch(page({ fetchInterval, modifiedTime }), state);
          expect(next.fetchInterval).toBeGreaterThanOrEqual(60);
          expect(next.fetchInterval).toBeLessThanOrEqual(365 * DAY);
          expect(next.fetchTime).toBeGreaterThanOrEqual(NOW);
          expect(Number.isSafeInteger(next.fetchTime)).toBe(true);
        },
      ),
    );
  });
});
