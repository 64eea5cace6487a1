import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Handler, type Site, page, status } from '../support/site.js';
import { asked, entry, index, sitemapsOf, urlset, xml } from './sitemaps.js';

let cycle: Cycle;
let { site, closeSites, run, paths } = {} as ReturnType<typeof sitemapsOf>;

beforeAll(async () => {
  cycle = await openCycle();
  ({ site, closeSites, run, paths } = sitemapsOf(cycle));
});
afterEach(() => closeSites());
afterAll(() => cycle.close());

/** Answers 304 to a request with the ETag of the response before. */
const unlessSame =
  (etag: string, handler: Handler): Handler =>
  (req, res) =>
    req.headers['if-none-match'] === etag ? status(304)(req, res) : handler(req, res.setHeader('etag', etag));

/** A site with a sitemap that lists another page in each run, and indexes of it that never change. */
async function siteOf(robots: (url: string) => string): Promise<{ one: Site; change(): void }> {
  let version = 1;
  const one = await site((url) => ({
    '/robots.txt': page(robots(url), { 'content-type': 'text/plain' }),
    '/first.xml': unlessSame('"first"', index(`${url}/m.xml`)),
    '/second.xml': unlessSame('"second"', index(`${url}/m.xml`)),
    '/m.xml': (req, res) => urlset(entry(`${url}/page${version}`))(req, res),
  }));
  return { one, change: () => version++ };
}

/** Paths requested in a job, without robots.txt. */
async function askedIn(one: Site, job: () => Promise<unknown>): Promise<string[]> {
  const before = one.log.length;
  await job();
  return asked(one)
    .slice(before)
    .filter((path) => path !== '/robots.txt');
}

describe('a sitemap that several documents name', () => {
  it('is read again by way of each index that has not changed', async () => {
    const { one, change } = await siteOf(() => '');
    const [first, second] = [`${one.url}/first.xml`, `${one.url}/second.xml`];
    await run('two', { sitemapUrls: [first, second] });
    for (const sitemapUrls of [[first], [second], [first], [first], [second]]) {
      change();
      expect(await askedIn(one, () => run('two', { sitemapUrls }))).toContain('/m.xml');
    }
    expect(await paths('two')).toEqual(['/page1', '/page2', '/page3', '/page4', '/page5', '/page6']);
  });

  it('is read again by way of an unchanged index if robots.txt names it, too', async () => {
    const { one, change } = await siteOf((url) => `Sitemap: ${url}/m.xml\nSitemap: ${url}/first.xml`);
    const byIndex = { sitemapUrls: [`${one.url}/first.xml`] };
    for (const args of [{ hosts: [one.url] }, byIndex, byIndex, { hosts: [one.url] }, byIndex]) {
      expect(await askedIn(one, () => run('robots', args))).toContain('/m.xml');
      change();
    }
    expect(await paths('robots')).toEqual(['/page1', '/page2', '/page3', '/page4', '/page5']);
  });

  it('is read again by way of an unchanged index if it was an argument at the same time', async () => {
    const { one } = await siteOf(() => '');
    await run('argument', { sitemapUrls: [`${one.url}/m.xml`, `${one.url}/first.xml`] });
    const job = () => run('argument', { sitemapUrls: [`${one.url}/first.xml`] });
    expect(await askedIn(one, job)).toEqual(['/first.xml', '/m.xml']);
  });
});

describe('an index of which sitemap.job.max left out some sitemaps', () => {
  it('is requested unconditionally, so that a higher limit has an effect', async () => {
    const one = await site((url) => ({
      '/i.xml': unlessSame('"1"', index(`${url}/a.xml`, `${url}/b.xml`)),
      '/a.xml': page(`<urlset>${entry(`${url}/a`)}</urlset>`, xml),
      '/b.xml': page(`<urlset>${entry(`${url}/b`)}</urlset>`, xml),
    }));
    const args = { sitemapUrls: [`${one.url}/i.xml`] };
    await run('limit', args, { 'sitemap.job.max': '2' });
    expect(await paths('limit')).toEqual(['/a']);
    await run('limit', args);
    expect(await paths('limit')).toEqual(['/a', '/b']);
  });
});
