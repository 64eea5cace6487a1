import { expect, it } from 'vitest';
import { countersSoFar } from '../../src/job/crawl-counters.sql.js';
import { Explained, indexesOf, nodesOf } from './explained.js';
import { useFilledClient } from './filled-client.js';

/** The counters of a CRAWL with 20,000 ended jobs and a running one: only the latter is read. */

const FILL = [
  `insert into conf_snapshot (hash, params) values ('h', '{}')`,
  `insert into job (id, number, crawl, crawl_id, conf_id, conf_hash, type, args, state, started_at, child_counters)
   values ('k', 0, 1, 'c', 'c', 'h', 'CRAWL', '{}', 'RUNNING', now(), '{"a": {"b": 20000}}')`,
  `insert into job (id, number, crawl, crawl_id, conf_id, conf_hash, type, args, parent, round, state, started_at, ended_at, counted)
   select 'j' || n, n, 1, 'c', 'c', 'h', 'UPDATEDB', '{}', 'k', n, 'FINISHED', now(), now(), true from generate_series(1, 20000) n`,
  `insert into job (id, number, crawl, crawl_id, conf_id, conf_hash, type, args, parent, round, state, started_at)
   values ('last', 20001, 1, 'c', 'c', 'h', 'FETCH', '{}', 'k', 1, 'RUNNING', now())`,
  `insert into job_task (job, part, counters) select id, 0, '{"a": {"b": 1}}' from job where type <> 'CRAWL'`,
  'analyze job, job_task',
];

const client = useFilledClient(FILL, { inTransaction: true });

it('the counters of a CRAWL are read without its ended jobs, also by the plan that is kept', async () => {
  const explained = new Explained(client());
  expect(await countersSoFar(explained, 'k')).toEqual({ a: { b: 20_001 } });
  const [measured, kept] = explained.plans;
  for (const plan of [measured!, kept!]) {
    expect(indexesOf([plan])).toContain('job_uncounted');
    expect(nodesOf([plan]).map((node) => node['Node Type'])).not.toContain('Seq Scan');
  }
  const read = nodesOf([measured!]).map((node) => (node['Actual Rows'] ?? 0) * node['Actual Loops']);
  expect(Math.max(...read)).toBeLessThan(10);
});
