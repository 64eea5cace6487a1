import type { Pool } from 'pg';
import { expect, it } from 'vitest';
import { purgeSeedLists, purgeSnapshots } from '../../src/job/left-by-jobs.store.js';
import { Explained, nodesOf } from './explained.js';
import { useFilledClient } from './filled-client.js';

/** Statements of housekeeping for rows left by jobs, with 20,000 jobs: indexes show whether a job names a list. */

const FILL = [
  `insert into conf_snapshot (hash, params, used_at) select 'h' || n, '{}', now() - interval '2 days' from generate_series(1, 2000) n`,
  `insert into seed_list (name, inline, created_at) select 's' || n, true, now() - interval '2 days' from generate_series(1, 10000) n`,
  `insert into job (id, number, crawl, crawl_id, conf_id, conf_hash, type, args)
   select 'j' || n, n, 1, 'c', 'c', 'h' || n % 1900 + 1, 'INJECT', jsonb_build_object('seedName', 's' || n) from generate_series(1, 20000) n`,
  `update job set args = '{}' where number <= 5`,
  'analyze job, seed_list, conf_snapshot',
];

const client = useFilledClient(FILL);

it.each([
  ['seed lists', purgeSeedLists, 5, 'job_by_seed_list'],
  ['configuration snapshots', purgeSnapshots, 100, 'job_by_conf'],
])('housekeeping deletes unused %s by an index, without a sequential scan of jobs', async (_, purge, gone, index) => {
  const explained = new Explained(client());
  const query = (statement: string | { text: string; values: unknown[] }) =>
    typeof statement === 'string' ? client().query(statement) : explained.query(statement);
  const connection = { query, on: () => undefined, off: () => undefined, release: () => undefined };
  const pool = { connect: () => Promise.resolve(connection) };
  expect(await purge(pool as unknown as Pool, 1_000)).toBe(gone);
  const nodes = nodesOf(explained.plans);
  expect(nodes.map((node) => node['Index Name'])).toContain(index);
  expect(explained.plans.length).toBe(2);
  expect(nodes.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name'])).not.toContain(
    'job',
  );
});
