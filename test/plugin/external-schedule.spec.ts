import { describe, expect, it } from 'vitest';
import { defaults } from '../../src/conf/properties.js';
import { DefaultSchedule } from '../../src/core/schedule/default-schedule.js';
import type { FetchSchedule } from '../../src/core/schedule/fetch-schedule.js';
import { guardedSchedule } from '../../src/plugin/external-schedule.js';

/** What a schedule from outside may say of the next visit of a page: the rest is said by the default schedule. */

const page = { fetchTime: 1_000, fetchInterval: 60, retries: 0, modifiedTime: 0 };
const own = { fetchTime: 6, fetchInterval: 1, retries: 2, modifiedTime: 3 };
const usual = new DefaultSchedule(defaults);
const failures: unknown[] = [];
const guarded = (made: unknown) => guardedSchedule(made, defaults, (error) => String(failures.push(error)));

describe('a schedule from outside', () => {
  it.each<[keyof FetchSchedule, unknown[]]>([
    ['initial', [5]],
    ['afterFetch', [page, 'modified']],
    ['afterGone', [page]],
    ['afterRetry', [page]],
    ['forceRefetch', [page]],
    ['due', [page, 5]],
  ])('is asked by %s, with itself at hand, and the default one where it has none', (name, args) => {
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
    // No Date holds these.
    { fetchTime: 8.64e15 + 1 },
    { modifiedTime: Infinity },
    { fetchTime: NaN },
    { fetchTime: -1 },
    { fetchTime: null },
    { fetchInterval: -1 },
    { fetchInterval: 2_147_483_648 },
    { retries: 2_147_483_648 },
    { retries: -1 },
    { retries: '0' },
  ])('whose time is %j is not asked for it: a page could not have it', (answer) => {
    failures.length = 0;
    const schedule = guarded({
      afterFetch: () => ({ ...own, ...answer }),
      due: () => ({ due: true, timing: { ...own, ...answer } }),
    })!;
    expect(schedule.afterFetch(page, 'modified')).toEqual(usual.afterFetch(page));
    expect(schedule.due(page, 5)).toEqual(usual.due(page, 5));
    expect(failures).toHaveLength(2);
  });

  it.each([{ due: 'yes', timing: own }, { due: 1, timing: own }, { timing: own }, { due: true }, true, null])(
    'that answers %j does not say whether a page is due',
    (answer) => {
      const schedule = guarded({ due: () => answer })!;
      expect(schedule.due(page, 5)).toEqual(usual.due(page, 5));
      expect(schedule.due({ ...page, fetchTime: 4 }, 5)).toEqual(usual.due({ ...page, fetchTime: 4 }, 5));
    },
  );

  it.each([null, undefined, 7, {}, { initial: 5 }])('that is %j is none', (made) =>
    expect(guarded(made)).toBeUndefined(),
  );
});
