import { describe, expect, it } from 'vitest';
import { armFaultPoints } from '../../src/db/fault-point.js';
import type { JobRow } from '../../src/job/job-row.js';
import { crawlNumber } from '../../src/webpage/crawl.store.js';
import {
  type HostChange,
  type HostOutcome,
  changeHost,
  recordOutcomes,
} from '../../src/politeness/host-settings.store.js';
import { type Handler, type Site, page, status } from '../support/site.js';
import { cycle, untilTestEnds, useCrawler } from './crawler.js';
import { batchOf, byPath, counters } from './table.js';
import { SLACK, type Watched, type WatchedOptions, gaps, startWatched } from './watched.js';

/** Back-off of failing hosts and settings of an operator, as seen by the site and in the table. */

useCrawler();

let lastAddress = 10;
/** A site on its own address, which makes it a host of its own. */
async function watched(options: WatchedOptions = {}): Promise<Watched> {
  const site = await startWatched({ host: `127.0.5.${++lastAddress}`, ms: 10, ...options });
  return untilTestEnds(site);
}

/** Sends these responses one after another, then pages. */
const inTurn =
  (...answers: Handler[]): Handler =>
  (req, res) =>
    (answers.shift() ?? page('x'))(req, res);

const of = (site: Site, n: number) => Array.from({ length: n }, (_, i) => `${site.url}/${i}`);
const fetched = async (crawlId: string, urls: string[], conf: Record<string, string> = {}): Promise<JobRow> => {
  if (urls.length > 0) await cycle.inject(urls, {}, { crawlId });
  const batch = batchOf(await cycle.run('GENERATE', {}, { crawlId, conf }));
  return cycle.run('FETCH', { batch }, { crawlId, conf });
};
const hostRow = async (crawlId: string, site: Site) => {
  const [row] = await cycle.db.query(
    `select h.*, extract(epoch from blocked_until - now())::float8 as blocked from host h
       join crawl c on c.id = h.crawl where c.name = $1 and h.host = $2`,
    [crawlId, new URL(site.url).hostname],
  );
  return row!;
};
const change = async (crawlId: string, site: Site, settings: HostChange) =>
  changeHost(cycle.pool, await crawlNumber(cycle.pool, crawlId), new URL(site.url).hostname, settings);
const selected = (job: JobRow) => counters(job, 'Fetcher')['selected'];
const sum = (counts: Record<string, number>) => Object.values(counts).reduce((all, n) => all + n, 0);

describe('Retry-After (RFC 9110 §10.2.3)', () => {
  it.each([
    [429, () => '1'],
    [503, () => '1'],
    [503, () => new Date(Date.now() + 2_000).toUTCString()],
    [500, () => '1'],
  ])('of a %i blocks the host for its duration, after which the pages are fetched', async (code, value) => {
    const site = await watched({ pages: inTurn((req, res) => status(code, { 'retry-after': value() })(req, res)) });
    const crawlId = `after-${code}-${value().length}`;
    const job = await fetched(crawlId, of(site, 3));
    expect(counters(job, 'FetcherStatus')).toEqual({ EXCEPTION: 1, SUCCESS: 2 });
    // A date has no more than seconds.
    expect(gaps(site.spans)[0]).toBeGreaterThanOrEqual(1_000 - SLACK);
    expect(await hostRow(crawlId, site)).toMatchObject({ failures: 0, blocked_until: null, blocked_by: null });
  });

  it('is respected although the write of the visit that received it is delayed by seven seconds', async () => {
    const site = await watched({ pages: inTurn(status(503, { 'retry-after': '10' })) });
    // PostgreSQL rejects writes for seven seconds and still serves reads.
    let end: number | undefined;
    armFaultPoints((point) => {
      if (point !== 'fetch.locked' || site.spans.length === 0) return;
      if (performance.now() < (end ??= performance.now() + 7_000))
        throw Object.assign(new Error('terminating connection'), { code: '57P01' });
    });
    const job = await fetched('slow-write', of(site, 2)).finally(() => armFaultPoints(undefined));
    expect(counters(job, 'FetcherStatus')).toEqual({ EXCEPTION: 1, SUCCESS: 1 });
    expect(gaps(site.spans)[0]).toBeGreaterThanOrEqual(10_000 - SLACK);
  });

  it('longer than FETCH waits leaves the pages in the batch and excludes the host until it expires', async () => {
    const site = await watched({ pages: status(429, { 'retry-after': '1800' }) });
    const other = await watched();
    await cycle.inject([...of(site, 5), ...of(other, 2)], {}, { crawlId: 'long' });
    const generated = await cycle.run('GENERATE', {}, { crawlId: 'long' });
    const job = await cycle.run('FETCH', { batch: batchOf(generated) }, { crawlId: 'long' });
    expect(counters(job, 'FetcherStatus')).toEqual({ EXCEPTION: 1, host_blocked: 4, SUCCESS: 2 });
    expect(selected(job)).toBe(sum(counters(job, 'FetcherStatus')));
    const row = await hostRow('long', site);
    expect(row).toMatchObject({ failures: 1, blocked_by: 'back-off' });
    expect(Math.abs(Number(row['blocked']) - 1_800)).toBeLessThan(60);
    // Another FETCH of the batch sends no request, and the next GENERATE skips the host.
    const again = await cycle.run('FETCH', { resume: true }, { crawlId: 'long' });
    expect(counters(again, 'FetcherStatus')).toEqual({ host_blocked: 4, fetched_before: 3 });
    await cycle.run('UPDATEDB', { batch: batchOf(generated) }, { crawlId: 'long' });
    const next = await cycle.run('GENERATE', {}, { crawlId: 'long' });
    expect(counters(next, 'Generator')).toMatchObject({ HOST_BLOCKED: 4 });
    expect(site.spans).toHaveLength(1);
  });

  it('applies to FETCH jobs of other crawls', async () => {
    const site = await watched({ pages: status(503, { 'retry-after': '1800' }) });
    await fetched('first', of(site, 2));
    const job = await fetched('second', of(site, 3));
    expect(counters(job, 'FetcherStatus')).toEqual({ host_blocked: 3 });
    expect(site.spans).toHaveLength(1);
  });

  it('is bounded by fetcher.backoff.max', async () => {
    const site = await watched({ pages: status(503, { 'retry-after': '999999999' }) });
    await fetched('bound', of(site, 2), { 'fetcher.backoff.max': '100' });
    const { blocked } = await hostRow('bound', site);
    expect(Number(blocked)).toBeGreaterThan(60);
    expect(Number(blocked)).toBeLessThanOrEqual(100);
  });
});

describe('failures of a host', () => {
  const base = { 'fetcher.exceptions.per.queue.delay': '0.2' };

  it.each([429, 500, 503])('%i: each one in a row doubles the back-off', async (code) => {
    const site = await watched({ pages: inTurn(...Array.from({ length: 3 }, () => status(code))) });
    await fetched(`double-${code}`, of(site, 5), base);
    const [first, second, third, after] = gaps(site.spans);
    expect(first).toBeGreaterThanOrEqual(200 - SLACK);
    expect(second).toBeGreaterThanOrEqual(400 - SLACK);
    expect(third).toBeGreaterThanOrEqual(800 - SLACK);
    expect(after).toBeGreaterThanOrEqual(0);
  });

  it('are counted across jobs, and the back-off keeps doubling', async () => {
    const site = await watched({ pages: status(503) });
    const conf = { ...base, 'generate.topN': '1' };
    await cycle.inject(of(site, 4), {}, { crawlId: 'goes-on' });
    const failures: unknown[] = [];
    for (let job = 0; job < 3; job++) {
      await fetched('goes-on', [], conf);
      failures.push((await hostRow('goes-on', site))['failures']);
    }
    expect(failures).toEqual([1, 2, 3]);
    const [first, second] = gaps(site.spans);
    expect(first).toBeGreaterThanOrEqual(200 - SLACK);
    expect(second).toBeGreaterThanOrEqual(400 - SLACK);
  });

  it('are reset by the first successful response', async () => {
    const site = await watched({ pages: inTurn(status(500), status(503), page('x'), status(404), status(500)) });
    await fetched('forgotten', of(site, 6));
    expect(await hostRow('forgotten', site)).toMatchObject({ failures: 0 });
  });

  it('do not include 401, 403, 404 and 410', async () => {
    const site = await watched({ pages: inTurn(status(404), status(403), status(401), status(410)) });
    await fetched('fine', of(site, 4));
    expect(await hostRow('fine', site)).toMatchObject({ failures: 0, blocked_until: null });
  });

  it('of 5xx and 429 empty the queue after fetcher.max.exceptions.per.queue in a row', async () => {
    const site = await watched({
      pages: inTurn(status(500), page('x'), ...Array.from({ length: 9 }, () => status(429))),
    });
    const job = await fetched('given-up', of(site, 12), { 'fetcher.max.exceptions.per.queue': '3' });
    expect(counters(job, 'FetcherStatus')).toEqual({ SUCCESS: 1, EXCEPTION: 4, above_exception_threshold: 7 });
    expect(site.spans).toHaveLength(5);
  });
});

describe('a host that is excluded', () => {
  const generate = (crawlId: string) => cycle.run('GENERATE', {}, { crawlId });

  it('is skipped by GENERATE, which counts its pages by reason, and selected again once it is released', async () => {
    const [blocked, drained, free] = [await watched(), await watched(), await watched()];
    await cycle.inject([...of(blocked, 3), ...of(drained, 2), ...of(free, 1)], {}, { crawlId: 'held' });
    await change('held', blocked, { blockedUntil: new Date(Date.now() + 5_000) });
    await change('held', drained, { drain: true });
    const job = await generate('held');
    expect(counters(job, 'Generator')).toMatchObject({ GENERATE_MARK: 1, HOST_BLOCKED: 3, HOST_DRAINED: 2 });
    await change('held', blocked, { blockedUntil: null });
    await change('held', drained, { drain: null });
    expect(counters(await generate('held'), 'Generator')).toMatchObject({ GENERATE_MARK: 5 });
  });

  it('gets no more requests from a running FETCH', async () => {
    const site = await watched();
    await cycle.inject(of(site, 40), {}, { crawlId: 'drained' });
    const batch = batchOf(await generate('drained'));
    const fetching = cycle.run('FETCH', { batch }, { crawlId: 'drained', conf: { 'fetcher.server.delay': '0.3' } });
    await expect.poll(() => site.spans.length).toBeGreaterThan(1);
    await change('drained', site, { drain: true });
    const job = await fetching;
    const counts = counters(job, 'FetcherStatus');
    expect(counts['host_drained']).toBe(40 - counts['SUCCESS']!);
    expect(site.spans.length).toBe(counts['SUCCESS']);
    expect(site.spans.length).toBeLessThan(40);
  });

  it('stays blocked by hand after a successful response', async () => {
    const site = await watched();
    await cycle.inject(of(site, 1), {}, { crawlId: 'by-hand' });
    const batch = batchOf(await generate('by-hand'));
    await change('by-hand', site, { blockedUntil: new Date(Date.now() + 2_000) });
    await cycle.run('FETCH', { batch }, { crawlId: 'by-hand' });
    expect(await byPath(cycle, ({ status: code }) => code, 'by-hand')).toEqual({ '/0': 2 });
    expect(await hostRow('by-hand', site)).toMatchObject({ blocked_by: 'hand' });
  });
});

describe('per-host settings', () => {
  const delay = (seconds: number): Handler => page(`User-agent: *\nCrawl-delay: ${seconds}\n`);

  it('delayMs applies with one thread and with several', async () => {
    const site = await watched();
    await change('own', site, { delayMs: 300 });
    await fetched('own', of(site, 3), { 'fetcher.threads.per.queue': '3' });
    expect(site.spans).toHaveLength(3);
    const { spans } = site;
    await change('own', site, { threads: 1 });
    await fetched('own', of(site, 6), { 'fetcher.threads.per.queue': '3' });
    for (const gap of gaps(spans.slice(3))) expect(gap).toBeGreaterThanOrEqual(300 - SLACK);
  });

  it('threads allows that many concurrent requests and no more', async () => {
    const site = await watched({ ms: 60 });
    await change('threads', site, { threads: 3 });
    await fetched('threads', of(site, 12), { 'fetcher.server.delay': '9' });
    expect(site.most()).toBe(3);
  });

  it.each([
    ['shorter', 100, 0.4, 400],
    ['longer', 400, 0.1, 400],
  ])('delayMs %s than Crawl-delay: the longer of the two applies', async (name, delayMs, crawlDelay, gap) => {
    const site = await watched({ robots: delay(crawlDelay) });
    await change(`politer-${name}`, site, { delayMs });
    await fetched(`politer-${name}`, of(site, 3), { 'fetcher.threads.per.queue': '2' });
    expect(site.spans).toHaveLength(3);
    for (const each of gaps(site.spans)) expect(each).toBeGreaterThanOrEqual(gap - SLACK);
  });

  it('apply to a FETCH that is already running', async () => {
    const site = await watched();
    await cycle.inject(of(site, 20), {}, { crawlId: 'up' });
    const batch = batchOf(await cycle.run('GENERATE', {}, { crawlId: 'up' }));
    await change('up', site, { delayMs: 60_000 });
    const fetching = cycle.run('FETCH', { batch }, { crawlId: 'up' });
    // robots.txt has been requested, and the delay after it would be a minute.
    await expect.poll(() => site.log.length).toBe(1);
    await change('up', site, { delayMs: 0 });
    expect(counters(await fetching, 'FetcherStatus')).toEqual({ SUCCESS: 20 });
  });

  it('of Nutch 2.x in the host metadata apply with fetcher.queue.use.host.settings', async () => {
    const site = await watched({ ms: 40 });
    await cycle.inject(of(site, 4), {}, { crawlId: 'meta' });
    await cycle.db.query(`update host set metadata = '{"q_mt": "1", "q_cd": "300"}' where host = $1`, [
      new URL(site.url).hostname,
    ]);
    await fetched('meta', [], { 'fetcher.threads.per.queue': '2', 'fetcher.queue.use.host.settings': 'true' });
    expect(site.spans).toHaveLength(4);
    for (const gap of gaps(site.spans)) expect(gap).toBeGreaterThanOrEqual(300 - SLACK);
  });
});

it.each<[string, Omit<HostOutcome, 'host'>]>([
  ['a successful response', { answered: true, failures: 0, blockedMs: null }],
  ['a failure', { answered: false, failures: 1, blockedMs: 5_000 }],
])('a block by hand survives %s of a visit that was running when it was set', async (_, outcome) => {
  const crawlId = `by-hand-${outcome.failures}`;
  await cycle.inject(['http://a.test/'], {}, { crawlId });
  const [{ id }] = (await cycle.db.query<{ id: number }>('select id from crawl where name = $1', [crawlId])) as [
    { id: number },
  ];
  const blockedUntil = new Date('2099-01-01T00:00:00Z');
  await changeHost(cycle.pool, id, 'test.a', { blockedUntil });
  await recordOutcomes(cycle.pool, id, [{ host: 'test.a', ...outcome }]);
  expect(
    await cycle.db.query('select blocked_until, blocked_by, failures from host where crawl = $1 and host = $2', [
      id,
      'test.a',
    ]),
  ).toEqual([{ blocked_until: blockedUntil, blocked_by: 'hand', failures: outcome.failures }]);
});
