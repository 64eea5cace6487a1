import { expect, it } from 'vitest';
import { type Handler, type Site, page, slowDrip, startSite, status } from '../support/site.js';
import { cycle, untilTestEnds, useCrawler } from './crawler.js';
import { batchOf, counters, pages } from './table.js';

/** Servers that send slowly: each response takes the whole time limit and does not delay other hosts (C8 of the threat list). */

useCrawler();

async function site(host: string, handler: Handler = slowDrip(200)): Promise<Site> {
  const answer: Handler = (req, res) => (req.url === '/robots.txt' ? status(404) : handler)(req, res);
  return untilTestEnds(await startSite(answer, { host }));
}

async function fetchAll(
  crawlId: string,
  urls: string[],
  conf: Record<string, string>,
  args: { threads?: number } = {},
) {
  await cycle.inject(urls, {}, { crawlId });
  const batch = batchOf(await cycle.run('GENERATE', {}, { crawlId }));
  return cycle.run('FETCH', { batch, ...args }, { crawlId, conf: { 'fetcher.server.delay': '0', ...conf } });
}

/** Sites of different hosts, with the greatest number of requests that they had open at once. */
async function countingSites(hosts: number, takesMs: number): Promise<{ urls: string[]; mostOpen: () => number }> {
  let open = 0;
  let mostOpen = 0;
  const count: Handler = (req, res) => {
    mostOpen = Math.max(mostOpen, ++open);
    // A server notices the end of its answer a little later than the client.
    res.on('finish', () => setTimeout(() => open--, 3));
    const answer = () => (req.url === '/robots.txt' ? status(404) : page('x'))(req, res);
    setTimeout(() => void answer(), takesMs);
  };
  const sites = await Promise.all(
    Array.from({ length: hosts }, async (_, i) => untilTestEnds(await startSite(count, { host: `127.0.2.${i + 11}` }))),
  );
  return { urls: sites.map(({ port }, i) => `http://127.0.2.${i + 11}:${port}/`), mostOpen: () => mostOpen };
}

it('pages that take longer than fetcher.threads.slow.after do not occupy threads of other hosts', async () => {
  const slow = await Promise.all([2, 3, 4, 5].map((n) => site(`127.0.2.${n}`)));
  const good = await site('127.0.2.1', page('x'));
  const urls = [
    ...slow.map(({ port }, i) => `http://127.0.2.${i + 2}:${port}/`),
    ...Array.from({ length: 20 }, (_, i) => `http://127.0.2.1:${good.port}/${i}`),
  ];
  await fetchAll('slow1', urls, {
    'fetcher.threads.fetch': '4',
    'fetcher.threads.slow.after': '500',
    'http.time.limit': '8',
  });
  const visits = await cycle.db.query<{ host: string; time: Date }>(
    `select host, time from fetch_history where crawl = (select id from crawl where name = $1)`,
    ['slow1'],
  );
  const ends = (host: string) => visits.filter((visit) => visit.host === host).map(({ time }) => time.getTime());
  const trickled = visits.filter(({ host }) => host !== '127.0.2.1').map(({ time }) => time.getTime());
  expect([ends('127.0.2.1').length, trickled.length]).toEqual([20, 4]);
  expect(Math.max(...ends('127.0.2.1'))).toBeLessThan(Math.min(...trickled));
});

it.each([
  ['fast', 30],
  ['slow', 400],
])('no more requests than the argument threads are open at once, of %s servers too (D16)', async (name, takesMs) => {
  const { urls, mostOpen } = await countingSites(7, takesMs);
  const crawlId = `threads-${name}`;
  const job = await fetchAll(crawlId, urls, { 'fetcher.threads.slow.after': '100' }, { threads: 3 });
  expect(counters(job, 'FetcherStatus')).toEqual({ SUCCESS: 7 });
  expect(mostOpen()).toBe(3);
});

it('pages over http.time.limit are exceptions, and the queue is emptied after fetcher.max.exceptions.per.queue', async () => {
  const slow = await site('127.0.2.9');
  const urls = Array.from({ length: 4 }, (_, i) => `http://127.0.2.9:${slow.port}/${i}`);
  const job = await fetchAll('slow2', urls, {
    'http.time.limit': '1',
    'fetcher.max.exceptions.per.queue': '2',
    'fetcher.exceptions.per.queue.delay': '0.1',
  });
  expect(counters(job, 'FetcherStatus')).toMatchObject({ SUCCESS: 2, above_exception_threshold: 2 });
  const rows = await pages(cycle, 'slow2');
  expect(rows.filter(({ status }) => status === 2)).toHaveLength(2);
});
