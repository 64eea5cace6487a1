import { describe, expect, it } from 'vitest';
import { defaults } from '../../src/core/conf/properties.js';
import { DefaultSchedule } from '../../src/core/schedule/default-schedule.js';
import type { FetchSchedule } from '../../src/core/schedule/fetch-schedule.js';
import { guardedSchedule } from '../../src/plugin/external-schedule.js';

/** What an external schedule may decide about the next visit of a page: the default schedule decides the rest. */

const page = { fetchTime: 1_000, fetchInterval: 60, retries: 0, modifiedTime: 0 };
const own = { fetchTime: 6, fetchInterval: 1, retries: 2, modifiedTime: 3 };
const usual = new DefaultSchedule(defaults);
const failures: unknown[] = [];
const guarded = (made: unknown) => guardedSchedule(made, defaults, (error) => String(failures.push(error)));

describe('an external schedule', () => {
  it.each<[keyof FetchSchedule, unknown[]]>([
    ['initial', [5]],
    ['afterFetch', [page, 'modified']],
    ['afterGone', [page]],
    ['afterRetry', [page]],
    ['forceRefetch', [page]],
    ['due', [page, 5]],
  ])('is called by %s with itself as this; the default one is called if it has no such method', (name, args) => {
    const answer = name === 'due' ? { due: false, timing: own } : own;
    const made: Record<string, unknown> = { answer };
    made[name] = function (this: typeof made) {
      return this['answer'];
    };
    const schedule = guarded(made)!;
    const ask = (of: FetchSchedule, method: keyof FetchSchedule) =>
      (of[method] as (...given: unknown[]) => unknown).apply(of, args);
    expect(ask(schedule, name)).toEqual(answer);
    const other = guarded({ [name === 'initial' ? 'due' : 'initial']: () => answer })!;
    expect(ask(other, name)).toEqual(ask(usual, name));
  });

  it.each([
    // No Date can represent these.
    { fetchTime: 8.64e15 + 1 },
    { modifiedTime: Infinity },
    { fetchTime: NaN },
    { fetchTime: -1 },
    { fetchTime: null },
    { fetchInterval: -1 },
    { fetchInterval: 2_147_483_648 },
    // The table stores them in 16 bits.
    { retries: 32_768 },
    { retries: -1 },
    { retries: '0' },
  ])('that returns a page with %j is replaced by the default one', (answer) => {
    failures.length = 0;
    const schedule = guarded({
      afterFetch: () => ({ ...own, ...answer }),
      due: () => ({ due: true, timing: { ...own, ...answer } }),
    })!;
    expect(schedule.afterFetch(page, 'modified')).toEqual(usual.afterFetch(page));
    expect(schedule.due(page, 5)).toEqual(usual.due(page, 5));
    expect(failures).toHaveLength(2);
  });

  it('that changes the page in place to what is none is replaced by the default one', () => {
    const spoil = (own: Record<string, unknown>) => Object.assign(own, { fetchInterval: NaN, fetchTime: NaN });
    const schedule = guarded({ afterFetch: spoil, due: (own: Record<string, unknown>) => void spoil(own) })!;
    const given = { ...page };
    expect(schedule.afterFetch(given, 'modified')).toEqual(usual.afterFetch(page));
    expect(schedule.due(given, 5)).toEqual(usual.due(page, 5));
    expect(given).toEqual(page);
  });

  it.each([{ due: 'yes', timing: own }, { due: 1, timing: own }, { timing: own }, { due: true }, true, null])(
    'that returns %j for due is replaced by the default one',
    (answer) => {
      const schedule = guarded({ due: () => answer })!;
      expect(schedule.due(page, 5)).toEqual(usual.due(page, 5));
      expect(schedule.due({ ...page, fetchTime: 4 }, 5)).toEqual(usual.due({ ...page, fetchTime: 4 }, 5));
    },
  );

  it.each([null, undefined, 7, {}, { initial: 5 }])('is refused when it is %j', (made) =>
    expect(guarded(made)).toBeUndefined(),
  );
});
