import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SyntheticWeb, startSyntheticWeb } from '../../bench/synthetic-web/start.mjs';
import { type Cycle, openCycle } from '../support/cycle.js';
import { batchOf } from './table.js';

/** Statistics of the hosts of the synthetic web: each has its own address and counts its requests. */

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

/** By number: robots.txt of 3 is 503, 4 has none, that of 5 redirects to another host's, that of 6 disallows all. */
const HOSTS = 7;
const DELAY_MS = 300;

describe('politeness in the synthetic web', () => {
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

  it('two crawls together send one request at a time, keep Crawl-delay and fetch no disallowed page', async () => {
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
    // When the web itself stalls, it records the end of a response late, and a pause that is too short by that time.
    const stallMs = await web.maxStallMs();
    const hosts = await stats();
    expect(hosts).toHaveLength(HOSTS);
    for (const host of hosts) {
      expect(host).toMatchObject({ maxConcurrent: 1, violations: 0, robotsFirst: true });
      expect(host.minIdleMs ?? Infinity).toBeGreaterThanOrEqual(DELAY_MS - stallMs);
    }
    // No page was requested from a host whose robots.txt is unavailable or disallows all.
    for (const closed of [3, 6]) expect(hosts[closed]!.requests).toBe(hosts[closed]!.robotsFetches);
    expect(hosts[0]!.requests).toBeGreaterThan(4);
  });
});
