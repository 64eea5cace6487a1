import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Handler, type Site, page, status } from '../support/site.js';
import { asked, entry, index, sitemapsOf, urlset } from './sitemaps.js';

/** Sites that name their sitemaps by the day, and remove the old ones. */

let cycle: Cycle;
let { site, closeSites, run, paths, rows } = {} as ReturnType<typeof sitemapsOf>;

beforeAll(async () => {
  cycle = await openCycle();
  ({ site, closeSites, run, paths, rows } = sitemapsOf(cycle));
});
afterEach(() => closeSites());
afterAll(() => cycle.close());

/** Paths of sitemaps requested in a job of the crawl. */
async function askedIn(one: Site, crawlId: string): Promise<string[]> {
  const before = one.log.length;
  await run(crawlId);
  return asked(one)
    .slice(before)
    .filter((path) => path.startsWith('/day'))
    .sort();
}

/** A crawl of a site whose index names the sitemap of the day alone. */
async function dated(crawlId: string, lost: Handler): Promise<{ one: Site; nextDay(): void }> {
  let day = 1;
  const one = await site((url) => ({
    '/': page('<title>t</title>'),
    '/sitemap.xml': (req, res) => index(`${url}/day${day}.xml`)(req, res),
    '*': (req, res) => (req.url === `/day${day}.xml` ? urlset(entry(`${url}/page${day}`)) : lost)(req, res),
  }));
  await cycle.inject([`${one.url}/`], {}, { crawlId });
  return { one, nextDay: () => void day++ };
}

describe.each([
  ['gone', status(404)],
  ['not_a_sitemap', page('<title>Not found</title>')],
])('a sitemap that is %s, and that its index names no more', (result, lost) => {
  it('is not requested in the next SITEMAP, and is forgotten', async () => {
    const { one, nextDay } = await dated(result, lost);
    expect(await askedIn(one, result)).toEqual(['/day1.xml']);
    nextDay();
    expect(await askedIn(one, result)).toEqual(['/day1.xml', '/day2.xml']);
    expect(await rows(result)).toMatchObject([
      { path: '/day1.xml', status: result },
      { path: '/day2.xml' },
      { path: '/sitemap.xml' },
    ]);
    nextDay();
    expect(await askedIn(one, result)).toEqual(['/day2.xml', '/day3.xml']);
    expect((await rows(result)).map(({ path }) => path)).toEqual(['/day2.xml', '/day3.xml', '/sitemap.xml']);
    expect(await paths(result)).toEqual(['/', '/page1', '/page2', '/page3']);
  });
});

describe('a sitemap that is gone for a while', () => {
  it.each([
    ['changes', undefined],
    ['does not change', '"1"'],
  ])('is requested again if its index %s, and names it still', async (_, etag) => {
    const crawlId = etag === undefined ? 'changes' : 'same';
    let isThere = true;
    const one = await site((url) => ({
      '/': page('<title>t</title>'),
      '/sitemap.xml': (req, res) => {
        const isSame = etag !== undefined && req.headers['if-none-match'] === etag;
        if (etag !== undefined) res.setHeader('etag', etag);
        (isSame ? status(304) : index(`${url}/day.xml`))(req, res);
      },
      '/day.xml': (req, res) => (isThere ? urlset(entry(`${url}/page`)) : status(404))(req, res),
    }));
    await cycle.inject([`${one.url}/`], {}, { crawlId });
    for (const there of [true, false, false, true]) {
      isThere = there;
      expect(await askedIn(one, crawlId)).toEqual(['/day.xml']);
    }
    expect(await rows(crawlId)).toMatchObject([{ path: '/day.xml', status: 'fetched' }, { path: '/sitemap.xml' }]);
  });
});
