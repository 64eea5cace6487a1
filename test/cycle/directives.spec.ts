import { describe, expect, it } from 'vitest';
import { page } from '../support/site.js';
import { crawler, cycle, useCrawler } from './crawler.js';
import { counters, pageAt } from './table.js';

/** Robots directives in pages and headers, and metadata that pages declare, through FETCH and PARSE. */

useCrawler();

const html = '<title>t</title>words <a href="/next">next</a> <a rel="ugc" href="/ugc">ugc</a>';
const tagged = (...tags: string[]) => page(html, { 'content-type': 'text/html', 'x-robots-tag': tags as never });

/** One page through FETCH and PARSE: its row, its content and the counters of dropped links. */
async function parsed(crawlId: string, handler: ReturnType<typeof page>, conf: Record<string, string> = {}) {
  const site = await crawler.site({ '/': handler });
  await crawler.inject(crawlId, [`${site.url}/`]);
  const generated = await cycle.run('GENERATE', {}, { crawlId, conf });
  const batch = String(generated.result!['generate.batch.id']);
  const fetch = await cycle.run('FETCH', { batch }, { crawlId, conf });
  const parse = await cycle.run('PARSE', { batch }, { crawlId, conf });
  const row = await pageAt(cycle, '/', crawlId);
  const [more] = await cycle.db.query<{
    metadata: Record<string, string> | null;
    text_length: number;
    outlinks: number;
  }>(
    `select w.metadata, p.text_length, cardinality(p.outlink_keys) as outlinks from webpage w
       join page_content p using (crawl, host, key) where w.crawl = (select id from crawl where name = $1) and w.parse_mark is not null`,
    [crawlId],
  );
  const dropped = counters(conf['fetcher.parse'] === 'true' ? fetch : parse, 'ParserOutlinksDropped');
  return { title: row.title, ...more!, dropped };
}

describe('X-Robots-Tag', () => {
  it.each<Record<string, string>>([{}, { 'fetcher.parse': 'true' }])(
    'noindex stores neither title nor text, and is noted in the metadata (%j)',
    async (conf) => {
      const crawlId = `noindex${Object.keys(conf).length}`;
      expect(await parsed(crawlId, tagged('noindex'), conf)).toMatchObject({
        title: '',
        text_length: 0,
        outlinks: 2,
        metadata: { 'X-Robots-Tag': 'noindex', robots: 'noindex' },
      });
    },
  );

  it('that is long is obeyed to its end', async () => {
    const others = Array.from({ length: 100 }, (_, n) => `other-crawler-${n}: nofollow`);
    expect(await parsed('long', tagged(...others, 'noindex'))).toMatchObject({ title: '', text_length: 0 });
  });

  it('nofollow drops the links and counts them', async () => {
    expect(await parsed('nofollow', tagged('otherbot: noindex', 'nofollow'))).toMatchObject({
      title: 't',
      outlinks: 0,
      dropped: { nofollow: 2 },
      metadata: { robots: 'nofollow' },
    });
  });

  it('ignores directives for another crawler and applies those for its own names', async () => {
    const conf = { 'http.robots.agents': 'second' };
    expect(await parsed('other', tagged('otherbot: noindex, nofollow'), conf)).toMatchObject({
      title: 't',
      outlinks: 2,
    });
    expect(await parsed('own', tagged('second: noindex'), conf)).toMatchObject({ title: '', outlinks: 2 });
  });

  it('is removed with its effects when the next visit has none', async () => {
    let tags = ['none'];
    const site = await crawler.site({ '/': (request, response) => void tagged(...tags)(request, response) });
    await crawler.inject('again', [`${site.url}/`]);
    await crawler.round('again');
    tags = [];
    await cycle.db.query(`update webpage set fetch_time = now() - interval '1 day'`);
    await crawler.round('again', { 'db.fetch.interval.default': '1' });
    const [row] = await cycle.db.query<{ title: string; metadata: object | null }>(
      `select title, metadata from webpage where crawl = (select id from crawl where name = 'again') and key like '%/'`,
    );
    expect(row!.title).toBe('t');
    expect(row!.metadata ?? {}).not.toHaveProperty('robots');
    expect(row!.metadata ?? {}).not.toHaveProperty('X-Robots-Tag');
  });
});

describe('X-Robots-Tag of a page whose bytes do not change', () => {
  const conf = { 'fetcher.parse': 'true' };

  /** The title and links after each visit to a page that answers 304 with these headers, and how often it was requested. */
  async function visits(crawlId: string, tags: (string | undefined)[]) {
    let tag: string | undefined;
    const site = await crawler.site({
      '/': ({ headers }, response) => {
        const own = { etag: '"1"', ...(tag !== undefined && { 'x-robots-tag': tag }) };
        if (headers['if-none-match'] === '"1"') return void response.writeHead(304, own).end();
        response.writeHead(200, { 'content-type': 'text/html', ...own }).end(html);
      },
    });
    await crawler.inject(crawlId, [`${site.url}/`]);
    const seen: unknown[] = [];
    for (tag of tags) {
      const where = 'crawl = (select id from crawl where name = $1)';
      await cycle.db.query(`update webpage set rank = null, fetch_time = 'infinity' where ${where}`, [crawlId]);
      await cycle.db.query(`update webpage set fetch_time = now() where ${where} and key like '%/'`, [crawlId]);
      const before = site.log.length;
      await crawler.round(crawlId, conf);
      const { title, status } = await pageAt(cycle, '/', crawlId);
      seen.push([title, status, site.log.slice(before).filter(({ path }) => path === '/').length]);
    }
    return seen;
  }

  it('is obeyed when it appears or changes, and stays when a 304 omits it (RFC 9111 §3.2)', async () => {
    expect(await visits('appears', [undefined, 'noindex', 'noindex', undefined, undefined, 'nofollow'])).toEqual([
      ['t', 2, 1],
      ['', 6, 2],
      ['', 6, 1],
      ['', 6, 1],
      ['', 6, 1],
      ['t', 6, 2],
    ]);
  });
});

describe('parse properties', () => {
  it('parser.html.outlinks.rel.ignore drops links with further rel values', async () => {
    const conf = { 'parser.html.outlinks.rel.ignore': 'nofollow,ugc' };
    expect(await parsed('rel', page(html), conf)).toMatchObject({ outlinks: 1, dropped: { nofollow: 1 } });
  });

  it('parse.html.metadata and outlinks.htmlnode_metadata_name store structured data and link elements', async () => {
    const rich = `<link rel=canonical href="/c"><meta property="og:title" content="OG"><script type="application/ld+json">{"a":1}</script>
      <link rel=alternate hreflang=de href="/de"><a href="/a">a</a><img src="/i.png">`;
    const conf = {
      'parse.html.metadata': 'og,jsonld,hreflang,images',
      'parser.html.outlinks.htmlnode_metadata_name': 'tags',
      'urlfilter.regex.rules': '+.',
      'plugin.excludes': 'urlfilter-suffix',
    };
    const { metadata } = await parsed('rich', page(rich), conf);
    const origin = new URL(metadata!['canonical']!).origin;
    expect(metadata).toEqual({
      canonical: `${origin}/c`,
      'og:title': 'OG',
      jsonld: '[{"a":1}]',
      hreflang: `de ${origin}/de`,
      images: `${origin}/i.png`,
      tags: 'link\tlink\ta\timg',
    });
  });
});
