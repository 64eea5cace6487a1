import { expect } from 'vitest';
import { long, other, sick, site, strict } from './why-not.web.js';

/** Questions why a URL is not fetched: how each state is set up in a crawl, and the reason to expect. */

export type Params = Record<string, string>;

/** A crawl for one question, and steps to set up its state. */
export interface Setup {
  crawlId: string;
  inject(...lines: string[]): Promise<void>;
  round(): Promise<number>;
  run(type: 'GENERATE' | 'FETCH' | 'PARSE' | 'DEDUP', args?: object): Promise<void>;
  sql(text: string): Promise<void>;
}

export interface Question {
  why: string;
  /** Properties of the crawl. */
  conf?: Params;
  /** Properties that differ when the question is asked. */
  later?: Params;
  setUp(crawl: Setup): Promise<unknown>;
  ask(): { url: string; robots?: boolean; from?: string; scope?: string };
  /** Reason to expect in the response. */
  reason: object;
  /** Other fields to expect in the response. */
  answer?: object;
}

/** A URL of the site. */
export const at = (path: string) => site.url + path;
const seeded =
  (...lines: string[]) =>
  (crawl: Setup) =>
    crawl.inject(...lines.map(at));
export const crawled =
  (...lines: string[]) =>
  async (crawl: Setup): Promise<void> => {
    await crawl.inject(...lines.map(at));
    await crawl.round();
  };
/** Matches a sentence with these words in this order. */
export const sentenceWith = (...words: string[]) =>
  expect.stringMatching(
    new RegExp(words.map((word) => word.replaceAll(/[.*+?^$()|[\]{}\\]/g, String.raw`\$&`)).join('.*')),
  );

export const questions: Question[] = [
  {
    why: 'a default filter rule of Nutch rejects the link',
    setUp: crawled('/links'),
    ask: () => ({ url: at('/file.zip') }),
    reason: { code: 'FILTERED', plugin: 'urlfilter-regex', rule: expect.objectContaining({ number: 2 }) },
    answer: { page: null, accepted: false, decidedBy: { plugin: 'urlfilter-regex' } },
  },
  {
    why: 'a filter rule of the crawl rejects the link',
    conf: { 'urlfilter.regex.rules': '-/secret/\n+.' },
    setUp: crawled('/links'),
    ask: () => ({ url: at('/secret/x') }),
    reason: { code: 'FILTERED', message: sentenceWith('rule 1', '-/secret/') },
  },
  {
    why: 'a filter added after the page rejects it',
    later: { 'urlfilter.domain.rules': 'elsewhere.test' },
    setUp: seeded('/b'),
    ask: () => ({ url: at('/b') }),
    reason: { code: 'FILTERED', plugin: 'urlfilter-domain' },
    answer: { page: { status: 'db_unfetched' } },
  },
  {
    why: 'robots.txt disallowed it when it was visited',
    setUp: crawled('/private/x'),
    ask: () => ({ url: at('/private/x') }),
    reason: {
      code: 'ROBOTS_DENIED',
      line: { number: 5, text: 'Disallow: /private/' },
      message: sentenceWith('ROBOTS_DENIED'),
    },
    answer: { page: { status: 'db_gone' } },
  },
  {
    why: 'robots.txt disallows it now',
    setUp: seeded('/private/y'),
    ask: () => ({ url: at('/private/y'), robots: true }),
    reason: { code: 'ROBOTS_DENIED', blocks: true, line: { number: 5, text: 'Disallow: /private/' } },
    answer: { robots: { allowed: false } },
  },
  {
    why: 'Crawl-delay exceeds fetcher.max.crawl.delay',
    setUp: (crawl) => crawl.inject(`${strict.url}/`),
    ask: () => ({ url: `${strict.url}/`, robots: true }),
    reason: { code: 'ROBOTS_DENIED', message: sentenceWith('99 s', 'fetcher.max.crawl.delay') },
    answer: { robots: { crawlDelay: 99, allowed: false } },
  },
  {
    why: 'robots.txt is unavailable',
    setUp: (crawl) => crawl.inject(`${sick.url}/`),
    ask: () => ({ url: `${sick.url}/`, robots: true }),
    reason: { code: 'ROBOTS_DEFERRED', blocks: true, message: sentenceWith('robots.txt answered 503') },
    answer: { robots: { state: 'wait', allowed: null } },
  },
  {
    why: 'it was fetched and is not due again',
    setUp: crawled('/b'),
    ask: () => ({ url: at('/b') }),
    reason: {
      code: 'NOT_DUE',
      blocks: true,
      until: expect.stringMatching(/^\d{4}-.*Z$/),
      message: sentenceWith('db_fetched'),
    },
  },
  {
    why: 'it failed and waits for its retry',
    setUp: crawled('/fail'),
    ask: () => ({ url: at('/fail') }),
    reason: {
      code: 'RETRY',
      message: sentenceWith('1 of 3', 'db.fetch.retry.max', 'HTTP 500'),
      until: expect.any(String),
    },
  },
  {
    why: 'it failed too often and is gone',
    conf: { 'db.fetch.retry.max': '1' },
    setUp: crawled('/fail'),
    ask: () => ({ url: at('/fail') }),
    reason: { code: 'GONE', message: sentenceWith('HTTP 500') },
  },
  {
    why: 'it is gone',
    setUp: crawled('/none'),
    ask: () => ({ url: at('/none') }),
    reason: { code: 'GONE', message: sentenceWith('NOTFOUND') },
  },
  {
    why: 'it is too many links away from the seeds',
    conf: { 'generate.max.distance': '1' },
    async setUp(crawl) {
      await crawled('/')(crawl);
      await crawl.round();
    },
    ask: () => ({ url: at('/a/b') }),
    reason: {
      code: 'DISTANCE',
      property: 'generate.max.distance',
      message: sentenceWith('2 links from a seed', 'allows 1'),
    },
  },
  {
    why: 'its score is too low',
    conf: { 'generate.min.score': '0.5' },
    setUp: seeded('/b\tnutch.score=0.25'),
    ask: () => ({ url: at('/b') }),
    reason: { code: 'SCORE_TOO_LOW', property: 'generate.min.score', message: sentenceWith('0.25', '0.5') },
  },
  {
    why: 'GENERATE selects another status only',
    conf: { 'generate.restrict.status': 'db_fetched' },
    setUp: seeded('/b'),
    ask: () => ({ url: at('/b') }),
    reason: {
      code: 'STATUS_REJECTED',
      property: 'generate.restrict.status',
      message: sentenceWith('db_unfetched', 'db_fetched only'),
    },
  },
  {
    why: 'its interval is too long',
    conf: { 'generate.min.interval': '3600' },
    setUp: seeded('/b\tnutch.fetchInterval=7200'),
    ask: () => ({ url: at('/b') }),
    reason: { code: 'INTERVAL_REJECTED', property: 'generate.min.interval', message: sentenceWith('7200', '3600') },
  },
  {
    why: 'better pages of its host fill the batch',
    conf: { 'generate.max.count': '2' },
    setUp: seeded('/1\tnutch.score=3', '/2\tnutch.score=2', '/3\tnutch.score=1'),
    ask: () => ({ url: at('/3') }),
    reason: { code: 'HOST_LIMIT', property: 'generate.max.count', message: sentenceWith('2 better pages', 'takes 2') },
  },
  {
    why: 'better pages fill the batch',
    conf: { 'generate.topN': '2' },
    setUp: (crawl) => crawl.inject(`${other.url}/1\tnutch.score=3`, at('/2\tnutch.score=2'), at('/3\tnutch.score=1')),
    ask: () => ({ url: at('/3') }),
    reason: { code: 'TOP_N', property: 'generate.topN', message: sentenceWith('2 better pages', 'takes 2') },
  },
  {
    why: 'its partition is full',
    conf: { 'generate.topN': '2', 'mapreduce.job.reduces': '2' },
    setUp: seeded('/1\tnutch.score=3', '/2\tnutch.score=2'),
    ask: () => ({ url: at('/2') }),
    reason: { code: 'PARTITION_LIMIT', property: 'mapreduce.job.reduces' },
  },
  {
    why: 'another page has the same content',
    async setUp(crawl) {
      await crawled('/same1\tnutch.score=2', '/same2\tnutch.score=1')(crawl);
      await crawl.run('DEDUP');
    },
    ask: () => ({ url: at('/same2') }),
    get reason() {
      return { code: 'DUPLICATE', url: at('/same1') };
    },
    answer: { page: { status: 'db_duplicate' } },
  },
  {
    why: 'its scheme is not supported',
    setUp: crawled('/links'),
    ask: () => ({ url: 'ftp://127.0.0.1/f' }),
    reason: { code: 'SCHEME', blocks: true, message: sentenceWith('ftp') },
    answer: { normalized: 'ftp://127.0.0.1/f' },
  },
  {
    why: 'its address is an inner address',
    later: { 'http.filter.ipaddress.exclude': 'loopback,private' },
    setUp: seeded('/b'),
    ask: () => ({ url: at('/b'), robots: true }),
    reason: { code: 'INNER_ADDRESS', property: 'http.filter.ipaddress.exclude', message: sentenceWith('"loopback"') },
    answer: { robots: { state: 'not-asked' } },
  },
  {
    why: 'its port is excluded',
    setUp: (crawl) => crawl.inject('http://127.0.0.1:6379/'),
    ask: () => ({ url: 'http://127.0.0.1:6379/' }),
    reason: { code: 'PORT', property: 'http.filter.ports.exclude', message: sentenceWith('6379') },
  },
  {
    why: 'the link to it leads to another host',
    conf: { 'db.ignore.external.links': 'true' },
    setUp: crawled('/links'),
    ask: () => ({ url: `${other.url}/out` }),
    get reason() {
      return { code: 'EXTERNAL', blocks: true, property: 'db.ignore.external.links', url: at('/links') };
    },
  },
  {
    why: 'the crawl has no page of its host and no external links',
    conf: { 'db.ignore.external.links': 'true' },
    setUp: seeded('/b'),
    ask: () => ({ url: 'http://127.0.0.9/' }),
    reason: { code: 'EXTERNAL', message: sentenceWith('no page of its host', 'byHost') },
  },
  {
    why: 'the link to it has rel nofollow',
    setUp: crawled('/links'),
    ask: () => ({ url: at('/unloved') }),
    get reason() {
      return { code: 'NOFOLLOW', blocks: true, url: at('/links') };
    },
  },
  {
    why: 'the page that links to it has robots nofollow',
    setUp: crawled('/unfollowed'),
    ask: () => ({ url: at('/hidden'), from: at('/unfollowed') }),
    get reason() {
      return { code: 'NOFOLLOW', url: at('/unfollowed') };
    },
  },
  {
    why: 'it is longer than the limit of row keys',
    setUp: crawled('/links'),
    ask: () => ({ url: at(`/${long}`) }),
    reason: { code: 'KEY_TOO_LONG', blocks: true, message: sentenceWith('2000') },
  },
  {
    why: 'it is longer than the limit of links',
    conf: { 'db.max.outlink.length': '100' },
    setUp: crawled('/links'),
    ask: () => ({ url: at(`/${'y'.repeat(200)}`) }),
    reason: { code: 'LINK_DROPPED', property: 'db.max.outlink.length', message: sentenceWith('length') },
  },
  {
    why: 'its path repeats segments like a trap',
    setUp: crawled('/links'),
    ask: () => ({ url: at('/t/x/t/y/t/z') }),
    reason: { code: 'TRAP', plugin: 'urlfilter-regex', rule: expect.objectContaining({ number: 4 }) },
  },
  {
    why: 'its page has more links than the limit',
    conf: { 'db.max.outlinks.per.page': '1' },
    setUp: crawled('/links'),
    ask: () => ({ url: at('/last') }),
    reason: { code: 'LINK_DROPPED', property: 'db.max.outlinks.per.page', message: sentenceWith('limit') },
  },
  {
    why: 'the page that links to it is at the maximum depth',
    conf: { 'plugin.includes.also': 'scoring-depth', 'scoring.depth.max': '1' },
    setUp: crawled('/'),
    ask: () => ({ url: at('/a') }),
    reason: {
      code: 'LINK_DROPPED',
      blocks: true,
      property: 'scoring.depth.max',
      message: sentenceWith('links to it', 'are not followed', 'is a seed (scoring.depth.max)'),
    },
  },
  {
    why: 'links add no new pages',
    conf: { 'db.update.additions.allowed': 'false' },
    setUp: crawled('/links'),
    ask: () => ({ url: at('/ok') }),
    reason: { code: 'LINK_KEPT', property: 'db.update.additions.allowed' },
  },
  {
    why: 'it is in a batch that waits for FETCH',
    async setUp(crawl) {
      await crawl.inject(at('/b'));
      await crawl.run('GENERATE', { batch: 'open-1' });
    },
    ask: () => ({ url: at('/b') }),
    reason: { code: 'IN_BATCH', blocks: true, message: sentenceWith('open-1', 'not fetched yet: FETCH') },
  },
  {
    why: 'it is in a batch that waits for UPDATEDB',
    async setUp(crawl) {
      await crawl.inject(at('/b'));
      await crawl.run('GENERATE', { batch: 'open-2' });
      await crawl.run('FETCH', { batch: 'open-2' });
      await crawl.run('PARSE', { batch: 'open-2' });
    },
    ask: () => ({ url: at('/b') }),
    reason: { code: 'IN_BATCH', message: sentenceWith('open-2', 'parsed: UPDATEDB') },
  },
  {
    why: 'it is stored under its normalized URL',
    setUp: crawled('/b'),
    ask: () => ({ url: `${at('/x/../b;jsessionid=123')}#top` }),
    get reason() {
      return { code: 'NORMALIZED', blocks: false, url: at('/b') };
    },
    answer: { page: { status: 'db_fetched' } },
  },
  {
    why: 'it is stored as given, and the current normalizers rewrite it',
    later: { 'urlnormalizer.regex.rules': '/b$\t/c' },
    setUp: crawled('/b'),
    ask: () => ({ url: at('/b') }),
    get reason() {
      return { code: 'NORMALIZED', blocks: false, url: at('/c') };
    },
    answer: { page: { status: 'db_fetched' } },
  },
  {
    why: 'no page links to it',
    setUp: crawled('/'),
    ask: () => ({ url: at('/lonely') }),
    reason: { code: 'UNKNOWN_PAGE', blocks: true, message: sentenceWith('no seed') },
    answer: { page: null },
  },
  {
    why: 'http.agent.name is not set',
    later: { 'http.agent.name': '' },
    setUp: seeded('/b'),
    ask: () => ({ url: at('/b') }),
    reason: { code: 'AGENT_NAME', blocks: true, property: 'http.agent.name' },
  },
  {
    why: 'no plugin supports HTTP',
    later: { 'plugin.includes': 'urlnormalizer-basic|urlfilter-regex' },
    setUp: seeded('/b'),
    ask: () => ({ url: at('/b') }),
    reason: { code: 'PROTOCOL_PLUGIN', blocks: true, property: 'plugin.includes' },
  },
  {
    why: 'its host is in back-off',
    async setUp(crawl) {
      await crawl.inject(at('/b'));
      await crawl.sql(
        `update host set failures = 7, blocked_by = 'back-off', blocked_until = now() + interval '1 hour'`,
      );
    },
    ask: () => ({ url: at('/b') }),
    reason: { code: 'HOST_BLOCKED', blocks: true, message: sentenceWith('7 failures'), until: expect.any(String) },
  },
  {
    why: 'it is a sitemap',
    setUp: async (crawl) => {
      await crawl.inject(at('/b'));
      await crawl.sql(`update webpage set inject_mark = 's'`);
    },
    ask: () => ({ url: at('/b') }),
    reason: { code: 'SITEMAP', blocks: true },
  },
];
