import { describe, expect, it } from 'vitest';
import type { JobRow } from '../../src/job/job-row.js';
import { type Handler, type Site, page, redirect, status } from '../support/site.js';
import { cycle, untilTestEnds, useCrawler } from './crawler.js';
import { counters } from './table.js';
import { startWatched } from './watched.js';

/** Crawls whose FETCH skips pages that GENERATE would select again: no endless rounds, and no rounds or limit used up. */

useCrawler();

let lastAddress = 0;
async function site(pages: Handler): Promise<Site> {
  const started = await startWatched({ host: `127.0.7.${++lastAddress}`, ms: 0, pages });
  return untilTestEnds(started);
}
const busy = status(503, { 'retry-after': '1800' });
const of = ({ url }: Site, n: number) => Array.from({ length: n }, (_, i) => `${url}/${i}`);

/** Runs a CRAWL over pages that are injected before; returns it after its end and the number of its FETCH jobs. */
async function crawl(
  crawlId: string,
  urls: string[],
  { conf, ...plan }: { conf?: Record<string, string>; limit?: number; topN?: number } = {},
): Promise<{ job: JobRow; fetches: number }> {
  const { confId, confHash } = await cycle.inject(urls, {}, { crawlId, ...(conf && { conf }) });
  const { id } = await cycle.jobs.create({
    type: 'CRAWL',
    crawlId,
    confId,
    confHash,
    args: {},
    plan: { seedName: null, rounds: 5, topN: null, limit: null, adddays: 0, threads: 2, ...plan },
  });
  // Running any job runs all waiting ones.
  await cycle.run('DEDUP', {}, { crawlId });
  const fetches = (await cycle.jobs.children(id)).filter(({ type }) => type === 'FETCH').length;
  return { job: (await cycle.jobs.find(id))!, fetches };
}

describe('a CRAWL with a host in back-off because of another crawl', () => {
  it('skips the host after the first round and ends with hosts-left-alone', async () => {
    const one = await site(busy);
    await cycle.inject(of(one, 1), {}, { crawlId: 'first' });
    await cycle.round({ crawlId: 'first' });
    const { job, fetches } = await crawl('second', [...of(one, 3), ...of(await site(page('x')), 2)]);
    expect(job).toMatchObject({
      state: 'FINISHED',
      msg: 'OK: all pages that are due are on excluded hosts (HOST_BLOCKED 3)',
      result: { reason: 'hosts-left-alone' },
    });
    expect(counters(job, 'FetcherStatus')).toEqual({ SUCCESS: 2, host_blocked: 3 });
    expect(fetches).toBe(1);
    const [host] = await cycle.db.query(
      `select blocked_by, failures, extract(epoch from blocked_until - now())::float8 as blocked
         from host h join crawl c on c.id = h.crawl where c.name = 'second' and h.host = $1`,
      [new URL(one.url).hostname],
    );
    expect(host).toMatchObject({ blocked_by: 'back-off', failures: 0 });
    expect(Math.abs(Number(host!['blocked']) - 1_800)).toBeLessThan(60);
  });

  it('does not count unfetched pages against its limit', async () => {
    const one = await site(busy);
    await cycle.inject(of(one, 1), {}, { crawlId: 'third' });
    await cycle.round({ crawlId: 'third' });
    const links = Array.from({ length: 9 }, (_, i) => `<a href="/more/${i}">${i}</a>`).join(' ');
    const { job } = await crawl('limited', [...of(one, 3), ...of(await site(page(links)), 2)], { limit: 5 });
    expect(job).toMatchObject({ state: 'FINISHED', result: { reason: 'limit' } });
    expect(counters(job, 'FetcherStatus')).toEqual({ SUCCESS: 5, host_blocked: 3 });
  });
});

it('a CRAWL counts pages against its limit although the targets of their redirects are excluded', async () => {
  const login = await site(busy);
  await cycle.inject(of(login, 1), {}, { crawlId: 'fifth' });
  await cycle.round({ crawlId: 'fifth' });
  const web = await site((req, res) => redirect(`${login.url}/from${req.url}`)(req, res));
  const { job } = await crawl('redirects', of(web, 3), { limit: 3, conf: { 'http.redirect.max': '2' } });
  expect(counters(job, 'FetcherStatus')).toEqual({ TEMP_MOVED: 3, host_blocked: 3 });
  expect(job).toMatchObject({ state: 'FINISHED', result: { reason: 'limit' } });
});

describe('a CRAWL with two hosts in one queue (byIP)', () => {
  it('excludes both in this FETCH and the next GENERATE when one sends Retry-After', async () => {
    const one = await startWatched({ host: '127.0.0.1', ms: 0, pages: busy });
    untilTestEnds(one);
    const { port } = new URL(one.url);
    const seeds = ['127.0.0.1', 'localhost'].flatMap((host) => [1, 2].map((n) => `http://${host}:${port}/${n}`));
    const { job, fetches } = await crawl('one-queue', seeds, { conf: { 'fetcher.queue.mode': 'byIP' } });
    expect(job).toMatchObject({ state: 'FINISHED', result: { reason: 'hosts-left-alone' } });
    expect(counters(job, 'FetcherStatus')).toEqual({ EXCEPTION: 1, host_blocked: 3 });
    expect(fetches).toBe(1);
  });
});

it('a CRAWL that selects fewer pages a round than it has partitions ends when nothing is due', async () => {
  const web = await site(page('x'));
  const conf = { 'mapreduce.job.reduces': '5', 'generate.topN': '1' };
  const { job, fetches } = await crawl('below', of(web, 3), { conf, topN: 1 });
  expect(job).toMatchObject({ state: 'FINISHED', msg: 'OK: nothing more is due', result: { reason: 'done' } });
  expect([counters(job, 'FetcherStatus'), fetches]).toEqual([{ SUCCESS: 3 }, 3]);
  const limited = await crawl('below-limit', of(web, 7), { conf: { 'mapreduce.job.reduces': '5' }, limit: 6, topN: 5 });
  expect(limited.job).toMatchObject({ state: 'FINISHED', result: { reason: 'limit' } });
});

it('a CRAWL reports in msg which due pages its configuration does not select', async () => {
  const web = await site(page('x'));
  const { job } = await crawl('low', of(web, 2), { conf: { 'generate.min.score': '5' } });
  expect(job).toMatchObject({
    msg: 'OK: nothing more is due; not selected by the configuration: SCORE_TOO_LOW 2',
    result: { reason: 'done' },
  });
});

it('a CRAWL with fetcher.timelimit.mins 0 ends after three rounds without a fetched page', async () => {
  const { job, fetches } = await crawl('no-time', of(await site(page('x')), 3), {
    conf: { 'fetcher.timelimit.mins': '0' },
  });
  expect(job).toMatchObject({ state: 'FINISHED', result: { reason: 'nothing-fetched' } });
  expect(job.msg).toContain('time-limit');
  expect(fetches).toBe(3);
});
