import dns from 'node:dns/promises';
import { describe, expect, it } from 'vitest';
import { armFaultPoints } from '../../src/db/fault-point.js';
import type { JobRow } from '../../src/job/job-row.js';
import { replaceBuiltin } from '../support/builtins.js';
import {
  type Handler,
  type Site,
  page,
  cutShort,
  redirect,
  redirectLoop,
  reset,
  silence,
  startSite,
  status,
} from '../support/site.js';
import { cycle, untilTestEnds, useCrawler } from './crawler.js';
import { batchOf, byPath, counters, pageAt, pages } from './table.js';
import { SLACK, type Watched, clockOfEvents, gaps, startWatched } from './watched.js';

/** Queues, delays and robots.txt as observed by the site (docs/semantics/fetch.md; rows D7, D8, D26; RFC 9309). */

/** Names under example.com and corp.internal resolve to this machine. */
const local = { address: '127.0.0.1', family: 4 };
const { lookup } = dns;
replaceBuiltin(dns, {
  lookup: async (name: string, options?: { all?: boolean }) =>
    /\.(example\.com|corp\.internal)$/.test(name) ? (options?.all ? [local] : local) : lookup(name, options ?? {}),
});

useCrawler();

async function watched(robots: Handler = status(404), ms = 40): Promise<Watched> {
  const site = await startWatched({ robots, ms });
  return untilTestEnds(site);
}

const crawl = async (crawlId: string, urls: string[], conf: Record<string, string> = {}): Promise<JobRow> => {
  await cycle.inject(urls, {}, { crawlId });
  const batch = batchOf(await cycle.run('GENERATE', {}, { crawlId }));
  return cycle.run('FETCH', { batch }, { crawlId, conf });
};
const of = (site: Site, n: number, name = '127.0.0.1') =>
  Array.from({ length: n }, (_, i) => `http://${name}:${site.port}/${i}`);
const robotsAsked = (site: Site) => site.log.filter(({ path }) => path === '/robots.txt').length;

describe('a fetch queue', () => {
  it('sends one request at a time, fetcher.server.delay after the end of the last (D8, D26)', async () => {
    const site = await watched();
    await crawl('d8', of(site, 4), { 'fetcher.server.delay': '0.3' });
    expect(site.spans).toHaveLength(4);
    for (const gap of gaps(site.spans)) expect(gap).toBeGreaterThanOrEqual(300 - SLACK);
    expect(site.most()).toBe(1);
  });

  it('keeps the delay after the request for robots.txt as well', async () => {
    let robotsEnd = 0;
    const site = await watched((req, res) => {
      res.on('finish', () => (robotsEnd = performance.now()));
      status(404)(req, res);
    });
    await crawl('d8r', of(site, 1), { 'fetcher.server.delay': '0.3' });
    expect(site.spans[0]!.start - robotsEnd).toBeGreaterThanOrEqual(300 - SLACK);
  });

  it('keeps the delay after a request that was cut because its task failed', async () => {
    const sockets: { asked: number; closed: number }[] = [];
    const clock = clockOfEvents();
    const handler: Handler = (req, res) => {
      const socket = { asked: performance.now(), closed: Infinity };
      if (sockets.push(socket) > 1) return page('x')(req, res);
      req.socket.on('close', () => (socket.closed = clock.earliest()));
    };
    const slow = untilTestEnds(await startSite({ '/slow': handler }, { host: '127.0.6.1' }));
    const fast = await watched();
    const conf = { 'fetcher.server.delay': '0.7' };
    armFaultPoints((point) => {
      if (point === 'fetch.locked' && sockets.length > 0) throw new Error('a write fails');
    });
    try {
      const urls = [`${slow.url}/slow`, ...of(fast, 20)];
      expect((await crawl('fails', urls, conf)).state).toBe('FAILED');
    } finally {
      armFaultPoints(undefined);
    }
    await cycle.run('FETCH', {}, { crawlId: 'fails', conf: { ...conf, 'fetcher.server.delay': '0.05' } });
    expect(sockets).toHaveLength(2);
    expect(sockets[1]!.asked - sockets[0]!.closed).toBeGreaterThanOrEqual(700);
  });

  it('sends up to fetcher.threads.per.queue requests at once', async () => {
    const site = await watched();
    await crawl('threads', of(site, 12), { 'fetcher.threads.per.queue': '3', 'fetcher.server.delay': '5' });
    expect(site.most()).toBe(3);
  });

  it.each([
    ['byHost', 2],
    ['byDomain', 1],
    ['byIP', 1],
  ])('of mode %s sends at most %d requests at once to two names of one domain and address (D7)', async (mode, most) => {
    const site = await watched();
    const urls = [...of(site, 4, 'a.example.com'), ...of(site, 4, 'b.example.com')];
    await crawl(`d7-${mode}`, urls, { 'fetcher.queue.mode': mode });
    expect(site.spans).toHaveLength(8);
    expect(site.most()).toBe(most);
  });

  it('byDomain sends one request at a time to the hosts of an intranet, whose suffix is on no list', async () => {
    const site = await watched();
    const urls = [...of(site, 4, 'h1.corp.internal'), ...of(site, 4, 'h2.corp.internal')];
    await crawl('intranet', urls, { 'fetcher.queue.mode': 'byDomain' });
    expect(site.spans).toHaveLength(8);
    expect(site.most()).toBe(1);
  });

  it.each(['byDomain', 'byIP'])('of mode %s keeps the delay over two names of one domain and address', async (mode) => {
    const site = await watched();
    const urls = [...of(site, 2, 'a.example.com'), ...of(site, 2, 'b.example.com')];
    await crawl(`gap-${mode}`, urls, { 'fetcher.queue.mode': mode, 'fetcher.server.delay': '0.3' });
    expect(site.spans).toHaveLength(4);
    for (const gap of gaps(site.spans)) expect(gap).toBeGreaterThanOrEqual(300 - SLACK);
    expect(site.most()).toBe(1);
  });

  it('with several threads keeps fetcher.server.min.delay after each request', async () => {
    const site = await watched(undefined, 10);
    const conf = { 'fetcher.threads.per.queue': '2', 'fetcher.server.min.delay': '0.3', 'fetcher.server.delay': '9' };
    await crawl('mindelay', of(site, 6), conf);
    expect(site.spans).toHaveLength(6);
    // Two at once, then the delay: each third start follows the end of the first of the two before it.
    const { spans } = site;
    for (const [i, span] of spans.slice(2).entries())
      expect(span.start - spans[i]!.end).toBeGreaterThanOrEqual(300 - SLACK);
    expect(site.most()).toBeLessThanOrEqual(2);
  });

  it('keeps the delay over two FETCH jobs at once', async () => {
    const site = await watched();
    const batches = new Map<string, string>();
    for (const crawlId of ['both1', 'both2']) {
      await cycle.inject(of(site, 3), {}, { crawlId });
      batches.set(crawlId, batchOf(await cycle.run('GENERATE', {}, { crawlId })));
    }
    const conf = { 'fetcher.server.delay': '0.3' };
    await Promise.all([...batches].map(([crawlId, batch]) => cycle.run('FETCH', { batch }, { crawlId, conf })));
    expect(site.spans).toHaveLength(6);
    for (const gap of gaps(site.spans)) expect(gap).toBeGreaterThanOrEqual(300 - SLACK);
    expect(site.most()).toBe(1);
  });

  it('is leased to two crawls alternately: the small crawl ends before the large one', async () => {
    const site = await watched(undefined, 0);
    const conf = { 'fetcher.server.delay': '0.2' };
    const large = crawl('large', of(site, 80), conf);
    await expect.poll(() => site.spans.length).toBeGreaterThan(5);
    await cycle.inject(
      [`http://127.0.0.1:${site.port}/small/0`, `http://127.0.0.1:${site.port}/small/1`],
      {},
      { crawlId: 'small' },
    );
    const batch = batchOf(await cycle.run('GENERATE', {}, { crawlId: 'small' }));
    const small = await cycle.run('FETCH', { batch }, { crawlId: 'small', conf });
    const order = [small.endedAt!, (await large).endedAt!];
    expect(order[0]!.getTime()).toBeLessThan(order[1]!.getTime());
    expect(site.spans).toHaveLength(82);
    for (const gap of gaps(site.spans)) expect(gap).toBeGreaterThanOrEqual(200 - SLACK);
    expect(site.most()).toBe(1);
  });

  it('keeps the delay over two crawls that run one after another', async () => {
    const site = await watched();
    const conf = { 'fetcher.server.delay': '0.3' };
    await crawl('one', of(site, 1), conf);
    await crawl('two', of(site, 1), conf);
    expect(site.spans).toHaveLength(2);
    for (const gap of gaps(site.spans)) expect(gap).toBeGreaterThanOrEqual(300 - SLACK);
  });
});

describe('fetcher.bandwidth.target', () => {
  it('adds threads up to fetcher.maxNum.threads within the limits of each queue', async () => {
    const site = await watched(undefined, 150);
    const urls = ['a', 'b', 'c', 'd', 'e', 'f'].flatMap((name) => of(site, 14, `${name}.example.com`));
    await crawl('bandwidth', urls, {
      'fetcher.threads.fetch': '1',
      'fetcher.bandwidth.target': '1000000',
      'fetcher.bandwidth.target.check.everyNSecs': '1',
      'fetcher.maxNum.threads': '4',
    });
    expect(site.spans).toHaveLength(84);
    expect(site.most()).toBe(4);
  });
});

describe('robots.txt', () => {
  const text = (body: string): Handler => page(body, { 'content-type': 'text/plain' });

  it('is requested once for each origin, before its pages', async () => {
    const site = await watched(text('User-agent: *\nDisallow: /2\n'));
    await crawl('once', of(site, 5), { 'fetcher.threads.per.queue': '5' });
    expect(robotsAsked(site)).toBe(1);
    expect(site.log[0]!.path).toBe('/robots.txt');
    expect(site.spans.map(({ path }) => path).sort()).toEqual(['/0', '/1', '/3', '/4']);
  });

  it('Disallow makes the page gone and stores the matching line in the protocol status', async () => {
    const site = await watched(text('# hello\nUser-agent: *\nDisallow: /1\nAllow: /\n'));
    const job = await crawl('deny', of(site, 2));
    const row = await pageAt(cycle, '/1', 'deny');
    expect(row).toMatchObject({ status: 3, protocol_code: 18, protocol_args: ['robots.txt line 3: Disallow: /1'] });
    expect(counters(job, 'FetcherStatus')).toEqual({ SUCCESS: 1, ROBOTS_DENIED: 1 });
  });

  it('applies the group of the name of the crawler', async () => {
    const site = await watched(text('User-agent: *\nDisallow: /\n\nUser-agent: orbweaver-test\nDisallow: /1\n'));
    await crawl('name', of(site, 2));
    expect(await byPath(cycle, (row) => row.status, 'name')).toEqual({ '/0': 2, '/1': 3 });
  });

  it('is cached for http.robots.cache.seconds over jobs', async () => {
    const site = await watched(text('User-agent: *\nDisallow: /1\n'));
    await crawl('cache1', of(site, 1));
    await crawl('cache2', of(site, 2));
    expect(robotsAsked(site)).toBe(1);
    await cycle.db.query('update robots set expires_at = now()');
    await crawl('cache3', of(site, 2));
    expect(robotsAsked(site)).toBe(2);
  });

  it.each([
    [404, {}, 2],
    [410, {}, 2],
    [401, {}, 2],
    [403, {}, 2],
    [403, { 'http.robots.403.allow': 'false' }, 3],
    [503, {}, 34],
    [429, {}, 34],
    [503, { 'http.robots.503.defer.visits': 'false' }, 2],
  ])('with status %d and %j leaves pages with status %d (RFC 9309 §2.3.1)', async (code, conf, expected) => {
    const site = await watched(status(code));
    const crawlId = `code-${code}-${expected}`;
    const job = await crawl(crawlId, of(site, 2), conf);
    expect(await byPath(cycle, (row) => row.status, crawlId)).toEqual({ '/0': expected, '/1': expected });
    expect(site.spans).toHaveLength(expected === 2 ? 2 : 0);
    if (expected !== 34) return;
    expect(counters(job, 'FetcherStatus')).toEqual({ robots_deferred: 2 });
    expect((await pages(cycle, crawlId))[0]).toMatchObject({
      protocol_code: 15,
      protocol_args: [`robots.txt answered ${code}`],
    });
  });

  it.each([
    ['404', status(404, { 'content-encoding': 'gzip' }), 2],
    ['503', status(503, { 'content-encoding': 'gzip' }), 34],
    ['a redirect', status(301, { 'content-encoding': 'gzip', location: '/elsewhere' }), 3],
  ])('with %s and a body that cannot be decoded is handled by its status', async (what, robots, expected) => {
    const site = await startSite({
      '/robots.txt': robots,
      '/elsewhere': text('User-agent: *\nDisallow: /0\n'),
      '/0': page('x'),
    });
    untilTestEnds(site);
    const crawlId = `unread-${what.replace(' ', '-')}`;
    await crawl(crawlId, of(site, 1));
    expect(await byPath(cycle, (row) => row.status, crawlId)).toEqual({ '/0': expected });
  });

  it('with 503 in every round makes no page gone and counts no retry (RFC 9309 §2.3.1.4)', async () => {
    const site = await watched(status(503));
    await cycle.inject(of(site, 1), {}, { crawlId: 'unreachable' });
    const conf = { 'db.fetch.retry.max': '1', 'http.robots.503.defer.visits.retries': '0' };
    await cycle.round({ crawlId: 'unreachable', conf });
    expect((await pages(cycle, 'unreachable'))[0]).toMatchObject({
      status: 1,
      retries_since_fetch: 0,
      protocol_code: 15,
    });
  });

  it('with 503 is requested again by the next job', async () => {
    let code = 503;
    const site = await watched((req, res) => status(code)(req, res));
    await crawl('recover', of(site, 1));
    code = 404;
    await cycle.run('FETCH', {}, { crawlId: 'recover' });
    expect(await byPath(cycle, (row) => row.status, 'recover')).toEqual({ '/0': 2 });
  });

  it.each([
    [2, { SUCCESS: 2 }, 3],
    [1, { robots_deferred: 2 }, 2],
    [0, { robots_deferred: 2 }, 1],
  ])('with 503 twice and %i retries in one FETCH gives %j', async (retries, outcome, asked) => {
    const codes = [503, 503];
    const site = await watched((req, res) => status(codes.shift() ?? 404)(req, res));
    const job = await crawl(`again-${retries}`, of(site, 2), {
      'http.robots.503.defer.visits.retries': String(retries),
      'http.robots.503.defer.visits.delay': '50',
      'fetcher.threads.per.queue': '2',
    });
    expect(counters(job, 'FetcherStatus')).toEqual(outcome);
    expect(robotsAsked(site)).toBe(asked);
  });

  const robotsRow = async (site: Site) =>
    (await cycle.db.query('select * from robots where origin = $1', [site.url]))[0];

  it.each<[string, Handler, RegExp]>([
    ['a cut connection', reset, /^robots\.txt: /],
    ['a partial body', cutShort('User-agent: *\n', 100), /^robots\.txt: /],
    ['no valid HTTP', (req) => void req.socket.end('hello\r\n\r\n'), /^robots\.txt: /],
    ['an invalid content coding', page('no gzip', { 'content-encoding': 'gzip' }), /^robots\.txt: /],
    ['no response in time', silence, /^robots\.txt: no answer in time/],
    ['503', status(503), /^robots\.txt answered 503/],
  ])('with %s defers the host and stores the reason', async (what, robots, why) => {
    const site = await watched(robots);
    const conf = { 'http.timeout': '500', 'http.partial.truncated': 'true' };
    const job = await crawl(`unhad-${what.replaceAll(' ', '')}`, of(site, 1), conf);
    expect(counters(job, 'FetcherStatus')).toEqual({ robots_deferred: 1 });
    expect(site.spans).toEqual([]);
    const row = await robotsRow(site);
    expect([row!['error'], row!['failures']]).toEqual([expect.stringMatching(why), 1]);
  });

  it.each<[string, Handler]>([
    ['without end', redirectLoop],
    ['to a URL that is no web page', redirect('mailto:a@b.test')],
  ])('redirecting %s is unavailable: all is allowed (RFC 9309 §2.3.1.2)', async (what, robots) => {
    const site = await watched(robots);
    await crawl(`redir-${what.length}`, of(site, 1));
    expect(site.spans).toHaveLength(1);
  });

  it('that failed is requested again, and failures in a row are counted until it succeeds', async () => {
    const codes = [503, 500];
    const site = await watched((req, res) => status(codes.shift() ?? 404)(req, res));
    await crawl('row', of(site, 1));
    await cycle.run('FETCH', {}, { crawlId: 'row' });
    expect(await robotsRow(site)).toMatchObject({ failures: 2, http_status: 500, error: 'robots.txt answered 500' });
    await cycle.run('FETCH', {}, { crawlId: 'row' });
    expect(await robotsRow(site)).toMatchObject({ failures: 0, http_status: 404, error: null });
    expect(site.spans).toHaveLength(1);
  });

  it('is not requested by later jobs before its Retry-After', async () => {
    const site = await watched(status(503, { 'retry-after': '3600' }));
    await crawl('later', of(site, 1));
    const again = await cycle.run('FETCH', {}, { crawlId: 'later' });
    expect(counters(again, 'FetcherStatus')).toEqual({ robots_deferred: 1 });
    expect(robotsAsked(site)).toBe(1);
  });

  it('is not requested from hosts on http.robot.rules.allowlist', async () => {
    const site = await watched(text('User-agent: *\nDisallow: /\n'));
    await crawl('allowlist', of(site, 1), { 'http.robot.rules.allowlist': '127.0.0.1' });
    expect(robotsAsked(site)).toBe(0);
    expect(site.spans).toHaveLength(1);
  });
});

describe('Crawl-delay', () => {
  const delay = (seconds: number): Handler =>
    page(`User-agent: *\nCrawl-delay: ${seconds}\n`, { 'content-type': 'text/plain' });

  it('is the delay of the queue', async () => {
    const site = await watched(delay(0.4));
    await crawl('delay', of(site, 3));
    expect(site.spans).toHaveLength(3);
    for (const gap of gaps(site.spans)) expect(gap).toBeGreaterThanOrEqual(400 - SLACK);
  });

  it('applies with several threads in the queue', async () => {
    const site = await watched(delay(0.4));
    await crawl('delay3', of(site, 3), { 'fetcher.threads.per.queue': '3' });
    expect(site.spans).toHaveLength(3);
    for (const gap of gaps(site.spans)) expect(gap).toBeGreaterThanOrEqual(400 - SLACK);
  });

  it('below fetcher.min.crawl.delay is raised to it', async () => {
    const site = await watched(delay(0.01));
    await crawl('raised', of(site, 2), { 'fetcher.min.crawl.delay': '0.4' });
    expect(site.spans).toHaveLength(2);
    for (const gap of gaps(site.spans)) expect(gap).toBeGreaterThanOrEqual(400 - SLACK);
  });

  it('above fetcher.max.crawl.delay makes the pages of the host gone without a request', async () => {
    const site = await watched(delay(31));
    await crawl('toolong', of(site, 2));
    expect(site.spans).toEqual([]);
    expect((await pages(cycle, 'toolong'))[0]).toMatchObject({
      status: 3,
      protocol_code: 18,
      protocol_args: ['Crawl-delay of 31 s is over fetcher.max.crawl.delay'],
    });
  });
});
