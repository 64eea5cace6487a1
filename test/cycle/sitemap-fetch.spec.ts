import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Handler, page, redirect, silence, startSite, status } from '../support/site.js';
import { type SitemapRow, asked, entry, index, sitemapsOf, urlset, xml } from './sitemaps.js';
import { counter } from './table.js';

let cycle: Cycle;
let { site, closeSites, run, paths, rows: sitemaps } = {} as ReturnType<typeof sitemapsOf>;

beforeAll(async () => {
  cycle = await openCycle();
  ({ site, closeSites, run, paths, rows: sitemaps } = sitemapsOf(cycle));
});
afterEach(() => closeSites());
afterAll(() => cycle.close());

/** Milliseconds between the requests, each to the one before. */
const gapsOf = (log: readonly { time: number }[]): number[] => log.slice(1).map(({ time }, i) => time - log[i]!.time);

describe('SITEMAP by response', () => {
  it.each<[string, (url: string) => Record<string, Handler>, Partial<SitemapRow>, string[]]>([
    [
      'gzip',
      (url) => ({
        '/m': page(gzipSync(`<urlset>${entry(`${url}/a`)}</urlset>`), { 'content-type': 'application/x-gzip' }),
      }),
      { status: 'fetched', entries: 1 },
      ['/a'],
    ],
    [
      'redirects',
      (url) => ({ '/m': redirect('/n'), '/n': redirect(`${url}/o`), '/o': urlset(entry(`${url}/a`)) }),
      { status: 'fetched' },
      ['/a'],
    ],
    [
      'redirects without end',
      () => ({ '*': (req, res) => redirect(`${req.url}x`)(req, res), '/robots.txt': status(404) }),
      { status: 'failed', error: 'more than 3 redirects (sitemap.redir.max)' },
      [],
    ],
    [
      'redirects in a circle',
      () => ({ '/m': redirect('/n'), '/n': redirect('/m') }),
      { status: 'failed', error: 'its redirects lead in a circle' },
      [],
    ],
    [
      'a redirect to another scheme',
      () => ({ '/m': redirect('file:///etc/passwd') }),
      { status: 'failed', error: 'a redirect leads to file:///etc/passwd' },
      [],
    ],
    ['404', () => ({}), { status: 'gone', entries: null }, []],
    [
      'a 304 to a request without a condition',
      () => ({ '/m': status(304) }),
      { status: 'failed', error: 'the server answered 304' },
      [],
    ],
    ['500', () => ({ '/m': status(500) }), { status: 'failed', error: 'the server answered 500' }, []],
    [
      'a page',
      () => ({ '/m': page('<!doctype html><p>Not found') }),
      { status: 'not_a_sitemap', entries: 0, error: 'html 1' },
      [],
    ],
    [
      'a partial document',
      (url) => ({ '/m': page(`<urlset>${entry(`${url}/a`)}<url><lo`, xml) }),
      { status: 'fetched', entries: 1, error: 'missing-loc 1, truncated 1' },
      ['/a'],
    ],
    [
      'a sitemap that robots.txt disallows',
      (url) => ({ '/robots.txt': page('User-agent: *\nDisallow: /m'), '/m': urlset(entry(`${url}/a`)) }),
      { status: 'robots_denied' },
      [],
    ],
  ])('stores the outcome and the pages of %s', async (name, handlers, expected, found) => {
    const one = await site(handlers);
    const crawlId = `answer-${name.replaceAll(' ', '-')}`;
    const job = await run(crawlId, { sitemapUrls: [`${one.url}/m`] });
    expect(await sitemaps(crawlId)).toMatchObject([{ path: '/m', wanted_by: null, ...expected }]);
    expect(counter(job, 'Sitemap', 'failed_fetches')).toBe(expected.status === 'failed' ? 1 : 0);
    expect(await paths(crawlId)).toEqual(found);
  });

  it('reads a sitemap that robots.txt both lists and disallows', async () => {
    const one = await site((url) => ({
      '/robots.txt': page(`User-agent: *\nDisallow: /\nSitemap: ${url}/m`),
      '/m': urlset(entry(`${url}/a`)),
    }));
    await run('announced', { hosts: [one.url] });
    expect(await paths('announced')).toEqual(['/a']);
  });

  it('counts a host whose robots.txt cannot be read, and reads no sitemap of it', async () => {
    const one = await site((url) => ({ '/robots.txt': status(500), '/sitemap.xml': urlset(entry(`${url}/a`)) }));
    const conf = { 'sitemap.url.default.sitemap.xml': 'true' };
    const job = await run('no-robots', { hosts: [one.url] }, conf);
    expect(counter(job, 'Sitemap', 'robots_unavailable')).toBe(1);
    expect(new Set(asked(one))).toEqual(new Set(['/robots.txt']));
    expect(await sitemaps('no-robots')).toEqual([]);
  });

  it('reads up to sitemap.size.max bytes', async () => {
    const one = await site((url) => ({
      '/m': urlset(...Array.from({ length: 1_000 }, (_, i) => entry(`${url}/${i}`))),
    }));
    await run('size', { sitemapUrls: [`${one.url}/m`] }, { 'sitemap.size.max': '2048' });
    const [row] = await sitemaps('size');
    expect(row).toMatchObject({ status: 'fetched' });
    expect(row!.entries).toBeGreaterThan(10);
    expect(row!.entries).toBeLessThan(60);
  });

  it('requests an unchanged index conditionally; force requests it unconditionally', async () => {
    const one = await site((url) => ({
      '/i': (req, res) =>
        req.headers['if-none-match'] === '"1"'
          ? status(304)(req, res)
          : page(index0(url), { ...xml, etag: '"1"' })(req, res),
      '/m': urlset(entry(`${url}/a`)),
    }));
    const index0 = (url: string) => `<sitemapindex><sitemap><loc>${url}/m</loc></sitemap></sitemapindex>`;
    const args = { sitemapUrls: [`${one.url}/i`] };
    await run('again', args);
    await run('again', args);
    expect(asked(one)).toEqual(['/robots.txt', '/i', '/m', '/i', '/m']);
    expect((await sitemaps('again')).map(({ status: s }) => s)).toEqual(['not_modified', 'fetched']);
    await run('again', { ...args, force: true });
    expect((await sitemaps('again')).map(({ status: s }) => s)).toEqual(['fetched', 'fetched']);
  });

  it('requests a cut sitemap unconditionally and does not take its last, cut URL', async () => {
    let asks = 0;
    const one = await site((url) => ({
      '/m': (_req, res) => {
        res.writeHead(200, { 'content-type': 'text/plain', etag: '"1"' });
        if (asks++ === 0) res.write(`${url}/a\n${url}/b`);
        else res.end(`${url}/a\n${url}/bcd\n`);
      },
    }));
    const args = { sitemapUrls: [`${one.url}/m`] };
    await run('part', args, { 'http.time.limit': '1' });
    expect(await paths('part')).toEqual(['/a']);
    await run('part', args);
    expect(await paths('part')).toEqual(['/a', '/bcd']);
    expect(one.log.filter(({ headers }) => headers['if-none-match'] !== undefined)).toEqual([]);
  });

  it('stops requests to a host after fetcher.max.exceptions.per.queue failures', async () => {
    const one = await site((url) => ({
      '/i': index(...Array.from({ length: 20 }, (_, i) => `${url}/m${i}`)),
      '*': status(503),
      '/robots.txt': status(404),
    }));
    const job = await run('failing', { sitemapUrls: [`${one.url}/i`] }, { 'fetcher.max.exceptions.per.queue': '3' });
    expect(one.log).toHaveLength(5);
    expect(counter(job, 'Sitemap', 'given_up_sitemaps')).toBe(17);
  });

  it('waits for a short Retry-After and blocks the host for a long one', async () => {
    const one = await site((url) => ({
      '/i': index(`${url}/m1`, `${url}/m2`),
      '/m1': status(429, { 'retry-after': '1' }),
      '/m2': status(503, { 'retry-after': '1000' }),
      '/m3': urlset(entry(`${url}/a`)),
    }));
    const job = await run('throttled', { sitemapUrls: [`${one.url}/i`, `${one.url}/m3`] });
    const at = (path: string) => one.log.find((each) => each.path === path)?.time ?? 0;
    expect(at('/m2') - at('/m1')).toBeGreaterThanOrEqual(1_000);
    expect(asked(one)).toEqual(['/robots.txt', '/i', '/m3', '/m1', '/m2']);
    expect(counter(job, 'SitemapStatus', 'failed')).toBe(2);
    const [queue] = await cycle.db.query<{ blocked: boolean }>(
      `select blocked_until > now() + interval '900 s' as blocked from politeness where queue_id = '127.0.0.1'`,
    );
    expect(queue).toEqual({ blocked: true });
    await cycle.db.query('delete from politeness');
  });

  it('counts sitemaps behind a long Retry-After as excluded, and releases the queue of their host', async () => {
    const released = async () =>
      (await cycle.db.query<{ owner: string }>(`select owner from politeness where queue_id = '127.0.0.1'`))[0]?.owner;
    const one = await site((url) => ({
      '/m1': status(503, { 'retry-after': '1000' }),
      '*': urlset(entry(`${url}/a`)),
      '/robots.txt': status(404),
    }));
    const gate = Promise.withResolvers<void>();
    const other = await startSite(
      {
        '/m': (...of) => gate.promise.then(() => urlset(entry('http://127.0.0.2/a'))(...of)),
        '/robots.txt': status(404),
      },
      { host: '127.0.0.2' },
    );
    try {
      const sitemapUrls = [`${other.url}/m`, ...['m1', 'm2', 'm3'].map((name) => `${one.url}/${name}`)];
      const running = run('long', { sitemapUrls }, { 'fetcher.threads.fetch': '2' });
      await expect.poll(() => asked(one)).toContain('/m1');
      await expect.poll(released).toBe('');
      gate.resolve();
      const job = await running;
      expect(asked(one)).toEqual(['/robots.txt', '/m1']);
      expect(counter(job, 'Sitemap', 'excluded_sitemaps')).toBe(2);
      expect(counter(job, 'Sitemap', 'given_up_sitemaps')).toBe(0);
    } finally {
      gate.resolve();
      await other.close();
      await cycle.db.query('delete from politeness');
    }
  });

  it.each([
    ['a sitemap', (url: string) => ({ sitemapUrls: [`${url}/m1`, `${url}/m2`] }), 2],
    ['robots.txt', (url: string) => ({ hosts: [url] }), 1],
  ])('does not request %s from a host in back-off because of another job', async (name, args, excluded) => {
    const one = await site(() => ({ '*': status(503, { 'retry-after': '1000' }), '/robots.txt': status(404) }));
    const crawlId = `excluded-${name.replace(' ', '-')}`;
    try {
      await run('asked-to', { sitemapUrls: [`${one.url}/m0`] });
      const requests = one.log.length;
      const job = await run(crawlId, args(one.url));
      expect(one.log).toHaveLength(requests);
      expect(job.result).toMatchObject({ reason: 'done' });
      expect(counter(job, 'Sitemap', 'excluded_sitemaps')).toBe(excluded);
      const [queue] = await cycle.db.query(`select owner from politeness where queue_id = '127.0.0.1'`);
      expect(queue).toEqual({ owner: '' });
    } finally {
      await cycle.db.query('delete from politeness');
    }
  });

  it('keeps Crawl-delay between two requests to a host', async () => {
    const one = await site((url) => ({
      '/i': index(`${url}/m1`, `${url}/m2`),
      '*': urlset(entry(`${url}/a`)),
      '/robots.txt': page('User-agent: *\nCrawl-delay: 0.3'),
    }));
    await run('delay', { sitemapUrls: [`${one.url}/i`] });
    expect(asked(one)).toEqual(['/robots.txt', '/i', '/m1', '/m2']);
    for (const gap of gapsOf(one.log)) expect(gap).toBeGreaterThanOrEqual(300);
  });

  it('keeps the delay before the answer to a challenge, at robots.txt and at sitemaps', async () => {
    const stale = status(401, { 'www-authenticate': 'Digest realm="Staff", nonce="n", qop="auth", stale=true' });
    const one = await site(() => ({ '*': stale }));
    const rules = `127.0.0.1:${one.port}\tStaff\tme\tpw`;
    const conf = { 'http.auth.rules': rules, 'fetcher.server.delay': '0.3' };
    await run('challenges', { sitemapUrls: [`${one.url}/m`] }, conf);
    expect(asked(one)).toEqual(['/robots.txt', '/robots.txt', '/robots.txt', '/m', '/m', '/m']);
    for (const gap of gapsOf(one.log)) expect(gap).toBeGreaterThanOrEqual(300);
  });

  it('keeps Crawl-delay before a sitemap that robots.txt both lists and disallows', async () => {
    const one = await site((url) => ({
      '/m': urlset(entry(`${url}/a`)),
      '/robots.txt': page(`User-agent: *\nDisallow: /\nCrawl-delay: 0.3\nSitemap: ${url}/m`),
    }));
    await run('announced-delay', { hosts: [one.url] });
    expect(asked(one)).toEqual(['/robots.txt', '/m']);
    expect(gapsOf(one.log)[0]).toBeGreaterThanOrEqual(300);
  });

  it.each(['', 'Disallow: /\n'])('requests no sitemap from a host with too long a Crawl-delay (%j)', async (rule) => {
    const one = await site((url) => ({
      '/m': urlset(entry(`${url}/a`)),
      '/robots.txt': page(`User-agent: *\n${rule}Crawl-delay: 31\nSitemap: ${url}/m`),
    }));
    const crawlId = `long-delay-${rule.length}`;
    await run(crawlId, { hosts: [one.url] });
    expect(asked(one)).toEqual(['/robots.txt']);
    const error = 'Crawl-delay of 31 s is over fetcher.max.crawl.delay';
    expect(await sitemaps(crawlId)).toMatchObject([{ status: 'robots_denied', error }]);
  });

  it('keeps the delay set for a host, and skips drained and blocked hosts', async () => {
    const one = await site((url) => ({
      '/i': index(`${url}/m1`),
      '*': urlset(entry(`${url}/a`)),
      '/robots.txt': status(404),
    }));
    const args = { sitemapUrls: [`${one.url}/i`], force: true };
    await cycle.inject([`${one.url}/`], {}, { crawlId: 'settings' });
    const change = (columns: string) =>
      cycle.db.query(`update host set ${columns} where crawl = (select id from crawl where name = 'settings')`);
    await change('delay_ms = 250');
    await run('settings', args);
    const times = one.log.map(({ time }) => time);
    expect(times).toHaveLength(3);
    for (const [i, time] of times.slice(1).entries()) expect(time - times[i]!).toBeGreaterThanOrEqual(250);
    for (const excluded of [
      'drain = true',
      `drain = false, blocked_until = now() + interval '1 day', blocked_by = 'hand'`,
    ]) {
      await change(excluded);
      expect(counter(await run('settings', args), 'Sitemap', 'excluded_sitemaps')).toBe(1);
    }
    expect(one.log).toHaveLength(3);
  });

  it('waits for a queue leased by another task', async () => {
    const one = await site((url) => ({ '/m': urlset(entry(`${url}/a`)) }));
    await cycle.db.query(
      `insert into politeness (queue_id, owner, lease_until, next_at) values ('127.0.0.1', 'another', now() + interval '1.5 s', now())
       on conflict (queue_id) do update set owner = 'another', lease_until = excluded.lease_until`,
    );
    const [row] = await cycle.db.query<{ until: Date }>(
      `select lease_until as until from politeness where queue_id = '127.0.0.1'`,
    );
    await run('leased', { sitemapUrls: [`${one.url}/m`] });
    expect(await paths('leased')).toEqual(['/a']);
    expect(one.log[0]!.time).toBeGreaterThanOrEqual(row!.until.getTime());
  });

  it('does not follow a redirect to an address that the egress guard blocks', async () => {
    const one = await site(() => ({ '*': redirect('http://10.0.0.1/map.xml'), '/robots.txt': status(404) }));
    await run('guard', { sitemapUrls: [`${one.url}/m`] }, { 'http.filter.ipaddress.exclude': '10.0.0.0/8' });
    expect(await sitemaps('guard')).toMatchObject([{ status: 'failed' }]);
  });
});

it('SITEMAP without a response in time fails the sitemap', async () => {
  const one = await site(() => ({ '/m': silence }));
  await run('silence', { sitemapUrls: [`${one.url}/m`] }, { 'http.timeout': '300' });
  expect(await sitemaps('silence')).toMatchObject([{ status: 'failed', error: 'no answer in time' }]);
});
