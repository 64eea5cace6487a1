import dns from 'node:dns/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { replaceBuiltin } from '../support/builtins.js';
import { page, status } from '../support/site.js';
import { asked, entry, sitemapsOf, urlset } from './sitemaps.js';
import { pages } from './table.js';

// The name of the site exists nowhere else.
replaceBuiltin(dns, { lookup: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]) });

let cycle: Cycle;
beforeAll(async () => {
  cycle = await openCycle();
});
afterAll(() => cycle.close());

it('SITEMAP reads a sitemap once whose URL has its host in Unicode, also if robots.txt names it', async () => {
  const { site, closeSites, run } = sitemapsOf(cycle);
  const ascii = 'http://xn--bcher-kva.test';
  let requests = 0;
  // The site is reached through itself as a proxy.
  const proxy = await site(() => ({
    [`${ascii}/robots.txt`]: page(`Sitemap: ${ascii}/m.xml`),
    [`${ascii}/m.xml`]: (req, res) => (++requests > 5 ? status(404) : urlset(entry(`${ascii}/a`)))(req, res),
  }));
  const { hostname, port } = new URL(proxy.url);
  const conf = { 'http.proxy.host': hostname, 'http.proxy.port': port, 'urlnormalizer.basic.host.idn': 'toUnicode' };
  await run('unicode', { sitemapUrls: ['http://bücher.test/m.xml'] }, conf);
  expect(asked(proxy)).toEqual([`${ascii}/robots.txt`, `${ascii}/m.xml`]);
  expect((await pages(cycle, 'unicode')).map(({ key }) => key)).toEqual(['test.bücher:http/a']);
  await closeSites();
});
