import { describe, expect } from 'vitest';
import { formatHttpDate, parseHttpDate } from '../../src/core/http/http-date.js';
import { mergeInjected, type InjectedRecord } from '../../src/core/page/merge-injected.js';
import { nextState } from '../../src/core/page/next-state.js';
import { statusCode, statusName } from '../../src/core/page/page-status.js';
import { defaults } from '../../src/core/conf/properties.js';
import { parsePage } from '../../src/core/page/parse-page.js';
import type { ParseProps } from '../../src/core/page/parser.js';
import { makeParseChain } from '../../src/plugin/parse-chain.js';
import { parseSeedLine } from '../../src/core/page/seed-line.js';
import { textProfileSignature } from '../../src/core/page/signature.js';
import { AdaptiveSchedule } from '../../src/core/schedule/adaptive-schedule.js';
import { DefaultSchedule } from '../../src/core/schedule/default-schedule.js';
import type { ModifiedState, ScheduleProps } from '../../src/core/schedule/fetch-schedule.js';
import { groupOf } from '../support/conformance.js';
import { eachCase } from '../support/each-case.js';

const scheduleProps: ScheduleProps & { 'db.fetch.retry.max': number } = {
  'db.fetch.interval.default': 2_592_000,
  'db.fetch.interval.max': 7_776_000,
  'db.fetch.retry.max': 3,
  'db.fetch.schedule.adaptive.inc_rate': 0.4,
  'db.fetch.schedule.adaptive.dec_rate': 0.2,
  'db.fetch.schedule.adaptive.min_interval': 60,
  'db.fetch.schedule.adaptive.max_interval': 31_536_000,
  'db.fetch.schedule.adaptive.sync_delta': true,
  'db.fetch.schedule.adaptive.sync_delta_rate': 0.3,
  'db.fetch.schedule.score.base': 1,
  'db.fetch.schedule.score.exponent': 0,
  'db.fetch.schedule.score.min_interval': 86_400,
};

interface SeedCase {
  n: number;
  line?: string;
  lines?: string[];
  url?: string;
  score?: number;
  interval?: number;
  metadata?: Record<string, string | number>;
  skipped?: boolean;
  mark?: string;
  rows?: string[] | Record<string, number>;
}

const normalized = (url: string) => URL.parse(url)?.href ?? url;

describe('Nutch Injector: seed lines', () => {
  const cases = groupOf<SeedCase>('injector.lines').cases;

  eachCase(cases.filter(({ line }) => line !== undefined))('line $n: $line', (one) => {
    const seed = parseSeedLine(one.line ?? '');
    expect(seed === null).toBe(one.skipped ?? false);
    if (seed === null) return;
    if (one.url !== undefined) expect(normalized(seed.url)).toBe(one.url);
    if (one.score !== undefined) expect(seed.score ?? 1).toBe(one.score);
    if (one.interval !== undefined) expect(seed.fetchInterval ?? 2_592_000).toBe(one.interval);
    expect(seed.sitemap).toBe(one.mark === 's');
    if (Array.isArray(one.rows)) expect([seed.url, ...seed.sitemaps]).toEqual(one.rows);
    // Stored as text; the example shows the float.
    const metadata = Object.entries(one.metadata ?? seed.metadata).map(([key, value]) => [
      key,
      typeof value === 'number' ? value.toFixed(1) : value,
    ]);
    expect(seed.metadata).toEqual(Object.fromEntries(metadata));
  });

  eachCase(cases.filter(({ lines }) => lines !== undefined))('list $n collapses to one row per URL', (one) => {
    const rows = new Map<string, number>();
    for (const line of one.lines ?? []) {
      const seed = parseSeedLine(line);
      if (seed !== null) rows.set(normalized(seed.url), seed.score ?? 1);
    }
    if (Array.isArray(one.rows)) expect([...rows.keys()]).toEqual(one.rows);
    else expect(Object.fromEntries(rows)).toEqual(one.rows);
  });
});

interface MergeCase {
  n: number;
  old: boolean;
  overwrite?: boolean;
  update?: boolean;
  result: string;
}

describe('Nutch Injector: a URL injected again', () => {
  const old: InjectedRecord = { score: 5, fetchInterval: 171_717, metadata: { a: 'old', b: 'old' } };
  const injected: InjectedRecord = { score: 9, fetchInterval: 2_592_000, metadata: { b: 'new' } };
  const expectations: readonly (readonly [start: string, record: InjectedRecord])[] = [
    ['injected record', injected],
    ['old record; metadata merged', { score: 9, fetchInterval: 171_717, metadata: { a: 'old', b: 'new' } }],
    ['old record', old],
  ];

  eachCase(groupOf<MergeCase>('injector.merge.1x').cases)('case $n: $result', (one) => {
    const { record } = mergeInjected(one.old ? old : null, injected, {
      'db.injector.overwrite': one.overwrite ?? false,
      'db.injector.update': one.update ?? false,
      'db.score.injected': 1,
      'db.fetch.interval.default': 2_592_000,
    });
    expect(record).toEqual(expectations.find(([start]) => one.result.startsWith(start))?.[1]);
  });
});

interface AdaptiveCase {
  n: number;
  interval: number;
  fetchTime: number;
  modifiedTime: number;
  state: ModifiedState;
  config?: Partial<ScheduleProps>;
  out_1x: { fetchInterval: number; fetchTime: number; modifiedTime: number };
}

describe('Nutch 1.x AdaptiveFetchSchedule', () => {
  eachCase(groupOf<AdaptiveCase>('schedule.adaptive').cases)('case $n: $state after $interval s', (one) => {
    const schedule = new AdaptiveSchedule({ ...scheduleProps, ...one.config });
    const page = { fetchTime: one.fetchTime, fetchInterval: one.interval, retries: 1, modifiedTime: one.modifiedTime };
    expect(schedule.afterFetch(page, one.state)).toEqual({ ...one.out_1x, retries: 0 });
  });

  interface UnitCase {
    n: number;
    interval: number;
    state: ModifiedState;
    config?: { inc_rate?: number; dec_rate?: number };
    fetchInterval: number;
  }

  eachCase(groupOf<UnitCase>('schedule.adaptive.unit').cases)(
    'unit case $n: $state changes $interval s to $fetchInterval s',
    (one) => {
      const schedule = new AdaptiveSchedule({
        ...scheduleProps,
        'db.fetch.schedule.adaptive.inc_rate': one.config?.inc_rate ?? 0.2,
        'db.fetch.schedule.adaptive.dec_rate': one.config?.dec_rate ?? 0.2,
      });
      const page = { fetchTime: 1_700_000_000_000, fetchInterval: one.interval, retries: 0, modifiedTime: 0 };
      expect(schedule.afterFetch(page, one.state).fetchInterval).toBe(one.fetchInterval);
    },
  );
});

interface StateCase {
  n: number;
  from: string | null;
  fetch: string | null;
  to: string;
}

/** The status that FETCH leaves for an outcome of 1.x. */
const fetchStatus: Readonly<Record<string, number>> = {
  fetch_success: 2,
  fetch_gone: 3,
  fetch_redir_temp: 4,
  fetch_redir_perm: 5,
  fetch_notmodified: 6,
  fetch_retry: 34,
};

describe('Nutch CrawlDb: state after update', () => {
  // A page that was only linked to is not in the batch and is left out.
  const fetched = groupOf<StateCase>('db.states.1x').cases.filter(({ fetch }) => fetch !== null);
  const rows = fetched.flatMap((one) =>
    [new DefaultSchedule(scheduleProps), new AdaptiveSchedule(scheduleProps)].map((schedule) => ({
      ...one,
      schedule,
      name: schedule.constructor.name,
    })),
  );

  eachCase(rows)('from $from by $fetch to $to ($name)', ({ from, fetch, to, schedule }) => {
    expect(from === null || statusCode(from) !== null).toBe(true);
    const state = {
      status: fetchStatus[fetch ?? ''] ?? 0,
      fetchTime: 1_700_000_000_000,
      prevFetchTime: 0,
      fetchInterval: 2_592_000,
      retries: 0,
      modifiedTime: 0,
      prevModifiedTime: 0,
      signature: null,
      prevSignature: null,
      lastModified: null,
      parseFailed: false,
    };
    expect(statusName(nextState(state, schedule, scheduleProps).status)).toBe(to);
  });
});

describe('Nutch TextProfileSignature', () => {
  const signature = textProfileSignature({
    'db.signature.text_profile.min_token_len': 2,
    'db.signature.text_profile.quant_rate': 0.01,
    'db.signature.text_profile.sec_sort_lex': true,
  });
  const sign = (text: string) => signature({ content: new Uint8Array(), url: 'http://e.com/', text });

  interface ProfileCase {
    n: number;
    a: string;
    b: string;
    md5_a: string;
    md5_b: string;
    why: string;
  }

  eachCase(groupOf<ProfileCase>('signature.textprofile').cases)('case $n: $why', ({ a, b, md5_a, md5_b }) => {
    expect([sign(a), sign(b)]).toEqual([md5_a, md5_b]);
  });
});

interface DateCase {
  n: number;
  in?: string;
  ms?: number;
  out?: string;
}

describe('Nutch HttpDateFormat', () => {
  eachCase(groupOf<DateCase>('http.date').cases)('case $n is parsed or formatted as in Nutch', (one) => {
    if (one.in !== undefined) expect(parseHttpDate(one.in)).toBe(one.ms ?? null);
    if (one.out !== undefined) expect(formatHttpDate(one.ms ?? NaN)).toBe(one.out);
  });
});

const parseProps: ParseProps = {
  'db.max.anchor.length': 100,
  'encodingdetector.charset.min.confidence': -1,
  'mime.type.magic': true,
  'parser.caching.forbidden.policy': 'content',
  'parser.character.encoding.default': 'windows-1252',
  'parser.html.form.use_action': false,
  'parser.html.outlinks.ignore_tags': [],
  'parser.skip.truncated': true,
  'parser.text.limit': 1_048_576,
  'parser.title.limit': 1000,
};

interface MetatagCase {
  n: number;
  html: string;
  'metatags.names': string;
  out: Record<string, string[]>;
}

describe('Nutch parse-metatags', () => {
  eachCase(groupOf<MetatagCase>('parse.metatags').cases)('case $n has the metatags $out', async (one) => {
    const page = { url: 'http://e.com/', contentType: 'text/html; charset=utf-8' };
    const props = { ...parseProps, 'metatags.names': one['metatags.names'].split(',') };
    const { metadata } = await parsePage(new TextEncoder().encode(one.html), page, props, makeParseChain(defaults));
    const expected = Object.entries(one.out).map(([name, values]) => [name, values.join('\t')]);
    expect(metadata).toEqual(Object.fromEntries(expected));
  });
});
