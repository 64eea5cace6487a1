import { describe, expect, it } from 'vitest';
import { type Handler, page } from '../support/site.js';
import { crawler, cycle, useCrawler } from './crawler.js';
import { byPath, pageAt } from './table.js';

/** Documents of several formats through a round: what they link to becomes pages (feature rows E10, E12, E16). */

useCrawler();

const OPEN = { 'urlfilter.regex.rules': '+.' };
const of = (type: string, content: string): Handler => page(content, { 'content-type': type });

/** Runs a round over one document; returns the paths of the other pages that the crawl then has. */
async function round(crawlId: string, document: Handler, conf: Record<string, string> = {}): Promise<string[]> {
  const site = await crawler.site({ '/document': document });
  await crawler.inject(crawlId, [`${site.url}/document`]);
  expect(await crawler.round(crawlId, { ...OPEN, ...conf })).toBe(1);
  return Object.keys(await byPath(cycle, () => true, crawlId)).filter((path) => path !== '/document');
}

describe('a document is one page, and its links become pages', () => {
  it.each<[string, Handler, string[]]>([
    [
      'rss',
      of('text/xml', '<rss><channel><title>Feed</title><item><title>a</title><link>/a</link></item></channel></rss>'),
      ['/a'],
    ],
    [
      'atom',
      of(
        'application/atom+xml',
        '<feed xmlns="http://www.w3.org/2005/Atom"><title>Feed</title><link rel="self" href="/self"/><entry><link href="/b"/></entry></feed>',
      ),
      ['/b'],
    ],
    ['json', of('application/ld+json', '{"name":"Feed","url":"/c"}'), ['/c']],
    ['xml', of('application/xml', '<?xml version="1.0"?><x><title>Feed</title><y href="/d">words</y></x>'), ['/d']],
  ])('%s', async (crawlId, document, paths) => {
    expect(await round(crawlId, document)).toEqual(paths);
    expect(await pageAt(cycle, '/document', crawlId)).toMatchObject({ title: 'Feed', parse_major: 1 });
  });

  it('a feed stores its entries as metadata', async () => {
    const feed =
      '<rss version="2.0"><channel><item><title>a</title><guid isPermaLink="false">1</guid></item></channel></rss>';
    await round('entries', of('application/rss+xml', feed));
    const { metadata } = await pageAt(cycle, '/document', 'entries');
    expect(metadata).toMatchObject({ 'feed.format': 'rss 2.0', 'feed.entries': '[{"title":"a","id":"1"}]' });
  });
});

describe('parser.plugins', () => {
  it('lists parsers that are tried until one succeeds (E16)', async () => {
    const conf = { 'parser.plugins': 'text/html parse-json feed parse-text' };
    await round('tried', page('<p>words</p>'), conf);
    const [row] = await cycle.db.query<{ text_length: number }>(
      `select text_length from page_content where crawl = (select id from crawl where name = 'tried')`,
    );
    expect(row!.text_length).toBe('<p>words</p>'.length);
  });

  it('stores the errors of all parsers when none succeeds', async () => {
    await round('failed', page('<p>words</p>'), { 'parser.plugins': 'text/html parse-json feed' });
    const { parse_major, parse_minor, parse_args } = await pageAt(cycle, '/document', 'failed');
    expect([parse_major, parse_minor]).toEqual([2, 203]);
    expect(parse_args![0]).toMatch(/^parse-json: no JSON: .*; feed: no feed: the root element is p$/);
  });
});
