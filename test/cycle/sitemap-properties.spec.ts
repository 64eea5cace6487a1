import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseSitemap } from '../../src/core/sitemap/sitemap.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { page } from '../support/site.js';
import { entry, index, sitemapsOf, urlset } from './sitemaps.js';
import { counter, pageAt } from './table.js';

/** Properties sitemap.* of SITEMAP that bound what is read, and switch its rules off. */

let cycle: Cycle;
let { site, closeSites, run, paths, rows: sitemaps } = {} as ReturnType<typeof sitemapsOf>;

beforeAll(async () => {
  cycle = await openCycle();
  ({ site, closeSites, run, paths, rows: sitemaps } = sitemapsOf(cycle));
});
afterEach(() => closeSites());
afterAll(() => cycle.close());

it.each([
  ['of its length', 0, '-1', ['/a', '/b']],
  ['one byte below its length', -1, '-1', ['/a']],
  ['of -1, which is sitemap.size.max', null, '-1', ['/a', '/b']],
  ['above http.content.limit, which bounds pages only', 0, '5', ['/a', '/b']],
])('sitemap.content.limit %s: the entries before the cut are kept', async (_what, beyond, contentLimit, expected) => {
  const crawlId = `limit ${beyond} ${contentLimit}`;
  const text = (url: string) => `${url}/a\n${url}/b`;
  const one = await site((url) => ({ '/m.txt': page(text(url), { 'content-type': 'text/plain' }) }));
  const limit = beyond === null ? -1 : text(one.url).length + beyond;
  const conf = { 'sitemap.content.limit': String(limit), 'http.content.limit': contentLimit };
  await run(crawlId, { sitemapUrls: [`${one.url}/m.txt`] }, conf);
  expect(await paths(crawlId)).toEqual(expected);
});

it.each([
  ['86400', '3600', 3_600],
  ['1000000000000', '7776000', 7_776_000],
])(
  'a changefreq within a minimum of %s s gives an interval of db.fetch.interval.max, %s s, at most',
  async (min, max, expected) => {
    const crawlId = `interval-${min}`;
    const one = await site((url) => ({ '/m.xml': urlset(entry(`${url}/a`, '<changefreq>hourly</changefreq>')) }));
    const conf = { 'db.fetch.schedule.adaptive.min_interval': min, 'db.fetch.interval.max': max };
    await run(crawlId, { sitemapUrls: [`${one.url}/m.xml`] }, conf);
    expect(await pageAt(cycle, '/a', crawlId)).toMatchObject({ fetch_interval: expected });
  },
);

describe('the rules of URLs', () => {
  const filters = { 'urlfilter.regex.rules': '-\\.zip$\n+.' };

  it.each<[string, Record<string, unknown>, Record<string, string>, string[]]>([
    ['apply to entries as shipped', {}, {}, ['/x/a']],
    ['sitemap.url.filter false lets filtered ones in', {}, { 'sitemap.url.filter': 'false' }, ['/x/a', '/x/no.zip']],
    ['so does the argument noFilter', { noFilter: true }, { 'sitemap.url.filter': 'true' }, ['/x/a', '/x/no.zip']],
    ['noFilter false filters', { noFilter: false }, { 'sitemap.url.filter': 'false' }, ['/x/a']],
    ['sitemap.url.normalize false keeps them as written', {}, { 'sitemap.url.normalize': 'false' }, ['/x//a']],
    ['so does the argument noNormalize', { noNormalize: true }, { 'sitemap.url.normalize': 'true' }, ['/x//a']],
    ['noNormalize false normalizes', { noNormalize: false }, { 'sitemap.url.normalize': 'false' }, ['/x/a']],
  ])('%s', async (name, args, conf, expected) => {
    const one = await site((url) => ({ '/m.xml': urlset(entry(`${url}/x//a`), entry(`${url}/x/no.zip`)) }));
    const asked = { sitemapUrls: [`${one.url}/m.xml`], noStrict: true, ...args };
    await run(name, asked, { ...filters, ...conf });
    expect(await paths(name)).toEqual(expected);
  });

  it('sitemap.url.filter false reads a sitemap whose own URL is filtered', async () => {
    const conf = { 'urlfilter.regex.rules': '-/hidden/\n+.' };
    const one = await site((url) => ({ '/hidden/m.xml': urlset(entry(`${url}/hidden/a`)) }));
    const args = { sitemapUrls: [`${one.url}/hidden/m.xml`] };
    await run('hidden', args, conf);
    expect(one.log).toEqual([]);
    await run('hidden', args, { ...conf, 'sitemap.url.filter': 'false' });
    expect(await paths('hidden')).toEqual(['/hidden/a']);
  });
});

it('a crawl keeps at most 50,000 sitemaps of a host; those that it knows already are read all the same', async () => {
  const one = await site((url) => ({
    '/i.xml': index(`${url}/known.xml`, `${url}/new1.xml`, `${url}/new2.xml`),
    '/known.xml': urlset(entry(`${url}/known`)),
    '/new1.xml': urlset(entry(`${url}/new1`)),
    '/new2.xml': urlset(entry(`${url}/new2`)),
  }));
  const args = { sitemapUrls: [`${one.url}/i.xml`, `${one.url}/known.xml`] };
  await cycle.db.query(`insert into crawl (name) values ('many')`);
  // With the two of the arguments there are 49,999.
  await cycle.db.query(
    `insert into sitemap (crawl, host, url, source)
     select id, '127.0.0.1', $1 || '/old/' || n, 'index' from crawl, generate_series(1, 49997) n where name = 'many'`,
    [one.url],
  );
  const job = await run('many', args);
  expect(await paths('many')).toEqual(['/known', '/new1']);
  expect(counter(job, 'Sitemap', 'too_many_sitemaps')).toBe(1);
  expect((await sitemaps('many')).filter(({ status }) => status !== null)).toHaveLength(3);
});

it.each([
  ['XML', 'application/xml', (url: string) => `<url><loc>${url}</loc></url>`, ['<urlset>', '</urlset>']],
  ['text', 'text/plain', (url: string) => `${url}\n`, ['', '']],
])(
  'sitemap.parser.timeout ends the reading of %s; what was read is kept',
  (_format, contentType, line, [begin, end]) => {
    const lines = Array.from({ length: 10_000 }, (_, n) => line(`http://a.test/${n}`));
    let asked = 0;
    const document = parseSitemap(Buffer.from(begin + lines.join('') + end), {
      url: 'http://a.test/m',
      contentType,
      isCut: false,
      extensions: false,
      strict: true,
      alsoOrigins: [],
      maxBytes: 10_000_000,
      isOver: () => ++asked > 2,
    });
    expect(document.entries.length).toBeGreaterThan(0);
    expect(document.entries.length).toBeLessThan(10_000);
    expect(document.errors).toMatchObject([{ reason: 'timeout', count: 1 }]);
  },
);
