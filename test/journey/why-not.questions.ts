import { expect } from 'vitest';
import { long, other, sick, site, strict } from './why-not.web.js';

/** Questions: how each is planted in a crawl, and the reason that answers it. */

export type Params = Record<string, string>;

/** A crawl of its own for a question, and the steps that plant it. */
export interface Planting {
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
  /** Properties that are other when the question is asked. */
  later?: Params;
  plant(crawl: Planting): Promise<unknown>;
  ask(): { url: string; robots?: boolean; from?: string; scope?: string };
  /** The reason that answers the question. */
  reason: object;
  /** What else the answer holds. */
  answer?: object;
}

/** A URL of the site. */
export const at = (path: string) => site.url + path;
const seeded =
  (...lines: string[]) =>
  (crawl: Planting) =>
    crawl.inject(...lines.map(at));
const crawled =
  (...lines: string[]) =>
  async (crawl: Planting): Promise<void> => {
    await crawl.inject(...lines.map(at));
    await crawl.round();
  };
/** A sentence that holds these words in this order. */
const says = (...words: string[]) =>
  expect.stringMatching(
    new RegExp(words.map((word) => word.replaceAll(/[.*+?^$()|[\]{}\\]/g, String.raw`\$&`)).join('.*')),
  );

export const questions: Question[] = [
  {
    why: 'a filter rule that Nutch ships drops the link',
    plant: crawled('/links'),
    ask: () => ({ url: at('/file.zip') }),
    reason: { code: 'FILTERED', plugin: 'urlfilter-regex', rule: expect.objectContaining({ number: 2 }) },
    answer: { page: null, accepted: false, decidedBy: { plugin: 'urlfilter-regex' } },
  },
  {
    why: 'a filter rule of the crawl drops the link',
    conf: { 'urlfilter.regex.rules': '-/secret/\n+.' },
    plant: crawled('/links'),
    ask: () => ({ url: at('/secret/x') }),
    reason: { code: 'FILTERED', message: says('rule 1', '-/secret/') },
  },
  {
    why: 'a filter that came after the page refuses it',
    later: { 'urlfilter.domain.rules': 'elsewhere.test' },
    plant: seeded('/b'),
    ask: () => ({ url: at('/b') }),
    reason: { code: 'FILTERED', plugin: 'urlfilter-domain' },
    answer: { page: { status: 'db_unfetched' } },
  },
  {
    why: 'robots.txt forbade it when it was visited',
    plant: crawled('/private/x'),
    ask: () => ({ url: at('/private/x') }),
    reason: { code: 'ROBOTS_DENIED', line: { number: 5, text: 'Disallow: /private/' }, message: says('ROBOTS_DENIED') },
    answer: { page: { status: 'db_gone' } },
  },
  {
    why: 'robots.txt forbids it now',
    plant: seeded('/private/y'),
    ask: () => ({ url: at('/private/y'), robots: true }),
    reason: { code: 'ROBOTS_DENIED', blocks: true, line: { number: 5, text: 'Disallow: /private/' } },
    answer: { robots: { allowed: false } },
  },
  {
    why: 'robots.txt asks for a longer rest than the crawl bears',
    plant: (crawl) => crawl.inject(`${strict.url}/`),
    ask: () => ({ url: `${strict.url}/`, robots: true }),
    reason: { code: 'ROBOTS_DENIED', message: says('99 s', 'fetcher.max.crawl.delay') },
    answer: { robots: { crawlDelay: 99, allowed: false } },
  },
  {
    why: 'robots.txt cannot be had',
    plant: (crawl) => crawl.inject(`${sick.url}/`),
    ask: () => ({ url: `${sick.url}/`, robots: true }),
    reason: { code: 'ROBOTS_DEFERRED', blocks: true, message: says('robots.txt answered 503') },
    answer: { robots: { state: 'wait', allowed: null } },
  },
  {
    why: 'it was fetched and is not due again',
    plant: crawled('/b'),
    ask: () => ({ url: at('/b') }),
    reason: { code: 'NOT_DUE', blocks: true, until: expect.stringMatching(/^\d{4}-.*Z$/), message: says('db_fetched') },
  },
  {
    why: 'it failed and waits for its next try',
    plant: crawled('/fail'),
    ask: () => ({ url: at('/fail') }),
    reason: { code: 'RETRY', message: says('1 of 3', 'db.fetch.retry.max', 'HTTP 500'), until: expect.any(String) },
  },
  {
    why: 'it failed too often and counts as gone',
    conf: { 'db.fetch.retry.max': '1' },
    plant: crawled('/fail'),
    ask: () => ({ url: at('/fail') }),
    reason: { code: 'GONE', message: says('HTTP 500') },
  },
  {
    why: 'it is gone',
    plant: crawled('/none'),
    ask: () => ({ url: at('/none') }),
    reason: { code: 'GONE', message: says('NOTFOUND') },
  },
  {
    why: 'it is too many links away from the seeds',
    conf: { 'generate.max.distance': '1' },
    async plant(crawl) {
      await crawled('/')(crawl);
      await crawl.round();
    },
    ask: () => ({ url: at('/a/b') }),
    reason: { code: 'DISTANCE', property: 'generate.max.distance', message: says('2 links from a seed', 'allows 1') },
  },
  {
    why: 'its score is too low',
    conf: { 'generate.min.score': '0.5' },
    plant: seeded('/b\tnutch.score=0.25'),
    ask: () => ({ url: at('/b') }),
    reason: { code: 'SCORE_TOO_LOW', property: 'generate.min.score', message: says('0.25', '0.5') },
  },
  {
    why: 'only pages of another status are taken',
    conf: { 'generate.restrict.status': 'db_fetched' },
    plant: seeded('/b'),
    ask: () => ({ url: at('/b') }),
    reason: {
      code: 'STATUS_REJECTED',
      property: 'generate.restrict.status',
      message: says('db_unfetched', 'db_fetched only'),
    },
  },
  {
    why: 'its interval is too long',
    conf: { 'generate.min.interval': '3600' },
    plant: seeded('/b\tnutch.fetchInterval=7200'),
    ask: () => ({ url: at('/b') }),
    reason: { code: 'INTERVAL_REJECTED', property: 'generate.min.interval', message: says('7200', '3600') },
  },
  {
    why: 'better pages of its host fill the batch',
    conf: { 'generate.max.count': '2' },
    plant: seeded('/1\tnutch.score=3', '/2\tnutch.score=2', '/3\tnutch.score=1'),
    ask: () => ({ url: at('/3') }),
    reason: { code: 'HOST_LIMIT', property: 'generate.max.count', message: says('2 better pages', 'takes 2') },
  },
  {
    why: 'better pages fill the batch',
    conf: { 'generate.topN': '2' },
    plant: (crawl) => crawl.inject(`${other.url}/1\tnutch.score=3`, at('/2\tnutch.score=2'), at('/3\tnutch.score=1')),
    ask: () => ({ url: at('/3') }),
    reason: { code: 'TOP_N', property: 'generate.topN', message: says('2 better pages', 'takes 2') },
  },
  {
    why: 'its partition is full',
    conf: { 'generate.topN': '2', 'mapreduce.job.reduces': '2' },
    plant: seeded('/1\tnutch.score=3', '/2\tnutch.score=2'),
    ask: () => ({ url: at('/2') }),
    reason: { code: 'PARTITION_LIMIT', property: 'mapreduce.job.reduces' },
  },
  {
    why: 'another page has the same content',
    async plant(crawl) {
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
    why: 'its scheme is not crawled',
    plant: crawled('/links'),
    ask: () => ({ url: 'ftp://127.0.0.1/f' }),
    reason: { code: 'SCHEME', blocks: true, message: says('ftp') },
    answer: { normalized: 'ftp://127.0.0.1/f' },
  },
  {
    why: 'its address is an inner one',
    later: { 'http.filter.ipaddress.exclude': 'loopback,private' },
    plant: seeded('/b'),
    ask: () => ({ url: at('/b'), robots: true }),
    reason: { code: 'INNER_ADDRESS', property: 'http.filter.ipaddress.exclude', message: says('"loopback"') },
    answer: { robots: { state: 'not-asked' } },
  },
  {
    why: 'its port is never connected to',
    plant: (crawl) => crawl.inject('http://127.0.0.1:6379/'),
    ask: () => ({ url: 'http://127.0.0.1:6379/' }),
    reason: { code: 'PORT', property: 'http.filter.ports.exclude', message: says('6379') },
  },
  {
    why: 'the link to it leaves its host',
    conf: { 'db.ignore.external.links': 'true' },
    plant: crawled('/links'),
    ask: () => ({ url: `${other.url}/out` }),
    get reason() {
      return { code: 'EXTERNAL', blocks: true, property: 'db.ignore.external.links', url: at('/links') };
    },
  },
  {
    why: 'the crawl keeps to hosts that are not its own',
    conf: { 'db.ignore.external.links': 'true' },
    plant: seeded('/b'),
    ask: () => ({ url: 'http://127.0.0.9/' }),
    reason: { code: 'EXTERNAL', message: says('no page of its host', 'byHost') },
  },
  {
    why: 'the link to it asks not to be followed',
    plant: crawled('/links'),
    ask: () => ({ url: at('/unloved') }),
    get reason() {
      return { code: 'NOFOLLOW', blocks: true, url: at('/links') };
    },
  },
  {
    why: 'the page that links to it asks not to follow any link',
    plant: crawled('/unfollowed'),
    ask: () => ({ url: at('/hidden'), from: at('/unfollowed') }),
    get reason() {
      return { code: 'NOFOLLOW', url: at('/unfollowed') };
    },
  },
  {
    why: 'it is longer than a row key may be',
    plant: crawled('/links'),
    ask: () => ({ url: at(`/${long}`) }),
    reason: { code: 'KEY_TOO_LONG', blocks: true, message: says('2000') },
  },
  {
    why: 'it is longer than links may be',
    conf: { 'db.max.outlink.length': '100' },
    plant: crawled('/links'),
    ask: () => ({ url: at(`/${'y'.repeat(200)}`) }),
    reason: { code: 'LINK_DROPPED', property: 'db.max.outlink.length', message: says('length') },
  },
  {
    why: 'its path repeats itself as in a trap',
    plant: crawled('/links'),
    ask: () => ({ url: at('/t/x/t/y/t/z') }),
    reason: { code: 'TRAP', plugin: 'urlfilter-regex', rule: expect.objectContaining({ number: 4 }) },
  },
  {
    why: 'its page had more links than are kept',
    conf: { 'db.max.outlinks.per.page': '1' },
    plant: crawled('/links'),
    ask: () => ({ url: at('/last') }),
    reason: { code: 'LINK_DROPPED', property: 'db.max.outlinks.per.page', message: says('limit') },
  },
  {
    why: 'links bring in no new URLs',
    conf: { 'db.update.additions.allowed': 'false' },
    plant: crawled('/links'),
    ask: () => ({ url: at('/ok') }),
    reason: { code: 'LINK_KEPT', property: 'db.update.additions.allowed' },
  },
  {
    why: 'it is in a batch that waits for FETCH',
    async plant(crawl) {
      await crawl.inject(at('/b'));
      await crawl.run('GENERATE', { batch: 'open-1' });
    },
    ask: () => ({ url: at('/b') }),
    reason: { code: 'IN_BATCH', blocks: true, message: says('open-1', 'not fetched yet: FETCH') },
  },
  {
    why: 'it is in a batch that waits for UPDATEDB',
    async plant(crawl) {
      await crawl.inject(at('/b'));
      await crawl.run('GENERATE', { batch: 'open-2' });
      await crawl.run('FETCH', { batch: 'open-2' });
      await crawl.run('PARSE', { batch: 'open-2' });
    },
    ask: () => ({ url: at('/b') }),
    reason: { code: 'IN_BATCH', message: says('open-2', 'parsed: UPDATEDB') },
  },
  {
    why: 'it is stored under another spelling',
    plant: crawled('/b'),
    ask: () => ({ url: `${at('/x/../b;jsessionid=123')}#top` }),
    get reason() {
      return { code: 'NORMALIZED', blocks: false, url: at('/b') };
    },
    answer: { page: { status: 'db_fetched' } },
  },
  {
    why: 'it is stored as it was given, and the normalizers of now would write it otherwise',
    later: { 'urlnormalizer.regex.rules': '/b$\t/c' },
    plant: crawled('/b'),
    ask: () => ({ url: at('/b') }),
    get reason() {
      return { code: 'NORMALIZED', blocks: false, url: at('/c') };
    },
    answer: { page: { status: 'db_fetched' } },
  },
  {
    why: 'nobody links to it',
    plant: crawled('/'),
    ask: () => ({ url: at('/lonely') }),
    reason: { code: 'UNKNOWN_PAGE', blocks: true, message: says('no seed') },
    answer: { page: null },
  },
  {
    why: 'the crawler has no name',
    later: { 'http.agent.name': '' },
    plant: seeded('/b'),
    ask: () => ({ url: at('/b') }),
    reason: { code: 'AGENT_NAME', blocks: true, property: 'http.agent.name' },
  },
  {
    why: 'no plugin speaks HTTP',
    later: { 'plugin.includes': 'urlnormalizer-basic|urlfilter-regex' },
    plant: seeded('/b'),
    ask: () => ({ url: at('/b') }),
    reason: { code: 'PROTOCOL_PLUGIN', blocks: true, property: 'plugin.includes' },
  },
  {
    why: 'it leads to another URL',
    plant: crawled('/moved'),
    ask: () => ({ url: at('/moved') }),
    get reason() {
      return { code: 'REDIRECT', url: at('/b') };
    },
    answer: { page: { status: 'db_redir_perm' } },
  },
  {
    why: 'its content cannot be read',
    conf: { 'parser.delete.failed.parse': 'true' },
    plant: crawled('/archive'),
    ask: () => ({ url: at('/archive') }),
    reason: { code: 'PARSE_FAILED', message: says('no parser for application/zip') },
  },
  {
    why: 'its host is left alone for a while',
    async plant(crawl) {
      await crawl.inject(at('/b'));
      await crawl.sql(
        `update host set failures = 7, blocked_by = 'back-off', blocked_until = now() + interval '1 hour'`,
      );
    },
    ask: () => ({ url: at('/b') }),
    reason: { code: 'HOST_BLOCKED', blocks: true, message: says('7 failures'), until: expect.any(String) },
  },
  {
    why: 'it is a sitemap',
    plant: async (crawl) => {
      await crawl.inject(at('/b'));
      await crawl.sql(`update webpage set inject_mark = 's'`);
    },
    ask: () => ({ url: at('/b') }),
    reason: { code: 'SITEMAP', blocks: true },
  },
];
