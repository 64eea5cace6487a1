import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Site, page, startSite } from '../support/site.js';
import { batchOf, counters } from './table.js';

/** The clock of the database is set to a month without a partition of the fetch history, while a FETCH runs (F12). */

const PAGES = 20;
let cycle: Cycle;
let site: Site;
beforeAll(async () => {
  cycle = await openCycle();
  site = await startSite(async (req, res) => {
    if (req.url === '/p0') await dropPartitions();
    page(`<title>title of ${req.url}</title>`)(req, res);
  });
});
afterAll(async () => {
  await cycle?.close();
  await site?.close();
});

async function dropPartitions(): Promise<void> {
  const found = await cycle.db.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'fetch_history'::regclass`,
  );
  for (const { name } of found) await cycle.db.query(`drop table ${name}`);
}

it('FETCH creates the partition of that month and stores each visit', async () => {
  await cycle.inject(Array.from({ length: PAGES }, (_, n) => `${site.url}/p${n}`));
  const job = await cycle.run('FETCH', { batch: batchOf(await cycle.run('GENERATE')) });
  expect(job).toMatchObject({ state: 'FINISHED', msg: 'OK' });
  expect(counters(job, 'FetcherStatus')).toEqual({ SUCCESS: PAGES });
  expect(await cycle.db.query(`select from fetch_history where key like '%/p0'`)).toHaveLength(1);
});
