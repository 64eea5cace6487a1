import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SyntheticWeb, startSyntheticWeb } from '../../bench/synthetic-web/start.mjs';
import { type Cycle, openCycle } from '../support/cycle.js';
import { batchOf } from './table.js';

/** What the hosts of the synthetic web say of a crawl: each has an address of its own, and counts what it is asked. */

interface HostStats {
  requests: number;
  distinct: number;
  maxConcurrent: number;
  /** Smallest pause from the end of a request to the start of the next; null with one request. */
  minIdleMs: number | null;
  robotsFetches: number;
  robotsFirst: boolean;
  violations: number;
}

/** By number: 3 has a robots.txt that answers 503, 4 has none, 5's redirects to its neighbour's, 6's forbids all. */
const HOSTS = 7;
const DELAY_MS = 300;

describe('the synthetic web', () => {
  let cycle: Cycle;
  let web: SyntheticWeb;
  beforeAll(async () => {
    const options = { hosts: HOSTS, pages: 12, robots: 3, delay: DELAY_MS / 1000, latency: 5, jitter: 10 };
    [cycle, web] = await Promise.all([openCycle(), startSyntheticWeb(options)]);
  });
  afterAll(async () => {
    await Promise.all([cycle?.close(), web?.close()]);
  });

  const stats = async (): Promise<HostStats[]> =>
    Object.values(((await web.stats()) as { hosts: Record<string, HostStats> }).hosts);
  const conf = {
    'fetcher.server.delay': String(DELAY_MS / 1000),
    'fetcher.threads.per.queue': '1',
    'generate.topN': '24',
    'db.ignore.external.links': 'false',
  };

  it('sees one request at a time from two crawls, Crawl-delay between them, and no page that is forbidden', async () => {
    const seeds = await web.seeds();
    await web.warm();
    await web.maxStallMs();
    for (const crawlId of ['one', 'two']) await cycle.inject(seeds, {}, { crawlId });
    await cycle.round({ crawlId: 'one', conf });
    const batches: [string, string][] = [];
    for (const crawlId of ['one', 'two']) {
      batches.push([crawlId, batchOf(await cycle.run('GENERATE', {}, { crawlId, conf }))]);
    }
    await Promise.all(batches.map(([crawlId, batch]) => cycle.run('FETCH', { batch }, { crawlId, conf })));
    // While it is held up itself, the web sees the end of an answer late, and so a rest that is too short by that.
    const stallMs = await web.maxStallMs();
    const hosts = await stats();
    expect(hosts).toHaveLength(HOSTS);
    for (const host of hosts) {
      expect(host).toMatchObject({ maxConcurrent: 1, violations: 0, robotsFirst: true });
      expect(host.minIdleMs ?? Infinity).toBeGreaterThanOrEqual(DELAY_MS - stallMs);
    }
    // Nobody was asked for a page whose robots.txt cannot be had, or forbids all.
    for (const closed of [3, 6]) expect(hosts[closed]!.requests).toBe(hosts[closed]!.robotsFetches);
    expect(hosts[0]!.requests).toBeGreaterThan(4);
  });
});
