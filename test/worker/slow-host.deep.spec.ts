import { afterAll, beforeAll, expect, it } from 'vitest';
import { Crawler, type Job } from '../faults/crawl.js';
import { testDatabase } from '../support/database.js';
import { page, startSite, status, type Site } from '../support/site.js';

/** A continuous crawl, of a host that answers late and one whose pages are found in two steps. */

const SLOW = 60;
const FOUND = 25;

let crawler: Crawler;
const sites: Site[] = [];
beforeAll(async () => {
  crawler = new Crawler(await testDatabase(), { WORKERS: '1' });
  await crawler.start();
  await crawler.configure({ 'fetcher.threads.fetch': '2', 'fetcher.queue.depth.multiplier': '4' });
});
afterAll(async () => {
  await crawler.close();
  await crawler.db.drop();
  await Promise.all(sites.map((site) => site.close()));
});

const list = (urls: string[]): string => urls.map((url) => `<a href="${url}">x</a>`).join(' ');
const numbers = Array.from({ length: FOUND }, (_, i) => i);

it('generates and fetches the links of a host while another has more pages than are read ahead', async () => {
  const isLast = Promise.withResolvers<void>();
  let last = 0;
  const finding = await startSite(
    (req, res) => {
      if (req.url === '/robots.txt') return status(404)(req, res);
      if (req.url!.startsWith('/second') && ++last === FOUND) isLast.resolve();
      const first = numbers.map((n) => `/first/${n}`);
      return page(req.url === '/' ? list(first) : list([req.url!.replace('first', 'second')]))(req, res);
    },
    { host: '127.0.2.31' },
  );
  const slow = await startSite(
    async (req, res) => {
      if (req.url === '/robots.txt') return status(404)(req, res);
      // Its first page comes after the last one of the other host.
      await isLast.promise;
      return page('x')(req, res);
    },
    { host: '127.0.2.32' },
  );
  sites.push(finding, slow);
  const seeds = [`${finding.url}/`, ...Array.from({ length: SLOW }, (_, i) => `${slow.url}/${i}`)];
  const { id } = await crawler.call<Job>('/v1/crawls', { crawlId: 'k', confId: 'c', seeds });
  expect(await crawler.ended(id)).toMatchObject({ state: 'FINISHED' });
  const requested = sites.map(({ log }) => log.map(({ path }) => path).filter((path) => path !== '/robots.txt'));
  expect(requested.map((paths) => [paths.length, new Set(paths).size])).toEqual([
    [1 + 2 * FOUND, 1 + 2 * FOUND],
    [SLOW, SLOW],
  ]);
});
