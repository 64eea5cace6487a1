import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { page, startSite, status } from '../support/site.js';
import { cycle, untilTestEnds, useCrawler } from './crawler.js';
import { batchOf, counters } from './table.js';

/** One FETCH of a batch of which a host asks for a pause, and has answered again before the FETCH ends. */

useCrawler();

const PAGES = 12;
const conf = { 'fetcher.server.delay': '0', 'fetcher.backoff.max.wait': '0', 'fetcher.queue.depth.multiplier': '1' };

it('fetches the pages of a host that was blocked once its block is over, and counts each page once', async () => {
  const isLast = Promise.withResolvers<void>();
  let answered = 0;
  const blocking = await startSite(
    (req, res) => {
      if (req.url === '/robots.txt') return status(404)(req, res);
      answered++;
      if (answered === 1) return status(503, { 'Retry-After': '1' })(req, res);
      if (answered === PAGES) isLast.resolve();
      return page('x')(req, res);
    },
    { host: '127.0.2.41' },
  );
  const other = await startSite(
    async (req, res) => {
      if (req.url === '/robots.txt') return status(404)(req, res);
      // Keeps the FETCH from its end until all pages of the other host were requested.
      await isLast.promise;
      return page('y')(req, res);
    },
    { host: '127.0.2.42' },
  );
  [blocking, other].forEach(untilTestEnds);
  const urls = Array.from({ length: PAGES }, (_, i) => `${blocking.url}/${i}`);
  const crawlId = 'blocked-host';
  await cycle.inject([...urls, `${other.url}/`], {}, { crawlId });
  const batch = batchOf(await cycle.run('GENERATE', {}, { crawlId }));
  const job = await cycle.run('FETCH', { batch }, { crawlId, conf: { ...conf, 'fetcher.threads.fetch': '4' } });
  expect(counters(job, 'FetcherStatus')).toEqual({ SUCCESS: PAGES, EXCEPTION: 1 });
  const paths = blocking.log.map(({ path }) => path).filter((path) => path !== '/robots.txt');
  expect([paths.length, new Set(paths).size]).toEqual([PAGES, PAGES]);
});

it('does not fetch a page again whose request was running all the time', async () => {
  const isRunning = Promise.withResolvers<void>();
  const isLast = Promise.withResolvers<void>();
  let answered = 0;
  const blocking = await startSite(
    async (req, res) => {
      if (req.url === '/robots.txt') return status(404)(req, res);
      answered++;
      if (answered === 2) {
        isRunning.resolve();
        // Until the block is over.
        await sleep(2_500);
      } else if (answered === 1) {
        await isRunning.promise;
        return status(503, { 'Retry-After': '1' })(req, res);
      }
      if (answered === PAGES) isLast.resolve();
      return page('x')(req, res);
    },
    { host: '127.0.2.44' },
  );
  const other = await startSite(
    async (req, res) => {
      if (req.url !== '/robots.txt') await isLast.promise;
      return page('y')(req, res);
    },
    { host: '127.0.2.45' },
  );
  [blocking, other].forEach(untilTestEnds);
  const urls = Array.from({ length: PAGES }, (_, i) => `${blocking.url}/${i}`);
  const crawlId = 'blocked-running';
  await cycle.inject([...urls, `${other.url}/`], {}, { crawlId });
  const batch = batchOf(await cycle.run('GENERATE', {}, { crawlId }));
  const threads = {
    'fetcher.threads.fetch': '6',
    'fetcher.threads.per.queue': '2',
    'fetcher.queue.depth.multiplier': '50',
  };
  const job = await cycle.run('FETCH', { batch }, { crawlId, conf: { ...conf, ...threads } });
  expect(counters(job, 'FetcherStatus')).toEqual({ SUCCESS: PAGES, EXCEPTION: 1 });
  const paths = blocking.log.map(({ path }) => path).filter((path) => path !== '/robots.txt');
  expect([paths.length, new Set(paths).size]).toEqual([PAGES, PAGES]);
});

it('leaves them in the batch if the FETCH ends before', async () => {
  const blocking = await startSite(
    (req, res) => status(req.url === '/robots.txt' ? 404 : 503, { 'Retry-After': '3600' })(req, res),
    { host: '127.0.2.43' },
  );
  untilTestEnds(blocking);
  const crawlId = 'blocked-long';
  await cycle.inject(
    Array.from({ length: PAGES }, (_, i) => `${blocking.url}/${i}`),
    {},
    { crawlId },
  );
  const batch = batchOf(await cycle.run('GENERATE', {}, { crawlId }));
  const job = await cycle.run('FETCH', { batch }, { crawlId, conf });
  expect(counters(job, 'FetcherStatus')).toEqual({ EXCEPTION: 1, host_blocked: PAGES - 1 });
});
