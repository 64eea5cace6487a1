import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Watched, startWatched } from './watched.js';
import { counter, counters, expectConsistent } from './table.js';

/** Bounds of the queues of a FETCH, and counters of pages that the time limit excludes (docs/semantics/fetch.md). */

let cycle: Cycle;
let site: Watched;

beforeAll(async () => {
  cycle = await openCycle();
  // FETCH jobs of these crawls begin as if they had been running for 58 seconds.
  await cycle.db.query(`create function late() returns trigger language plpgsql as
    $$ begin new.plan := new.plan || jsonb_build_object('begunAt', (new.plan->>'begunAt')::float8 - 58000); return new; end $$`);
  await cycle.db.query(`create trigger late before update on job for each row
    when (old.plan is null and new.plan is not null and new.type = 'FETCH' and new.crawl_id like 'late%')
    execute function late()`);
});
afterEach(async () => {
  await expectConsistent(cycle);
  await site.close();
});
afterAll(() => cycle.close());

async function fetchPages(crawlId: string, n: number, conf: Record<string, string>) {
  const urls = Array.from({ length: n }, (_, i) => `${site.url}/${i}`);
  await cycle.inject(urls, {}, { crawlId });
  await cycle.run('GENERATE', {}, { crawlId });
  return cycle.run('FETCH', { threads: 1 }, { crawlId, conf });
}

describe('the time limit', () => {
  const limit = { 'fetcher.timelimit.mins': '1' };

  it.each([
    ['in their queues, or before they were read', 100, { 'fetcher.server.delay': '0' }, 'time-limit'],
    [
      'whose queue has its next request after the limit',
      10,
      { 'fetcher.server.delay': '5', 'http.robot.rules.allowlist': '127.0.9.1' },
      'done',
    ],
  ])('counts the pages it excludes: %s', async (_, n, conf, reason) => {
    site = await startWatched({ host: '127.0.9.1', ms: 150 });
    const more = { ...limit, ...conf, 'fetcher.queue.depth.multiplier': '30' };
    const job = await fetchPages(`late-${reason}`, n, more);
    const { SUCCESS, 'HitByTimeLimit-Queues': queues = 0, ...rest } = counters(job, 'FetcherStatus');
    expect(job.result).toMatchObject({ reason });
    expect(SUCCESS).toBeGreaterThan(0);
    expect(queues).toBeGreaterThan(0);
    if (n > 30) expect(queues).toBeLessThanOrEqual(30);
    const unread = n - SUCCESS! - queues;
    expect(rest).toEqual(unread === 0 ? {} : { 'HitByTimeLimit-QueueFeeder': unread });
    expect(unread > 0).toBe(n > 30);
    expect(counter(job, 'Fetcher', 'selected')).toBe(n);
  });

  it('counts the pages of a queue whose request for robots.txt used the time', async () => {
    site = await startWatched({ host: '127.0.9.3' });
    const job = await fetchPages('late-robots', 10, { ...limit, 'fetcher.server.delay': '5' });
    expect(counters(job, 'FetcherStatus')).toEqual({ 'HitByTimeLimit-Queues': 10 });
  });
});

describe('fetcher.queue.depth.multiplier', () => {
  it('bounds the queued pages, also while they are refilled; one queue has half of them', async () => {
    site = await startWatched({ host: '127.0.9.2', ms: 60 });
    const crawlId = 'depth';
    const seen: number[] = [];
    const look = setInterval(async () => {
      const [job] = await cycle.db.query<{ msg: string }>(
        `select msg from job where crawl_id = $1 and type = 'FETCH'`,
        [crawlId],
      );
      const queued = /(\d+) pages queued/.exec(job?.msg ?? '');
      if (queued) seen.push(Number(queued[1]));
    }, 100);
    await fetchPages(crawlId, 60, { 'fetcher.queue.depth.multiplier': '20' });
    clearInterval(look);
    expect(seen.length).toBeGreaterThan(10);
    expect(Math.max(...seen)).toBeLessThanOrEqual(10);
    expect(Math.max(...seen)).toBeGreaterThan(5);
  });
});
