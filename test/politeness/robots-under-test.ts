import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { parseConf } from '../../src/core/conf/properties.js';
import { fetchLimitsOf } from '../../src/plugin/http-protocol.js';
import { RobotsCache, type RobotsCacheOptions } from '../../src/politeness/robots-cache.js';
import { makeEgressGuard } from '../../src/core/address/egress-guard.js';
import { HttpClient } from '../../src/net/http-client.js';
import { type Cycle, loopback, openCycle } from '../support/cycle.js';
import { type Site, startSite } from '../support/site.js';

/** The robots.txt caches of tasks, over a real table and real sites; each spec calls `useRobots` once. */

export let cycle: Cycle;
let client: HttpClient;
/** Errors of the resolver by name; all other names are on loopback. */
export const unresolved = new Map<string, string>();
const sites: Site[] = [];
const caches: RobotsCache[] = [];

export function useRobots(): void {
  beforeAll(async () => {
    cycle = await openCycle();
  });
  beforeEach(async () => {
    await cycle.pool.query('delete from robots');
    unresolved.clear();
    client = new HttpClient({
      guard: makeEgressGuard({ exclude: [], include: [] }),
      verifyTls: true,
      resolve: (name) => {
        const code = unresolved.get(name);
        return code === undefined
          ? Promise.resolve(['127.0.0.1'])
          : Promise.reject(Object.assign(new Error(), { code }));
      },
    });
  });
  afterEach(async () => {
    client.close();
    for (const cache of caches.splice(0)) cache.close();
    for (const site of sites.splice(0)) await site.close();
  });
  afterAll(() => cycle.close());
}

export async function site(...given: Parameters<typeof startSite>): Promise<Site> {
  const started = await startSite(...given);
  sites.push(started);
  return started;
}

export async function closedPort(): Promise<number> {
  const { port, close } = await startSite({});
  await close();
  return port;
}

/** The cache of one task; it counts the reads of the table. */
export function taskCache(given: Record<string, string> = {}, more: Partial<RobotsCacheOptions> = {}) {
  const reads = { count: 0 };
  const db: Pick<typeof cycle.pool, 'query'> = Object.create(cycle.pool, {
    query: {
      value: (statement: { text: string; values: unknown[] }) => {
        if (/^\s*select/.test(statement.text)) reads.count++;
        return cycle.pool.query(statement);
      },
    },
  });
  const { conf } = parseConf({ ...loopback, ...given });
  const { signal } = new AbortController();
  const cache = new RobotsCache({ db, client, conf, headers: {}, limits: fetchLimitsOf(conf), signal, ...more });
  caches.push(cache);
  return { reads, cache };
}
