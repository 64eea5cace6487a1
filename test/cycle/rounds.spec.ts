import { describe, expect, it } from 'vitest';
import { openCandidates } from '../../src/cycle/generate/candidates.sql.js';
import type { Sql } from '../../src/db/sql.js';
import { scanPages } from '../../src/webpage/page-scan.sql.js';
import { page, redirect, status } from '../support/site.js';
import { crawler, cycle, links, useCrawler } from './crawler.js';
import { batchOf, byPath, counters, pageAt, pages } from './table.js';

/** Several rounds, and pages of several kinds (feature rows C29, C43, D23, D28, E6, E10, E12, F22, N1, N7 to N9). */

useCrawler();

/** /a links to /b, /b to /c and so on. */
const chain = (...names: string[]) =>
  crawler.site(Object.fromEntries(names.map((name, at) => [`/${name}`, links(`/${names[at + 1] ?? 'end'}`)])));

describe('depth of a crawl', () => {
  it('three rounds on a chain of links fetch three pages and add the fourth (F22)', async () => {
    const web = await chain('a', 'b', 'c', 'd');
    await crawler.inject('depth', [`${web.url}/a`]);
    for (let round = 0; round < 3; round++) expect(await crawler.round('depth')).toBe(1);
    expect(await byPath(cycle, (row) => row.status, 'depth')).toEqual({ '/a': 2, '/b': 2, '/c': 2, '/d': 1 });
  });

  it('generate.max.distance 3 never fetches a page four links away, however many rounds there are (N8)', async () => {
    const web = await chain('a', 'b', 'c', 'd', 'e', 'f');
    await crawler.inject('distance', [`${web.url}/a`]);
    const conf = { 'generate.max.distance': '3' };
    let rounds = 0;
    while ((await crawler.round('distance', conf)) > 0) rounds++;
    expect(rounds).toBe(4);
    expect(await byPath(cycle, (row) => row.status, 'distance')).toEqual({
      '/a': 2,
      '/b': 2,
      '/c': 2,
      '/d': 2,
      '/e': 1,
    });
  });

  it('seeds added between two rounds are fetched in the next (N1)', async () => {
    const web = await crawler.site({ '*': page('x') });
    await crawler.inject('between', [`${web.url}/first`]);
    await crawler.round('between');
    await crawler.inject('between', [`${web.url}/second`]);
    expect(await crawler.round('between')).toBe(1);
    expect((await pageAt(cycle, '/second', 'between')).status).toBe(2);
  });
});

describe('GENERATE', () => {
  it('without limits selects exactly the unfetched pages (C43)', async () => {
    const web = await crawler.site({
      '/': links('/new', '/gone', 'http://other.test/other'),
      '/gone': status(410),
      '/moved': redirect('/target'),
    });
    await crawler.inject(
      'plain',
      ['/', '/gone', '/moved'].map((path) => web.url + path),
    );
    await crawler.round('plain');
    const statuses = await byPath(cycle, (row) => row.status, 'plain');
    expect(Object.values(statuses).toSorted()).toEqual([1, 1, 1, 2, 3, 4]);
    const job = await cycle.run('GENERATE', {}, { crawlId: 'plain' });
    const selected = (await pages(cycle, 'plain')).filter((row) => row.generate_mark === batchOf(job));
    expect(selected).toHaveLength(3);
    expect(selected.map((row) => row.status)).toEqual([1, 1, 1]);
  });

  it('selects no column of content, text or links (C29)', async () => {
    const statements: string[] = [];
    const spy = { query: async ({ text }: { text: string }) => (statements.push(text), { rows: [] }) };
    for (const ahead of [false, true])
      await openCandidates(spy as unknown as Sql, {
        crawl: 1,
        curTime: new Date(),
        ahead,
        sitemap: false,
        facts: true,
      });
    expect(statements).toHaveLength(2);
    for (const text of statements) {
      expect(text).toMatch(/from webpage\b/);
      expect(text).not.toMatch(/page_content|inlink|outlink|\bcontent\b|\btext\b|\*\s+from webpage/);
    }
  });
});

describe('a fetched batch', () => {
  it('is read in key order, with status, fetch time and signature of each page (D23, D24)', async () => {
    const web = await crawler.site({ '*': (request, response) => void response.end(`<p>${request.url}`) });
    const paths = ['/c', '/a', '/b/2', '/b', '/b/1'];
    await crawler.inject(
      'order',
      paths.map((path) => web.url + path),
    );
    const batch = await crawler.untilParsed('order');
    const crawl = (await cycle.jobs.list({ crawlId: 'order', limit: 1 }))[0]!.crawl;
    const found = [];
    for await (const chunk of scanPages(cycle.pool, { crawl, batch }, 'row')) found.push(...chunk);
    expect(found.map(({ key }) => key.slice(key.indexOf('/')))).toEqual(paths.toSorted());
    for (const row of found)
      expect(row).toMatchObject({
        status: 2,
        fetchTime: expect.any(Date),
        signature: expect.stringMatching(/^\w{32}$/),
      });
  });
});

describe('pages of several kinds', () => {
  it('21 links of a page give 21 outlinks, absolute and with their anchors (E6, N9)', async () => {
    const web = await crawler.site({ '/a/b': links(...Array.from({ length: 21 }, (_, i) => `../x${i}`)) });
    await crawler.inject('figure', [`${web.url}/a/b`]);
    await crawler.untilParsed('figure');
    const [row] = await cycle.db.query<{ outlink_keys: string[]; outlink_anchors: string[] }>(
      `select outlink_keys, outlink_anchors from page_content where crawl = (select id from crawl where name = 'figure')`,
    );
    expect(row!.outlink_keys).toEqual(Array.from({ length: 21 }, (_, i) => expect.stringMatching(`^[^/]+/x${i}$`)));
    expect(row!.outlink_anchors).toEqual(Array.from({ length: 21 }, (_, i) => `link ${i}`));
  });

  it('HTML, plain text and feeds (one page each) store text; other formats store bytes and "no parser" (E10, E12)', async () => {
    const web = await crawler.site({
      '/page.html': page('<p>words'),
      '/page.txt': page('words', { 'content-type': 'text/plain' }),
      '/packed': page('PK\u0003\u0004', { 'content-type': 'application/zip' }),
      '/feed.xml': page('<rss><channel><title>words</title><item/><item/><item/></channel></rss>', {
        'content-type': 'application/rss+xml',
      }),
    });
    const paths = ['/page.html', '/page.txt', '/packed', '/feed.xml'];
    const rules = { 'urlfilter.regex.rules': '+.' };
    await cycle.inject(
      paths.map((path) => web.url + path),
      {},
      { crawlId: 'formats', conf: rules },
    );
    const batch = await crawler.untilParsed('formats', rules);
    await crawler.update('formats', { batch });
    const parsed = await byPath(cycle, (row) => [row.status, row.parse_major, ...(row.parse_args ?? [])], 'formats');
    expect(parsed).toEqual({
      '/page.html': [2, 1],
      '/page.txt': [2, 1],
      '/packed': [2, 2, 'no parser for application/zip'],
      '/feed.xml': [2, 1],
    });
    const kept = await cycle.db.query<{ path: string; text: boolean; content: boolean }>(
      `select substr(key, strpos(key, '/')) as path, text is not null as text, content is not null as content
         from page_content where crawl = (select id from crawl where name = 'formats') order by key`,
    );
    expect(kept).toEqual(paths.toSorted().map((path) => ({ path, text: path !== '/packed', content: true })));
  });

  it('seeds of schemes other than http and https are rejected and counted by reason (D28)', async () => {
    const job = await cycle.inject(
      ['ftp://a.test/x', 'file:///etc/hosts', 'http://a.test/'],
      { noFilter: true },
      { crawlId: 'schemes' },
    );
    expect(await byPath(cycle, (row) => row.status, 'schemes')).toEqual({ '/': 1 });
    expect(counters(job, 'injector_rejected')).toEqual({ scheme: 2 });
  });

  it('metadata of a seed line stays with the page after its round (N7)', async () => {
    const web = await crawler.site({ '/': page('<html lang=it>') });
    await crawler.inject('brought', [`${web.url}/\tcategory=news`]);
    await crawler.round('brought');
    expect((await pages(cycle, 'brought'))[0]!.metadata).toEqual({ category: 'news', language: 'it' });
  });
});

it('a batch id is valid for its crawl only: FETCH of another crawl fails', async () => {
  await crawler.inject('one', ['http://a.test/']);
  await crawler.inject('two', ['http://a.test/']);
  const batch = batchOf(await cycle.run('GENERATE', { batch: 'mine' }, { crawlId: 'one' }));
  expect(await cycle.run('FETCH', { batch }, { crawlId: 'two' })).toMatchObject({
    state: 'FAILED',
    msg: expect.stringContaining('this crawl has never had a batch or segment "mine"'),
  });
});
