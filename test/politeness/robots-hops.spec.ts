import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RobotsHops } from '../../src/politeness/robots-hops.js';
import { makeEgressGuard } from '../../src/core/address/egress-guard.js';
import { HttpClient } from '../../src/net/http-client.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Handler, type Site, page, redirect, startSite, status } from '../support/site.js';
import { SLACK, gaps, startWatched } from '../cycle/watched.js';

/** RFC 9309 §2.3.1.2: robots.txt may be a redirect to another authority; it applies to the one that was requested. */
describe('a robots.txt that redirects to another host (RFC 9309 §2.3.1.2)', () => {
  let cycle: Cycle;
  let here: Site;
  let there: Site;

  beforeAll(async () => {
    const rules = page('User-agent: *\nDisallow: /private/', { 'content-type': 'text/plain' });
    there = await startSite({ '/robots.txt': rules, '/': page('there') }, { host: '127.0.2.2' });
    const away = redirect(`${there.url}/robots.txt`, 301);
    here = await startSite({ '/robots.txt': away, '/': page('here'), '/private/a': page('no') }, { host: '127.0.2.1' });
    cycle = await openCycle();
  });
  afterAll(async () => {
    await cycle.close();
    await Promise.all([here.close(), there.close()]);
  });

  const asked = (site: Site) => site.log.map(({ path }) => path);

  it('applies to the host that redirects, and is requested once although both hosts need it', async () => {
    await cycle.inject([`${here.url}/`, `${here.url}/private/a`, `${there.url}/`]);
    await cycle.round({ conf: { 'fetcher.server.delay': '0.3' } });
    expect(asked(here).sort()).toEqual(['/', '/robots.txt']);
    expect(asked(there).sort()).toEqual(['/', '/robots.txt']);
  });

  it('counts as a request to that host: its delay is kept after it', () => {
    const [first, second] = there.log.map(({ time }) => time);
    expect(second! - first!).toBeGreaterThanOrEqual(300);
  });

  it('waits while another task has the fetch queue of that host, and uses the file that the task has stored', async () => {
    await cycle.pool.query('delete from robots');
    const queues = await cycle.pool.query<{ queue_id: string }>('select queue_id from politeness');
    const queue = queues.rows.map((row) => row.queue_id).find((id) => id.includes('127.0.2.2'))!;
    await cycle.pool.query(
      `update politeness set owner = 'another task', lease_until = now() + interval '1 minute' where queue_id = $1`,
      [queue],
    );
    const before = there.log.length;
    await cycle.inject([`${here.url}/b`]);
    const round = cycle.round();
    await new Promise((wake) => setTimeout(wake, 700));
    expect(there.log.length).toBe(before);
    await cycle.pool.query(
      `insert into robots (host, origin, fetched_at, expires_at, http_status, body)
       values ('127.0.2.2', $1, now(), now() + interval '1 hour', 200, 'User-agent: *')`,
      [there.url],
    );
    await round;
    expect(there.log.length).toBe(before);
    expect(asked(here)).toContain('/b');
  });

  it('is not followed to a blocked host: the host that redirects is deferred', async () => {
    await cycle.pool.query('delete from robots');
    await cycle.pool.query(
      `update politeness set blocked_until = now() + interval '1 hour', next_at = now() + interval '1 hour', lease_until = now(),
              wanted_until = now()
        where queue_id like '127.0.2.2%'`,
    );
    const before = there.log.length;
    await cycle.inject([`${here.url}/c`]);
    await cycle.round();
    expect(there.log.length).toBe(before);
    expect(asked(here)).not.toContain('/c');
    const { rows } = await cycle.pool.query('select error, failures, failing_since from robots');
    // That we send no request is not a failure of the network.
    expect(rows).toEqual([{ error: expect.stringContaining('excluded host'), failures: 0, failing_since: null }]);
  });
});

describe('several robots.txt that redirect to one host', () => {
  const leadingTo = (there: Site): Promise<Site[]> =>
    Promise.all(
      [1, 2, 3].map((n) => {
        const away = redirect(`${there.url}/r${n}`, 301);
        return startSite({ '/robots.txt': away, '/': page('here') }, { host: `127.0.2.${20 + n}` });
      }),
    );

  it('wait while its own robots.txt is requested', async () => {
    const cycle = await openCycle();
    let own = 0;
    const beside: string[] = [];
    const robots: Handler = async (req, res) => {
      own++;
      await new Promise((wake) => setTimeout(wake, 1_000));
      own--;
      status(404)(req, res);
    };
    const pages: Handler = (req, res) => {
      if (own > 0) beside.push(req.url!);
      return page('x')(req, res);
    };
    const there = await startWatched({ host: '127.0.2.20', robots, pages });
    const away = redirect(`${there.url}/r`, 301);
    const slow: Handler = (req, res) => void setTimeout(() => away(req, res), 300);
    const here = await startSite({ '/robots.txt': slow, '/': page('here') }, { host: '127.0.2.21' });
    try {
      await cycle.inject([`${there.url}/`, `${here.url}/`]);
      await cycle.round({ conf: { 'fetcher.server.delay': '0.3' } });
      expect(there.spans.map(({ path }) => path).sort()).toEqual(['/', '/r']);
      expect(beside).toEqual([]);
    } finally {
      await Promise.all([there.close(), here.close(), cycle.close()]);
    }
  });

  /** Requests to three such sites and to their target: to the target for these paths, one by one with its delay between. */
  async function inTurn(
    paths: string[],
    own: string,
    work: (cycle: Cycle, there: Site, others: Site[]) => Promise<unknown>,
  ): Promise<void> {
    const cycle = await openCycle();
    const there = await startWatched({ host: '127.0.2.20', ms: 200 });
    const others = await leadingTo(there);
    try {
      await work(cycle, there, others);
      expect(there.spans.map(({ path }) => path).sort()).toEqual([...paths, '/r1', '/r2', '/r3'].sort());
      expect(there.most()).toBe(1);
      for (const gap of gaps(there.spans)) expect(gap).toBeGreaterThanOrEqual(300 - SLACK);
      for (const site of others) expect(site.log.map(({ path }) => path)).toContain(own);
    } finally {
      for (const site of [there, ...others]) await site.close();
      await cycle.close();
    }
  }
  const conf = { 'fetcher.server.delay': '0.3' };

  it('are requested one after another, with its delay between, while SITEMAP reads its sitemap', () =>
    inTurn(['/map'], '/map', (cycle, there, others) =>
      cycle.run('SITEMAP', { sitemapUrls: [there, ...others].map(({ url }) => `${url}/map`) }, { conf }),
    ));

  it.each([
    ['no page of it', []],
    ['pages of it', ['/a', '/b']],
  ])('are requested one after another, with its delay between, beside %s', (_beside, paths) =>
    inTurn(paths, '/', async (cycle, there, others) => {
      await cycle.inject([...paths.map((path) => there.url + path), ...others.map(({ url }) => `${url}/`)]);
      await cycle.round({ conf });
    }),
  );
});

it('two hosts whose robots.txt redirect to each other do not deadlock', async () => {
  const cycle = await openCycle();
  const urls: string[] = [];
  const sites: Site[] = [];
  for (const n of [0, 1]) {
    const away: Handler = (_req, res) => void res.writeHead(301, { location: `${urls[1 - n]}/rules` }).end();
    const handlers = { '/robots.txt': away, '/rules': page('User-agent: *'), '/': page('x') };
    const site = await startSite(handlers, { host: `127.0.2.${30 + n}` });
    sites.push(site);
    urls.push(site.url);
  }
  try {
    await cycle.inject(urls.map((url) => `${url}/`));
    await cycle.round({ conf: { 'fetcher.server.delay': '0.3' } });
    for (const site of sites) expect(site.log.map(({ path }) => path).sort()).toEqual(['/', '/robots.txt', '/rules']);
  } finally {
    for (const site of sites) await site.close();
    await cycle.close();
  }
});

it('a hop that failed because of the database is requested again by the next caller', async () => {
  const there = await startSite({ '/robots.txt': page('User-agent: *') });
  const client = new HttpClient({ guard: makeEgressGuard({ exclude: [], include: [] }), verifyTls: true });
  let failures = 1;
  const stored = () =>
    failures-- > 0 ? Promise.reject(new Error('the database is away')) : Promise.resolve(undefined);
  const hops = new RobotsHops({ client, stored, keep: () => Promise.resolve() });
  const ask = () => hops.from('http://here.test').fetch({ url: `${there.url}/robots.txt`, headers: {} });
  try {
    await expect(ask()).rejects.toThrow('the database is away');
    expect(await ask()).toMatchObject({ status: 200 });
  } finally {
    client.close();
    await there.close();
  }
});

it.each([
  [200, 1],
  [404, 1],
  [429, 2],
  [500, 2],
])('a hop that is answered %i is requested %i times for two callers, one after the other', async (code, times) => {
  const there = await startSite({ '/robots.txt': status(code) });
  const client = new HttpClient({ guard: makeEgressGuard({ exclude: [], include: [] }), verifyTls: true });
  const nothing = () => Promise.resolve(undefined);
  const hops = new RobotsHops({ client, stored: nothing, keep: nothing });
  const request = { url: `${there.url}/robots.txt`, headers: {} };
  for (let n = 0; n < 2; n++) await hops.from('http://here.test').fetch(request);
  client.close();
  await there.close();
  expect(there.log).toHaveLength(times);
});

it('a hop whose signal fires while it waits in its queue is aborted', async () => {
  const client = new HttpClient({ guard: makeEgressGuard({ exclude: [], include: [] }), verifyTls: true });
  const nothing = () => Promise.resolve(undefined);
  const hops = new RobotsHops({ client, stored: nothing, keep: nothing, runExclusive: nothing });
  const request = { url: 'http://there.test/robots.txt', headers: {}, signal: AbortSignal.timeout(100) };
  expect(await hops.from('http://here.test').fetch(request)).toMatchObject({ ok: false, code: 'aborted' });
  client.close();
});

it('a robots.txt that is unavailable now where a redirect leads is not stored as the file of that host', async () => {
  const cycle = await openCycle();
  const there = await startSite({ '/robots.txt': status(503) }, { host: '127.0.2.41' });
  const away = redirect(`${there.url}/robots.txt`, 301);
  const here = await startSite({ '/robots.txt': away, '/': page('x') }, { host: '127.0.2.40' });
  try {
    await cycle.inject([`${here.url}/`]);
    await cycle.round();
    const { rows } = await cycle.pool.query('select origin, http_status, error from robots');
    expect(rows).toEqual([{ origin: here.url, http_status: 503, error: expect.stringContaining('503') }]);
  } finally {
    await Promise.all([here.close(), there.close(), cycle.close()]);
  }
});
