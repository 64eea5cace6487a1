import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { groupOf } from '../support/conformance.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { eachCase } from '../support/each-case.js';
import { type PageRow, counter, counters, expectConsistent, pages } from './table.js';

/** INJECT (docs/semantics/inject.md; feature rows A3 to A8 and B1 to B18). Each case has its own crawl id. */

const DAYS_30 = 2_592_000;
let cycle: Cycle;

beforeAll(async () => {
  cycle = await openCycle();
});
afterEach(() => expectConsistent(cycle));
afterAll(() => cycle.close());

const inject = (crawlId: string, lines: string[], args: object = {}, conf: Record<string, string> = {}) =>
  cycle.inject(lines, { ...args }, { crawlId, conf });
const keys = async (crawlId: string) => (await pages(cycle, crawlId)).map(({ key }) => key);
const one = async (crawlId: string): Promise<PageRow> => {
  const all = await pages(cycle, crawlId);
  expect(all).toHaveLength(1);
  return all[0]!;
};

describe('INJECT of row keys', () => {
  const listing = [
    'com.example.www:http/',
    'com.example.www:http/about/',
    'net.sourceforge:http/',
    'org.apache.gora:http/',
    'org.apache.nutch:http/',
    'org.apache.www:http/',
    'org.wikipedia.en:http/',
    'org.wikipedia.nl:http/',
  ];

  it('stores the eight example URLs under their keys, in byte order whatever the order of the seeds (A5, A6)', async () => {
    await inject('a5', [
      'http://nl.wikipedia.org/',
      'http://www.example.com/about/',
      'http://nutch.apache.org/',
      'http://sourceforge.net/',
      'http://www.apache.org/',
      'http://www.example.com/',
      'http://gora.apache.org/',
      'http://en.wikipedia.org/',
    ]);
    expect(await keys('a5')).toEqual(listing);
  });

  it('keeps all hosts of a domain adjacent (A8)', async () => {
    const all = await keys('a5');
    const apache = all.filter((key) => key.startsWith('org.apache.'));
    expect(all.slice(all.indexOf(apache[0]!), all.indexOf(apache.at(-1)!) + 1)).toEqual(apache);
  });

  it('allows a domain to be read by a range of the primary key (A7)', async () => {
    await cycle.db.query(`
      insert into webpage (crawl, host, key, status, fetch_time, fetch_interval, score, cash, source_kind)
      select id, 'zz.h' || n, 'zz.h' || n || ':http/', 3, now(), 1, 0, 0, 'link'
        from crawl, generate_series(1, 20000) n where name = 'a5'`);
    const range = `select key from webpage
       where crawl = (select id from crawl where name = 'a5') and host >= 'org.apache.' and host < 'org.apache/' order by host, key`;
    expect((await cycle.db.query<{ key: string }>(range)).map(({ key }) => key)).toEqual(listing.slice(3, 6));
    await cycle.db.query('analyze webpage');
    const plan = await cycle.db.query<{ 'QUERY PLAN': string }>(`explain ${range}`);
    const text = plan.map((line) => line['QUERY PLAN']).join('\n');
    expect(text).toMatch(/Index (Only )?Scan using webpage_pkey/);
    expect(text).toMatch(/Index Cond: .*host >= 'org.apache.'.*host < 'org.apache\/'/);
    await cycle.db.query(`delete from webpage where host like 'zz.h%'`);
  });

  it('builds the key of host, scheme, port, path and query (A4)', async () => {
    const conf = { 'urlfilter.regex.rules': '+.' };
    await inject('a4', ['http://bar.foo.com:8983/to/index.html?a=b'], {}, conf);
    expect((await one('a4')).key).toBe('com.foo.bar:http:8983/to/index.html?a=b');
  });

  it('stores one row for a URL that is injected twice (A3)', async () => {
    await inject('a3', ['http://a.test/']);
    await inject('a3', ['http://a.test/']);
    expect(await keys('a3')).toEqual(['test.a:http/']);
  });
});

describe('INJECT of seed lines', () => {
  const table2 = [
    'https://www.unipi.it',
    '#https://www.UNIPI.it',
    'https://www.amazon.it\tnutch.score=10',
    'https://www.google.it\tnutch.score=7',
    'https://www.ansa.it',
  ];

  it('uses db.score.injected as the score of a line without nutch.score (G17)', async () => {
    await inject('g17', ['http://a.test/', 'http://b.test/\tnutch.score=7'], {}, { 'db.score.injected': '2' });
    expect((await pages(cycle, 'g17')).map(({ score, cash }) => [score, cash])).toEqual([
      [2, 2],
      [7, 7],
    ]);
  });

  it('stores the four rows of seed 001 table 2: given score or 1.0, 30 days, db_unfetched, due now (B1, B4 to B6)', async () => {
    const job = await inject('b4', table2);
    expect(job).toMatchObject({ state: 'FINISHED', result: { result: '0', reason: 'done' } });
    expect(counters(job, 'injector')).toEqual({ urls_injected: 4 });
    const found = await pages(cycle, 'b4');
    expect(found.map(({ key, score, fetch_interval, status }) => [key, score, fetch_interval, status])).toEqual([
      ['it.amazon.www:https/', 10, DAYS_30, 1],
      ['it.ansa.www:https/', 1, DAYS_30, 1],
      ['it.google.www:https/', 7, DAYS_30, 1],
      ['it.unipi.www:https/', 1, DAYS_30, 1],
    ]);
    for (const page of found) {
      expect(page).toMatchObject({ inject_mark: 'y', distance: 0, cash: page.score, retries_since_fetch: 0 });
      expect(page.rank).not.toBeNull();
      expect(page.fetch_time.getTime()).toBeLessThanOrEqual(job.endedAt!.getTime());
    }
  });

  it('merges lines that are the same URL after normalizing (B9, seed 001 table 5)', async () => {
    const job = await inject('b9', ['https://www.unipi.it', '#https://www.UNIPI.it', 'https://www.UnIpI.it']);
    expect(await keys('b9')).toEqual(['it.unipi.www:https/']);
    expect(counters(job, 'injector')).toEqual({ urls_injected: 1, urls_duplicate: 1 });
  });

  it('reads nutch.fetchInterval and stores other keys as metadata (B7)', async () => {
    await inject('b7', ['http://a.test/\tnutch.fetchInterval=86400\tlang=it\tx=a=b']);
    expect(await one('b7')).toMatchObject({ fetch_interval: 86_400, metadata: { lang: 'it', x: 'a=b' } });
  });

  it('normalizes URLs in scope inject (B8)', async () => {
    await inject('b8', ['https://www.Google.it']);
    expect((await one('b8')).key).toBe('it.google.www:https/');
  });

  it('filters seeds by the regex rules and counts rejected ones (B3)', async () => {
    const conf = { 'urlfilter.regex.rules': '-\\.gif$\n+.' };
    const job = await inject('b3', ['http://a.test/a.gif', 'http://a.test/a.html'], {}, conf);
    expect(await keys('b3')).toEqual(['test.a:http/a.html']);
    expect(counters(job, 'injector')).toEqual({ urls_filtered: 1, urls_injected: 1 });
  });

  it('skips the filters with noFilter and the normalizers with noNormalize', async () => {
    await inject('nofilter', ['http://a.test/?q=1'], { noFilter: true });
    expect(await keys('nofilter')).toEqual(['test.a:http/?q=1']);
    await inject('nonormalize', ['http://a.test/x//y'], { noNormalize: true });
    expect(await keys('nonormalize')).toEqual(['test.a:http/x//y']);
  });

  it.each([
    ['a scheme that is not crawled', 'ftp://a.test/', 'scheme'],
    ['a line without a URL', 'hello', 'malformed'],
    ['a URL over 2,000 bytes', `http://a.test/${'x'.repeat(2_000)}`, 'length'],
    ['a blank instead of a TAB', 'http://a b.test/ nutch.score=1', 'malformed'],
  ])('rejects %s and counts the reason', async (what, line, reason) => {
    const crawlId = `refused-${reason}-${what.length}`;
    const job = await inject(crawlId, [line], { noFilter: true });
    expect(counters(job, 'injector_rejected')).toEqual({ [reason]: 1 });
    expect(await pages(cycle, crawlId)).toEqual([]);
  });

  it('accepts the 1.x argument crawldb (B16)', async () => {
    const job = await inject('b16', ['http://a.test/'], { crawldb: 'b16/crawldb' });
    expect(job.state).toBe('FINISHED');
  });

  it('fails without a seed list and names the missing argument', async () => {
    const job = await cycle.run('INJECT', {}, { crawlId: 'b2' });
    expect(job).toMatchObject({ state: 'FAILED' });
    expect(job.msg).toContain('no seed list: seedName');
  });
});

describe('INJECT in the cases of Nutch', () => {
  const scored = groupOf('injector.lines').cases.filter((each) => typeof each['line'] === 'string');
  eachCase(scored.map((each) => [each['line'] as string, each] as const))('reads %j', async (line, expected) => {
    const crawlId = `line-${String(expected['n'])}`;
    await inject(crawlId, [line]);
    const found = await pages(cycle, crawlId);
    if (expected['skipped']) return expect(found).toEqual([]);
    if (expected['rows'])
      return expect(found.map(({ key }) => key)).toEqual(['com.e:http/', 'com.e:http/s1.xml', 'com.e:http/s2.xml']);
    const [page] = found;
    expect(found).toHaveLength(1);
    if (expected['score'] !== undefined) expect(page!.score).toBe(expected['score']);
    if (expected['interval'] !== undefined) expect(page!.fetch_interval).toBe(expected['interval']);
    if (expected['mark'] !== undefined) expect(page!.inject_mark).toBe(expected['mark']);
    if (expected['metadata'] !== undefined) {
      const metadata = Object.entries(expected['metadata'] as object).map(([k, v]) => [
        k,
        typeof v === 'number' ? v.toFixed(1) : v,
      ]);
      expect(page!.metadata ?? {}).toEqual(Object.fromEntries(metadata));
    }
  });

  // The group injector.counts of the tests of Nutch.
  const plain = (n: number, from = 0) => Array.from({ length: n }, (_, i) => `http://h${from + i}.test/`);

  it('stores 200 pages of 100 seeds and 100 more', async () => {
    await inject('counts-1', plain(100));
    await inject('counts-1', plain(100, 100));
    const found = await pages(cycle, 'counts-1');
    expect(found).toHaveLength(200);
    expect(new Set(found.map(({ score }) => score))).toEqual(new Set([1]));
  });

  it('stores 12 rows of 10 pages and 2 lines marked -sitemap, 2 of them sitemaps', async () => {
    await inject('counts-2', [...plain(10), 'http://s1.test/map.xml\t-sitemap', 'http://s2.test/map.xml\t-sitemap']);
    const found = await pages(cycle, 'counts-2');
    expect([found.length, found.filter((page) => page.inject_mark === 's').length]).toEqual([12, 2]);
  });

  it('stores 16 rows of 10 pages and 2 lines with two sitemaps each, which get no score or metadata of the line', async () => {
    const lines = ['a', 'b'].map((name) => `http://${name}.test/\tnutch.score=5\tk=v\tsitemaps: s1.xml s2.xml`);
    await inject('counts-3', [...plain(10), ...lines]);
    const found = await pages(cycle, 'counts-3');
    const maps = found.filter((page) => page.inject_mark === 's');
    expect([found.length, maps.length]).toEqual([16, 4]);
    expect(maps[0]).toMatchObject({ key: 'test.a:http/s1.xml', score: 1, metadata: null });
  });

  it('keeps interval and metadata of 100 known pages in an update with 100 new ones', async () => {
    await inject(
      'counts-4',
      plain(100).map((url) => `${url}\tnutch.fetchInterval=171717\tk=v`),
    );
    await inject('counts-4', plain(200), {}, { 'db.injector.update': 'true' });
    const found = await pages(cycle, 'counts-4');
    expect(found).toHaveLength(200);
    expect(found.filter((page) => page.fetch_interval === 171_717 && page.metadata?.['k'] === 'v')).toHaveLength(100);
  });
});

describe('INJECT of a known URL', () => {
  const url = 'http://a.test/';
  /** A page that was fetched a day ago, has been retried once, and is due in a month. */
  const crawled = async (crawlId: string): Promise<string> => {
    await inject(crawlId, [`${url}\told=1\tboth=1`]);
    await cycle.db.query(
      `with page as (
         update webpage set status = 2, fetch_time = now() + interval '30 days', prev_fetch_time = now() - interval '1 day',
                modified_time = now() - interval '2 days', retries_since_fetch = 1, score = 3, cash = 0.5, signature = 'abc', rank = null
          where crawl = (select id from crawl where name = $1) returning crawl, host)
       update host h set n_unfetched = 0, n_fetched = 1 from page where h.crawl = page.crawl and h.host = page.host`,
      [crawlId],
    );
    return md5(crawlId);
  };
  const md5 = async (crawlId: string) =>
    (
      await cycle.db.query<{ md5: string }>(
        `select md5(string_agg(w::text, '' order by w.key)) as md5 from webpage w where crawl = (select id from crawl where name = $1)`,
        [crawlId],
      )
    )[0]!.md5;

  it('changes nothing by default, to the byte (B12, B13, B15)', async () => {
    const before = await crawled('keep');
    const job = await inject('keep', [`${url}\tnutch.score=5\tnew=2`]);
    expect(await md5('keep')).toBe(before);
    expect(counters(job, 'injector_merge')).toEqual({ keep: 1 });
  });

  it('replaces the page with overwrite: unfetched, due now, score and metadata of the seed (B13)', async () => {
    await crawled('overwrite');
    const job = await inject('overwrite', [`${url}\tnutch.score=5\tnew=2`], { overwrite: true });
    const page = await one('overwrite');
    expect(page).toMatchObject({
      status: 1,
      score: 5,
      cash: 5,
      metadata: { new: '2' },
      retries_since_fetch: 0,
      signature: null,
    });
    expect(page.fetch_time.getTime()).toBeLessThanOrEqual(job.endedAt!.getTime());
    expect(await cycle.run('GENERATE', {}, { crawlId: 'overwrite' })).toMatchObject({
      result: { 'generate.count': 1 },
    });
  });

  it('merges metadata and sets a score other than the default with update; status and times stay (B13, B15)', async () => {
    await crawled('update');
    const [before] = await pages(cycle, 'update');
    await inject('update', [`${url}\tnutch.score=5\tnew=2\tboth=2`], { update: true });
    expect(await one('update')).toEqual({ ...before, score: 5, metadata: { old: '1', both: '2', new: '2' } });
  });

  it('keeps score and interval in an update that does not set them', async () => {
    await crawled('update-bare');
    await inject('update-bare', [url], { update: true });
    expect(await one('update-bare')).toMatchObject({ score: 3, fetch_interval: DAYS_30 });
  });

  it('replaces the page when overwrite and update are both set (Nutch injector.merge case 3)', async () => {
    await crawled('both');
    await inject('both', [url], {}, { 'db.injector.overwrite': 'true', 'db.injector.update': 'true' });
    expect(await one('both')).toMatchObject({ status: 1, score: 1, metadata: null });
  });

  it.each([
    [{ update: true }, 'db_gone', 3],
    [{ update: true }, 'db_unfetched', 1],
    [{ overwrite: true }, 'db_gone', 3],
    [{}, 'db_gone', 2],
    [{ update: true }, '3', 3],
    [{ update: true }, 'DB_GONE', 3],
    [{ update: true }, '34', 2],
    [{ update: true }, 'nonsense', 2],
  ])('leaves status with %j, nutch.status=%s: %d (B17)', async (args, name, status) => {
    const crawlId = `status-${status}-${Object.keys(args).join('')}-${name}`;
    await crawled(crawlId);
    await inject(crawlId, [`${url}\tnutch.status=${name}`], args);
    expect((await one(crawlId)).status).toBe(status);
  });

  it('does not change the page in another crawl', async () => {
    await crawled('mine');
    await inject('yours', [url]);
    expect(await one('mine')).toMatchObject({ status: 2, score: 3 });
    expect(await one('yours')).toMatchObject({ status: 1, score: 1 });
  });

  it('reads a long list in chunks and counts every line once', async () => {
    const lines = Array.from({ length: 5_003 }, (_, i) => `http://a.test/${i}`);
    const job = await inject('long', lines);
    expect(counter(job, 'injector', 'urls_injected')).toBe(5_003);
    expect(await pages(cycle, 'long')).toHaveLength(5_003);
  });

  it.each([
    ['whose lines are all comments', ['# http://a.test/'], {}],
    ['whose URLs are all filtered', ['http://a.test/x.gif'], { urls_filtered: 1 }],
  ])('counts no injected URL for a list %s', async (_, lines, others) => {
    expect(counters(await inject('none', lines), 'injector')).toEqual({ urls_injected: 0, ...others });
  });

  it('counts pages by status 66 (injected) and stores them with status 1 (B10)', async () => {
    const job = await inject('b10', ['http://a.test/', 'http://a.test/#twice', 'http://b.test/']);
    expect(counters(job, 'injector_status')).toEqual({ '66 (injected)': 2 });
    expect((await pages(cycle, 'b10')).map(({ status }) => status)).toEqual([1, 1]);
  });
});
