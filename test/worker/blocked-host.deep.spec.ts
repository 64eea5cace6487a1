import { afterAll, beforeAll, expect, it } from 'vitest';
import { partitionHash } from '../../src/core/url/partition.js';
import { Crawler, type Job } from '../faults/crawl.js';
import { testDatabase } from '../support/database.js';
import { page, startSite, status, type Site } from '../support/site.js';

/** A continuous crawl, of a host that asks for a pause while another one is fetched. */

const PAGES = 30;
const HOSTS = Array.from({ length: 40 }, (_, i) => `127.0.5.${i + 1}`);

let crawler: Crawler;
const sites: Site[] = [];
beforeAll(async () => {
  crawler = new Crawler(await testDatabase(), { WORKERS: '2' });
  await crawler.start();
  await crawler.configure({
    'fetcher.backoff.max.wait': '0',
    'fetcher.queue.depth.multiplier': '4',
    'http.timeout': '60000',
  });
});
afterAll(async () => {
  await crawler.close();
  await crawler.db.drop();
  await Promise.all(sites.map((site) => site.close()));
});

/** Hosts of two tasks. */
const partOf = (host: string): number => partitionHash(host) % 2;
const [blockedHost = ''] = HOSTS.filter((host) => partOf(host) === 0);
const [otherHost = ''] = HOSTS.filter((host) => partOf(host) === 1);

it.each([
  ['in the same task', HOSTS.find((host) => partOf(host) === 0 && host !== blockedHost)!],
  ['in a task that has nothing else', otherHost],
])('fetches the pages of the host after its pause, each once, while the FETCH goes on, %s', async (how, host) => {
  const isLast = Promise.withResolvers<void>();
  let answered = 0;
  let isInTime = false;
  const blocking = await startSite(
    (req, res) => {
      if (req.url === '/robots.txt') return status(404)(req, res);
      answered++;
      if (answered === 5) return status(429, { 'Retry-After': '2' })(req, res);
      if (answered === PAGES) isLast.resolve();
      return page('x')(req, res);
    },
    { host: blockedHost },
  );
  const other = await startSite(
    async (req, res) => {
      if (req.url === '/robots.txt') return status(404)(req, res);
      // The FETCH goes on until all pages of the other host were requested.
      await isLast.promise;
      isInTime = !res.destroyed;
      return page('y')(req, res);
    },
    { host },
  );
  sites.push(blocking, other);
  const seeds = [`${other.url}/`, ...Array.from({ length: PAGES }, (_, i) => `${blocking.url}/${i}`)];
  const { id } = await crawler.call<Job>('/v1/crawls', {
    crawlId: `k ${how}`.replaceAll(' ', '-'),
    confId: 'c',
    seeds,
  });
  expect(await crawler.ended(id)).toMatchObject({ state: 'FINISHED' });
  const paths = blocking.log.map(({ path }) => path).filter((path) => path !== '/robots.txt');
  expect(new Set(paths).size).toBe(PAGES);
  // The page that was answered by 429 is due again on another day.
  expect(paths).toHaveLength(PAGES);
  expect(isInTime).toBe(true);
});
