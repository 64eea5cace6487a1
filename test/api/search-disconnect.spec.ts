import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PATIENCE_MS } from '../support/patience.js';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.js';

/** Searches whose clients have disconnected while they waited for others. */

const secret = 'secret-of-ann';
const ann = { name: 'ann', scope: 'read' as const, sha256: createHash('sha256').update(secret).digest() };
const headers = { Authorization: `Bearer ${secret}` };
let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest({ apiKeys: [ann] });
  await api.database.query(`insert into crawl (name) values ('k1')`);
});
afterAll(() => api?.close());

const search = (signal: AbortSignal | null = null) => fetch(`${api.url}/v1/search?q=a&crawlId=k1`, { headers, signal });

/** The number of searches that their clients have left. */
async function abortedSearches(): Promise<number> {
  const text = await (await fetch(`${api.url}/metrics`, { headers })).text();
  const [, count = 0] =
    /route_requests_total\{method="GET",route="\/v1\/search",status="aborted"\} (\d+)/.exec(text) ?? [];
  return Number(count);
}

it('are not started, and count no longer towards the limit of their key', async () => {
  const holder = await api.database.pool.connect();
  await holder.query('begin; lock table search_segment in access exclusive mode');
  const searches: Promise<Response>[] = [];
  try {
    const leaving = new AbortController();
    const left = Array.from({ length: 8 }, () => search(leaving.signal).catch(() => undefined));
    const isWaiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(() => api.database.query(isWaiting), { timeout: PATIENCE_MS }).toHaveLength(2);
    leaving.abort();
    await Promise.all(left);
    await expect.poll(abortedSearches, { timeout: PATIENCE_MS }).toBe(8);
    // Two of them are running, so six more are taken.
    searches.push(...Array.from({ length: 7 }, () => search()));
    await Promise.race(searches);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  const statuses = (await Promise.all(searches)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([...Array<number>(6).fill(200), 429]);
});
