import { describe, expect, it } from 'vitest';
import { type Handler, page, startSite } from '../support/site.js';
import { crawler, cycle, useCrawler } from './crawler.js';
import { batchOf, byPath, counters, pageAt } from './table.js';

/** Properties of 1.x that change which URLs FETCH requests and what it stores (feature rows D14, D21). */

useCrawler();

type Conf = Record<string, string>;

/** Injects URLs and fetches them under a configuration; returns the FETCH. */
async function fetched(crawlId: string, urls: string[], conf: Conf = {}) {
  await crawler.inject(crawlId, urls);
  const batch = batchOf(await cycle.run('GENERATE', {}, { crawlId }));
  return cycle.run('FETCH', { batch }, { crawlId, conf });
}

describe('stored with a response (D21)', () => {
  const timesOf = (crawlId: string) =>
    cycle.db.query('select ms from fetch_history where crawl = (select id from crawl where name = $1)', [crawlId]);

  it('the server address with store.ip.address, next to other metadata', async () => {
    const web = await crawler.site({ '/': page('<html lang=it>') });
    const conf = { 'store.ip.address': 'true', 'fetcher.parse': 'true' };
    await fetched('ip', [`${web.url}/\tcolour=red`], conf);
    expect((await pageAt(cycle, '/', 'ip')).metadata).toEqual({ _ip_: '127.0.0.1', colour: 'red', language: 'it' });
    await fetched('noip', [`${web.url}/`]);
    expect((await pageAt(cycle, '/', 'noip')).metadata).toBeNull();
  });

  it('the response time of the visit, unless http.store.responsetime is false', async () => {
    const web = await crawler.site({ '/': page('x') });
    await fetched('time', [`${web.url}/`]);
    expect(await timesOf('time')).toEqual([{ ms: expect.any(Number) }]);
    await fetched('notime', [`${web.url}/`], { 'http.store.responsetime': 'false' });
    expect(await timesOf('notime')).toEqual([{ ms: null }]);
  });
});

describe('filters and normalizers in FETCH', () => {
  it('fetcher.filter.urls skips refused URLs, whose pages are unchanged after UPDATEDB', async () => {
    const web = await crawler.site({ '*': page('x') });
    const conf = { 'urlfilter.regex.rules': '-/b$\n+.' };
    const job = await fetched('filter', [`${web.url}/a`, `${web.url}/b`], { ...conf, 'fetcher.filter.urls': 'true' });
    expect(web.log.map(({ path }) => path)).not.toContain('/b');
    expect(counters(job, 'FetcherStatus')).toEqual({ SUCCESS: 1, filtered: 1 });
    await crawler.update('filter');
    expect(await byPath(cycle, (row) => row.status, 'filter')).toEqual({ '/a': 2, '/b': 1 });
    await fetched('nofilter', [`${web.url}/a`, `${web.url}/b`], conf);
    expect(await byPath(cycle, (row) => row.status, 'nofilter')).toEqual({ '/a': 2, '/b': 2 });
  });

  it('fetcher.normalize.urls requests the URL as the normalizers of scope fetcher rewrite it', async () => {
    const web = await crawler.site({ '/new': page('x') });
    const rules =
      '<regex-normalize><regex><pattern>/old$</pattern><substitution>/new</substitution></regex></regex-normalize>';
    const conf = { 'urlnormalizer.regex.rules.fetcher': rules, 'fetcher.normalize.urls': 'true' };
    await fetched('normalize', [`${web.url}/old`], conf);
    expect(await pageAt(cycle, '/old', 'normalize')).toMatchObject({ status: 2, base_url: `${web.url}/new` });
  });
});

it('http.robots.content.limit bounds how much of a robots.txt is read', async () => {
  const robots = `User-agent: *\n${'#'.repeat(600_000)}\nDisallow: /far`;
  const web = await crawler.site({ '/robots.txt': page(robots, { 'content-type': 'text/plain' }), '*': page('x') });
  await fetched('near', [`${web.url}/far`]);
  expect((await pageAt(cycle, '/far', 'near')).status).toBe(2);
  // Another host, since the first robots.txt is cached.
  const other = await startSite(
    { '/robots.txt': page(robots, { 'content-type': 'text/plain' }), '*': page('x') },
    { host: '127.0.0.2' },
  );
  await fetched('whole', [`${other.url}/far`], { 'http.robots.content.limit': '700000' });
  await other.close();
  expect((await pageAt(cycle, '/far', 'whole')).status).toBe(3);
});

it('a running FETCH reports threads, queues and waiting pages in msg (D14)', async () => {
  const isSeen = Promise.withResolvers<void>();
  const slow: Handler = (_request, response) => void isSeen.promise.then(() => response.end('x'));
  const web = await crawler.site({ '*': slow });
  const running = fetched('gauges', [`${web.url}/1`, `${web.url}/2`], { 'fetcher.threads.fetch': '7' });
  const message = async () => (await cycle.jobs.list({ crawlId: 'gauges', type: 'FETCH' }))[0]?.msg;
  await expect
    .poll(message)
    .toMatch(/^OK: 0 fetched, 0 failed, 2 waiting; 1 of 7 threads at work, \d pages queued in 1 queue$/);
  isSeen.resolve();
  expect((await running).msg).toBe('OK');
});

it.each([
  ['60000', 1],
  ['0', 3],
])('threads start fetcher.threads.start.delay %s ms apart: %i run at once', async (delay, expected) => {
  let open = 0;
  let most = 0;
  const late: Handler = async (_request, response) => {
    most = Math.max(most, ++open);
    // Until all expected threads have started; with none expected, 300 ms for one that must not.
    do await new Promise((done) => setTimeout(done, 300));
    while (most < expected);
    open--;
    response.end('x');
  };
  const hosts = [11, 12, 13].map((n) => startSite(late, { host: `127.0.${expected}.${n}` }));
  const sites = await Promise.all(hosts);
  const urls = sites.map(({ url }) => `${url}/`);
  await fetched(`threads-${delay}`, urls, { 'fetcher.threads.start.delay': delay });
  for (const site of sites) await site.close();
  expect(most).toBe(expected);
});
