import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ScheduleProps, type VisitedPage, fixedIntervalOf } from '../../../src/core/schedule/fetch-schedule.js';
import { parseConf } from '../../../src/core/conf/properties.js';
import { AdaptiveSchedule } from '../../../src/core/schedule/adaptive-schedule.js';
import { DefaultSchedule } from '../../../src/core/schedule/default-schedule.js';
import { readHostBounds } from '../../../src/core/schedule/host-bounds.js';
import { MimeAdaptiveSchedule } from '../../../src/core/schedule/mime-adaptive-schedule.js';
import { readMimeRates } from '../../../src/core/schedule/mime-rates.js';
import { changefreqSeconds } from '../../../src/core/schedule/sitemap-hints.js';
import { chosenIds, makeSchedule } from '../../../src/plugin/chosen-by-class.js';

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
  'db.fetch.schedule.score.base': 1,
  'db.fetch.schedule.score.exponent': 0,
  'db.fetch.schedule.score.min_interval': 86_400,
};
const page = (values: Partial<VisitedPage> = {}): VisitedPage => ({
  fetchTime: NOW,
  fetchInterval: DAY,
  retries: 2,
  modifiedTime: 0,
  ...values,
});

describe('the choice of a schedule (db.fetch.schedule.class)', () => {
  const chosen = (name: string) => makeSchedule(parseConf({ 'db.fetch.schedule.class': name }).conf);

  it.each(['DefaultFetchSchedule', 'org.apache.nutch.crawl.AdaptiveFetchSchedule', 'mimeadaptivefetchschedule'])(
    '%s is a known class',
    (name) => {
      const begun = { fetchTime: NOW, fetchInterval: 30 * DAY, retries: 0, modifiedTime: 0 };
      expect(chosen(name).initial(NOW)).toEqual(begun);
    },
  );
  it.each([
    ['Adaptive', 'AdaptiveFetchSchedule'],
    ['Default', 'DefaultFetchSchedule'],
    ['org.apache.nutch.crawl.MimeAdaptive', 'MimeAdaptiveFetchSchedule'],
  ])('%s is short for %s (C6)', (name, whole) => {
    expect(chosen(name).constructor).toBe(chosen(whole).constructor);
    const conf = (given: string) => parseConf({ 'db.fetch.schedule.class': given }).conf;
    expect(chosenIds(conf(name))).toEqual(chosenIds(conf(whole)));
  });
  it.each(['FetchSchedule', 'Mime', 'AdaptiveFetch'])('%j is refused', (name) => {
    expect(() => chosen(name)).toThrow(/db.fetch.schedule.class/);
  });
  it('an unknown class is refused with the list of known ones', () => {
    expect(() => chosen('org.example.Mine')).toThrow(
      /db.fetch.schedule.class.*Mine.*DefaultFetchSchedule, .*AdaptiveFetchSchedule, .*MimeAdaptiveFetchSchedule/,
    );
  });
  it('invalid rules are refused with property, rule number and position', () => {
    const conf = (params: Record<string, string>) =>
      parseConf({ 'db.fetch.schedule.class': 'MimeAdaptiveFetchSchedule', ...params }).conf;
    expect(() => makeSchedule(conf({ 'db.fetch.schedule.mime.rules': '# types\ntext/html\t0.4\t2' }))).toThrow(
      /^db.fetch.schedule.mime.rules: rule 1, position 15: not a rate from 0 to 1/,
    );
    expect(() => makeSchedule(conf({ 'db.fetch.schedule.adaptive.host.rules': 'a.test 1 2\nb.test 9 3' }))).toThrow(
      /^db.fetch.schedule.adaptive.host.rules: rule 2, position 10: the maximum is below the minimum/,
    );
  });
});

describe('DefaultFetchSchedule', () => {
  const schedule = new DefaultSchedule(props);

  it('makes a fetched page due after its interval and resets retries', () => {
    const next = { fetchTime: NOW + DAY * 1000, fetchInterval: DAY, retries: 0, modifiedTime: 5 };
    expect(schedule.afterFetch(page({ modifiedTime: 5 }))).toEqual(next);
  });
  it('uses the default interval for a page without one', () => {
    expect(schedule.afterFetch(page({ fetchInterval: 0 })).fetchInterval).toBe(30 * DAY);
  });
  it('lengthens the interval of a gone page by half', () => {
    const next = schedule.afterGone(page());
    expect(next).toMatchObject({ fetchInterval: 1.5 * DAY, fetchTime: NOW + 1.5 * DAY * 1000 });
  });
  it('limits the interval of a gone page to nine tenths of the maximum', () => {
    expect(schedule.afterGone(page({ fetchInterval: 60 * DAY })).fetchInterval).toBe(81 * DAY);
    expect(schedule.afterGone(page({ fetchInterval: 500 * DAY })).fetchInterval).toBe(81 * DAY);
    // As after a fetch, 0 means the default: otherwise the page would be due at once, for ever.
    expect(schedule.afterGone(page({ fetchInterval: 0 })).fetchInterval).toBe(45 * DAY);
  });
  it('makes a page due a day after a temporary failure', () => {
    expect(schedule.afterRetry(page())).toEqual({
      fetchTime: NOW + DAY * 1000,
      fetchInterval: DAY,
      retries: 3,
      modifiedTime: 0,
    });
  });
  it('counts no more temporary failures than the table has numbers for', () => {
    expect([32_766, 32_767].map((retries) => schedule.afterRetry(page({ retries })).retries)).toEqual([32_767, 32_767]);
  });
  it('makes a page due after the maximum interval where that is below a day: beyond it, a page counts as due at once', () => {
    const hourly = new DefaultSchedule({ ...props, 'db.fetch.interval.max': 3_600 });
    expect(hourly.afterRetry(page()).fetchTime).toBe(NOW + 3_600_000);
  });
  it('resets a page whose interval exceeds the maximum', () => {
    const next = schedule.forceRefetch(page({ fetchInterval: 400 * DAY, modifiedTime: 7 }));
    expect(next).toEqual({ fetchTime: NOW, fetchInterval: 81 * DAY, retries: 0, modifiedTime: 0 });
  });
  it.each([
    [NOW, true],
    [NOW - 1, true],
    [NOW + 1, false],
    [NOW + 90 * DAY * 1000, false],
    [NOW + 90 * DAY * 1000 + 1, true],
  ])('a page with fetch time %i is due: %s', (fetchTime, due) => {
    expect(schedule.due(page({ fetchTime }), NOW).due).toBe(due);
  });
  it('moves a fetch time that is too far ahead back to now', () => {
    const far = page({ fetchTime: NOW + 400 * DAY * 1000, fetchInterval: 400 * DAY });
    expect(schedule.due(far, NOW).timing).toMatchObject({ fetchTime: NOW, fetchInterval: 81 * DAY });
  });
});

describe('AdaptiveFetchSchedule', () => {
  const schedule = new AdaptiveSchedule(props);

  it('keeps a fixed interval, whether the page changes or not', () => {
    const fixed = page({ fixedInterval: 3600, modifiedTime: NOW - 9_000_000 });
    for (const state of ['unknown', 'modified', 'notmodified'] as const) {
      expect(schedule.afterFetch(fixed, state)).toMatchObject({ fetchInterval: 3600, fetchTime: NOW + 3_600_000 });
    }
  });

  it('stays within its bounds and never schedules into the past, for any input', () => {
    const rate = fc.double({ min: 0, max: 1, noNaN: true });
    const bound = fc.integer({ min: 1, max: 400 * DAY });
    fc.assert(
      fc.property(
        fc.record({
          fetchInterval: fc.nat(2_147_483_647),
          modifiedTime: fc.nat(2 * NOW),
          changeSeconds: fc.option(fc.nat(2_147_483_647)),
          state: fc.constantFrom('unknown' as const, 'modified' as const, 'notmodified' as const),
          rates: fc.tuple(rate, rate, rate),
          bounds: fc.tuple(bound, bound, bound, bound),
          own: fc.boolean(),
        }),
        ({ fetchInterval, modifiedTime, changeSeconds, state, rates, bounds, own }) => {
          const [a, b, c, d] = bounds;
          const [least, most] = own ? [Math.min(c, d), Math.max(c, d)] : [Math.min(a, b), Math.max(a, b)];
          const any = new AdaptiveSchedule(
            {
              ...props,
              'db.fetch.schedule.adaptive.inc_rate': rates[0],
              'db.fetch.schedule.adaptive.dec_rate': rates[1],
              'db.fetch.schedule.adaptive.sync_delta_rate': rates[2],
              'db.fetch.schedule.adaptive.min_interval': Math.min(a, b),
              'db.fetch.schedule.adaptive.max_interval': Math.max(a, b),
            },
            own ? readHostBounds(`own.test ${least} ${most}`) : undefined,
          );
          const visited = page({
            fetchInterval,
            modifiedTime,
            host: 'own.test',
            sitemap: { changeSeconds },
          });
          const next = any.afterFetch(visited, state);
          expect(next.fetchInterval).toBeGreaterThanOrEqual(least);
          expect(next.fetchInterval).toBeLessThanOrEqual(most);
          expect(next.fetchTime).toBeGreaterThanOrEqual(NOW);
          expect(Number.isSafeInteger(next.fetchTime)).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('does not shift the fetch time when the shift exceeds the maximum interval (1.x)', () => {
    const unchanged = page({ fetchInterval: 30 * DAY, modifiedTime: NOW - 10 * 365 * DAY * 1000 });
    expect(schedule.afterFetch(unchanged, 'notmodified').fetchTime).toBe(NOW + 365 * DAY * 1000);
  });

  it('counts the interval of a modified page from this visit, not from the previous change', () => {
    const changed = page({ fetchInterval: 10 * DAY, modifiedTime: NOW - 20 * DAY * 1000 });
    expect(schedule.afterFetch(changed, 'modified')).toMatchObject({
      fetchTime: NOW + 8 * DAY * 1000,
      fetchInterval: 8 * DAY,
      modifiedTime: NOW,
    });
  });

  it('treats a modified time in the future as now', () => {
    const future = page({ modifiedTime: NOW + 3_650 * DAY * 1000 });
    const next = schedule.afterFetch(future, 'notmodified');
    expect(next).toMatchObject({ fetchTime: NOW + 120_960_000, fetchInterval: 120_960, modifiedTime: NOW });
    expect(schedule.afterFetch(future, 'unknown')).toMatchObject({ fetchTime: NOW + DAY * 1000, modifiedTime: NOW });
  });
});

describe('interval bounds of single hosts', () => {
  const hosts = readHostBounds(
    '# news\nNews.test 600 3600\n\nslow.test 864000 default\nquick.test 0 7200\nBücher.de 600 3600',
  );
  const schedule = new AdaptiveSchedule({ ...props, 'db.fetch.schedule.adaptive.sync_delta': false }, hosts);

  it.each([
    ['news.test', 60, 600],
    ['news.test', 30 * DAY, 3600],
    ['slow.test', DAY, 10 * DAY],
    ['slow.test', 400 * DAY, 365 * DAY],
    ['quick.test', 10, 60],
    ['quick.test', DAY, 7200],
    ['other.test', DAY, DAY],
    ['xn--bcher-kva.de', 60, 600],
    ['bücher.de', 60, 600],
  ])('%s: an interval of %i s becomes %i s', (host, fetchInterval, expected) => {
    expect(schedule.afterFetch(page({ host, fetchInterval }), 'unknown').fetchInterval).toBe(expected);
  });
  it('do not apply to a fixed interval', () => {
    expect(schedule.afterFetch(page({ host: 'news.test', fixedInterval: 5 }), 'unknown').fetchInterval).toBe(5);
  });
  it.each([
    ['a.test 1', 'a line is a host, its minimum and its maximum'],
    ['a.test 1 2 3', 'a line is a host, its minimum and its maximum'],
    ['http://a.test/ 1 2', 'not the name of a host'],
    ['a.test -1 2', 'not a number of seconds or default'],
    ['a.test 1 1e9', 'not a number of seconds or default'],
  ])('%s is refused: %s', (line, reason) => expect(() => readHostBounds(line)).toThrow(reason));
});

describe('MimeAdaptiveFetchSchedule', () => {
  const rates = readMimeRates('text/html\t0.5\t0.25\napplication/pdf 1 0');
  const schedule = new MimeAdaptiveSchedule({ ...props, 'db.fetch.schedule.adaptive.sync_delta': false }, rates);

  it.each([
    ['text/html; charset=utf-8', 'notmodified' as const, 1.5 * DAY],
    ['Text/HTML', 'modified' as const, 0.75 * DAY],
    ['application/pdf', 'notmodified' as const, 2 * DAY],
    ['application/pdf', 'modified' as const, DAY],
    ['image/png', 'notmodified' as const, 120_960],
    [null, 'modified' as const, 0.8 * DAY],
  ])('%s, %s: one day becomes %i s', (contentType, state, expected) => {
    expect(schedule.afterFetch(page({ contentType }), state).fetchInterval).toBe(expected);
  });
  it.each([
    ['html 0.1 0.1', 'not a content type'],
    ['text/html 0.1', 'a line is a content type'],
    ['text/html 1.5 0', 'not a rate from 0 to 1'],
  ])('%s is refused: %s', (line, reason) => expect(() => readMimeRates(line)).toThrow(reason));
});

describe('the fixed interval of a page', () => {
  it.each<[string | null | undefined, number | null]>([
    ['3600.0', 3600],
    ['1.0E7', 10_000_000],
    ['0', 0],
    ['abc', null],
    ['-1', null],
    ['', null],
    [' ', null],
    ['NaN', null],
    ['Infinity', null],
    ['2147483648', null],
    [null, null],
    [undefined, null],
  ])('as metadata %j is %j s', (text, seconds) => expect(fixedIntervalOf(text)).toBe(seconds));
});

describe('sitemap hints (sitemaps.org, changefreq)', () => {
  const weekly = { changeSeconds: changefreqSeconds('Weekly') };
  const fresh = page({ fetchInterval: 30 * DAY, sitemap: weekly });

  it('set the initial interval of a page', () => {
    expect(new DefaultSchedule(props).afterFetch(fresh).fetchInterval).toBe(7 * DAY);
    expect(new AdaptiveSchedule(props).afterFetch(fresh, 'notmodified').fetchInterval).toBe(846_720);
  });
  it('do not override an adapted or a fixed interval', () => {
    expect(new DefaultSchedule(props).afterFetch({ ...fresh, fetchInterval: DAY }).fetchInterval).toBe(DAY);
    expect(new AdaptiveSchedule(props).afterFetch({ ...fresh, fixedInterval: 99 }, 'unknown').fetchInterval).toBe(99);
  });
  it.each([
    ['always', 60],
    ['never', 90 * DAY],
  ])('with changefreq %s are limited to %i s', (word, expected) => {
    const hinted = { ...fresh, sitemap: { changeSeconds: changefreqSeconds(word) } };
    expect(new DefaultSchedule(props).afterFetch(hinted).fetchInterval).toBe(expected);
  });
  it.each(['sometimes', '', null, '__proto__'])('with changefreq %s are ignored', (word) =>
    expect(changefreqSeconds(word)).toBeNull(),
  );
});
