import { expect, it } from 'vitest';
import { page, startSite, status } from '../support/site.js';
import { cycle, untilTestEnds, useCrawler } from './crawler.js';
import { batchOf, counters } from './table.js';

/** One FETCH of a batch in which most pages are of a slow host. */

useCrawler();

const SLOW = 60;
const FAST = 40;

it('a host with more pages than are read ahead does not delay the pages of others', async () => {
  const isLast = Promise.withResolvers<void>();
  let answered = 0;
  const fast = await startSite(
    (req, res) => {
      if (req.url === '/robots.txt') return status(404)(req, res);
      if (++answered === FAST) isLast.resolve();
      return page('x')(req, res);
    },
    { host: '127.0.2.21' },
  );
  const slow = await startSite(
    async (req, res) => {
      if (req.url === '/robots.txt') return status(404)(req, res);
      // Its first page comes after all pages of the other host.
      await isLast.promise;
      return page('y')(req, res);
    },
    { host: '127.0.2.22' },
  );
  [fast, slow].forEach(untilTestEnds);
  const urls = [
    ...Array.from({ length: SLOW }, (_, i) => `${slow.url}/${i}`),
    ...Array.from({ length: FAST }, (_, i) => `${fast.url}/${i}`),
  ];
  const crawlId = 'large-slow';
  await cycle.inject(urls, {}, { crawlId });
  const batch = batchOf(await cycle.run('GENERATE', {}, { crawlId }));
  const conf = { 'fetcher.server.delay': '0', 'fetcher.threads.fetch': '2', 'fetcher.queue.depth.multiplier': '4' };
  const job = await cycle.run('FETCH', { batch }, { crawlId, conf });
  expect(counters(job, 'FetcherStatus')).toEqual({ SUCCESS: SLOW + FAST });
  const requested = [slow, fast].map(({ log }) => log.map(({ path }) => path).filter((path) => path !== '/robots.txt'));
  expect(requested.map((paths) => [paths.length, new Set(paths).size])).toEqual([
    [SLOW, SLOW],
    [FAST, FAST],
  ]);
});
