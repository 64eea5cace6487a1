import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Site, page, redirect } from '../support/site.js';
import { asked, entry, index, sitemapsOf, urlset } from './sitemaps.js';
import { pages } from './table.js';

let cycle: Cycle;
let { site, closeSites, run, paths, rows: sitemaps } = {} as ReturnType<typeof sitemapsOf>;

beforeAll(async () => {
  cycle = await openCycle();
  ({ site, closeSites, run, paths, rows: sitemaps } = sitemapsOf(cycle));
});
afterEach(() => closeSites());
afterAll(() => cycle.close());

/** The same origin under the name of another host. */
const elsewhere = (url: string) => url.replace('127.0.0.1', 'localhost');

/** A site on another port that redirects all requests, as sites redirect http to https. */
const moved = (to: Site): Promise<Site> =>
  site(() => ({ '*': (req, res) => redirect(`${to.url}${req.url}`)(req, res) }));

describe('a site that has moved to another origin, asked at its old one', () => {
  it('has its entries in any folder, as the robots.txt of the new origin names the sitemap', async () => {
    const here = await site((url) => ({
      '/robots.txt': page(`Sitemap: ${url}/maps/m.xml`),
      '/maps/m.xml': urlset(entry(`${url}/a`), entry(`${url}/maps/b`)),
    }));
    const old = await moved(here);
    await run('moved', { hosts: [old.url] });
    expect(await paths('moved')).toEqual(['/a', '/maps/b']);
    expect(await sitemaps('moved')).toMatchObject([
      { path: '/maps/m.xml', source: 'robots', status: 'fetched', wanted_by: null },
    ]);
    expect(asked(here).filter((path) => path === '/maps/m.xml')).toHaveLength(1);
  });

  it('has the entries of indexes, too', async () => {
    const here = await site((url) => ({
      '/robots.txt': page(`Sitemap: ${url}/maps/i.xml`),
      '/maps/i.xml': index(`${url}/maps/m.xml`),
      '/maps/m.xml': urlset(entry(`${url}/a`)),
    }));
    await run('moved-index', { hosts: [(await moved(here)).url] });
    expect(await paths('moved-index')).toEqual(['/a']);
  });

  it('has a sitemap that the same robots.txt disallows and names', async () => {
    const here = await site((url) => ({
      '/robots.txt': page(`User-agent: *\nDisallow: /maps/\nSitemap: ${url}/maps/m.xml`),
      '/maps/m.xml': urlset(entry(`${url}/maps/a`)),
    }));
    await run('moved-denied', { hosts: [(await moved(here)).url] });
    expect(await paths('moved-denied')).toEqual(['/maps/a']);
  });

  it('has them in the next run, too', async () => {
    let n = 1;
    const here = await site((url) => ({
      '/robots.txt': page(`Sitemap: ${url}/maps/m.xml`),
      '/maps/m.xml': (req, res) => urlset(entry(`${url}/a${n}`))(req, res),
    }));
    const old = await moved(here);
    for (; n <= 2; n++) await run('moved-again', { hosts: [old.url] });
    expect(await paths('moved-again')).toEqual(['/a1', '/a2']);
  });
});

describe('a sitemap that the robots.txt of its origin names', () => {
  const named = () =>
    site((url) => ({
      '/robots.txt': page(`User-agent: *\nDisallow: /maps/m.xml\nSitemap: ${url}/maps/m.xml`),
      '/maps/m.xml': urlset(entry(`${url}/a`)),
      '/i.xml': index(`${url}/maps/m.xml`),
    }));

  it.each<[string, string]>([
    ['an argument', '/maps/m.xml'],
    ['in an index that is an argument', '/i.xml'],
  ])('may be requested, and has entries in any folder, if it is %s', async (where, path) => {
    const one = await named();
    const crawlId = `named-${where.length}`;
    await run(crawlId, { sitemapUrls: [one.url + path] });
    expect(await paths(crawlId)).toEqual(['/a']);
  });

  it('may be requested, and has entries in any folder, if it is a seed', async () => {
    const one = await named();
    await cycle.inject([`${one.url}/maps/m.xml\t-sitemap`], {}, { crawlId: 'named-seed' });
    await run('named-seed', { sitemapUrls: [`${one.url}/maps/m.xml`] });
    expect(await paths('named-seed')).toEqual(['/a', '/maps/m.xml']);
  });

  it('in an index of another host keeps to the hosts of the index with db.ignore.external.links', async () => {
    const there = await site((url) => ({
      '/robots.txt': page(`Sitemap: ${elsewhere(url)}/m.xml`),
      '/m.xml': urlset(entry(`${elsewhere(url)}/b`)),
    }));
    const one = await site(() => ({ '/i.xml': index(`${elsewhere(there.url)}/m.xml`) }));
    await run('named-far', { sitemapUrls: [`${one.url}/i.xml`] });
    await cycle.db.query(`delete from webpage where crawl = (select id from crawl where name = 'named-far')`);
    await cycle.db.query(
      `update sitemap set vouched_by = null, source = 'index', found_in = $1 where url like '%/m.xml'`,
      [`${one.url}/i.xml`],
    );
    await run('named-far', { force: true }, { 'db.ignore.external.links': 'true' });
    expect(await paths('named-far')).toEqual([]);
  });
});

describe('a sitemap on another origin than the robots.txt that names it', () => {
  it('keeps to the entries of that origin if its own robots.txt does not name it', async () => {
    let own = '';
    const other = await site((url) => ({
      '/robots.txt': page(`Sitemap: ${url}/another.xml`),
      '/maps/m.xml': (req, res) => urlset(entry(`${url}/b`), entry(`${own}/a`))(req, res),
    }));
    const one = await site((url) => ({
      '/robots.txt': page(`Sitemap: ${other.url}/maps/m.xml`),
      '/x': urlset((own = url)),
    }));
    await run('cross', { hosts: [one.url] });
    expect(await paths('cross')).toEqual(['/a']);
    expect(asked(other)).not.toContain('/another.xml');
  });

  it('keeps to the hosts of a crawl with db.ignore.external.links, also if its own robots.txt names it', async () => {
    let own = '';
    const other = await site((url) => ({
      '/robots.txt': page(`Sitemap: ${elsewhere(url)}/m.xml`),
      '/m.xml': (req, res) => urlset(entry(`${elsewhere(url)}/b`), entry(`${own}/a`))(req, res),
    }));
    const one = await site((url) => ({
      '/robots.txt': page(`Sitemap: ${elsewhere(other.url)}/m.xml`),
      '/x': urlset((own = url)),
    }));
    await run('cross-scope', { hosts: [one.url] }, { 'db.ignore.external.links': 'true' });
    expect(await paths('cross-scope')).toEqual(['/a']);
  });
});

describe('a robots.txt', () => {
  it('speaks for http and https of its host', async () => {
    // The site is reached through itself as a proxy, as both schemes have their default ports.
    const proxy = await site(() => ({
      'http://localhost/robots.txt': page('Sitemap: http://localhost/maps/i.xml'),
      'http://localhost/maps/i.xml': index('http://localhost/maps/m.xml'),
      'http://localhost/maps/m.xml': urlset(
        entry('https://localhost/a'),
        entry('http://localhost/b'),
        entry('https://localhost:8443/c'),
        entry('https://other.test/d'),
      ),
    }));
    const { hostname, port } = new URL(proxy.url);
    const conf = { 'http.proxy.host': hostname, 'http.proxy.port': port, 'http.proxy.exception.list': '' };
    await run('schemes', { hosts: ['localhost'] }, conf);
    expect((await pages(cycle, 'schemes')).map(({ key }) => key)).toEqual(['localhost:http/b', 'localhost:https/a']);
  });
});
