import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Watched, startWatched } from './watched.js';
import { batchOf, counters, expectConsistent } from './table.js';

/** A FETCH whose connection is cut during a read continues with its leases and queues (F6): no page is requested twice. */

let cycle: Cycle;
let site: Watched;
beforeAll(async () => {
  cycle = await openCycle();
});
afterEach(async () => {
  await expectConsistent(cycle);
  await site.close();
});
afterAll(() => cycle.close());

/** Blocks statements of FETCH on a table, then terminates the backend of the first one that waits. */
async function terminateWaiting(table: string, statement: string): Promise<void> {
  const gate = new pg.Client({ connectionString: cycle.db.url, application_name: 'gate' });
  await gate.connect();
  try {
    await gate.query('begin');
    await gate.query(`lock table ${table} in access exclusive mode`);
    const cut = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query ~* $1`;
    await expect.poll(async () => (await cycle.db.query(cut, [statement])).length, { interval: 10 }).toBeGreaterThan(0);
  } finally {
    await gate.end();
  }
}

it.each([
  ['the host settings', 'host', String.raw`^\s*select h\.host, threads`, 30],
  ['the queue leases', 'politeness', 'update politeness set lease_until', 50],
  ['the next pages', 'webpage', String.raw`^\s*select .*from webpage w`, 400],
])('FETCH requests each page once when its connection is cut while it reads %s', async (_, table, statement, pages) => {
  site = await startWatched({ host: '127.0.8.1', ms: 0 });
  const crawlId = `cut-${table}`;
  const urls = Array.from({ length: pages }, (_, i) => `${site.url}/${i}`);
  await cycle.inject(urls, {}, { crawlId });
  const batch = batchOf(await cycle.run('GENERATE', {}, { crawlId }));
  const conf = { 'fetcher.server.delay': pages > 100 ? '0.01' : '0.2', 'fetcher.queue.depth.multiplier': '5' };
  const fetching = cycle.run('FETCH', { batch, threads: 2 }, { crawlId, conf });
  await expect.poll(() => site.spans.length).toBeGreaterThan(1);
  await terminateWaiting(table, statement);
  const job = await fetching;
  expect(job).toMatchObject({ state: 'FINISHED', msg: 'OK' });
  expect(counters(job, 'FetcherStatus')).toEqual({ SUCCESS: pages });
  expect(site.spans).toHaveLength(pages);
});
