import type { Pool } from 'pg';
import { expect, it } from 'vitest';
import type { JobQueue } from '../../src/job/job-queue.js';
import { purgeJobs } from '../../src/job/job-purge.store.js';
import { JobStore, type JobFilter } from '../../src/job/job.store.js';
import { Explained } from './explained.js';
import { useFilledClient } from './filled-client.js';

/** The jobs that users have created, beside the 20,000 steps of a CRAWL that has run for some days. */

const FILL = [
  `insert into conf_snapshot (hash, params) values ('h', '{}')`,
  `insert into crawl (id, name) values (1, 'c')`,
  `insert into job (id, number, crawl, crawl_id, conf_id, conf_hash, type, args, state, parent, round, started_at, ended_at)
   select 'j' || n, n, 1, 'c', 'c', 'h', case n when 1 then 'CRAWL' else 'GENERATE' end, '{}', 'FINISHED',
          case when n > 1 then 'j1' end, case when n > 1 then n end, now(), now()
     from generate_series(1, 20000) n`,
  'analyze job',
];

const client = useFilledClient(FILL, { inTransaction: true });

it.each<[string, JobFilter]>([
  ['the newest CRAWL of a crawl', { crawlId: 'c', type: 'CRAWL', limit: 1 }],
  ['all CRAWLs', { type: 'CRAWL', limit: 101 }],
  ['the newest job of a crawl that a user has created', { crawlId: 'c', outermost: true, limit: 1 }],
])('finds %s without reading the steps of the CRAWL', async (_, filter) => {
  const explained = new Explained(client());
  const jobs = new JobStore(explained as unknown as Pool, undefined as unknown as JobQueue);
  expect((await jobs.list(filter)).map(({ id }) => id)).toEqual(['j1']);
  expect(blocksOf(explained)[0]).toBeLessThan(20);
});

it('housekeeping does not read the steps of a CRAWL that stays', async () => {
  await client().query(`update job set ended_at = now() - interval '1 year' where parent is not null`);
  const explained = new Explained(client());
  expect(await purgeJobs(explained as unknown as Pool, 30)).toBe(0);
  const blocks = blocksOf(explained);
  expect(blocks).toHaveLength(4);
  expect(Math.max(...blocks)).toBeLessThan(20);
});

function blocksOf({ plans }: Explained): number[] {
  return plans.map((plan) => (plan as { 'Shared Hit Blocks'?: number })['Shared Hit Blocks']!);
}
