import { expect, it } from 'vitest';
import { recordRemoved } from '../../src/webpage/removed-document.store.js';
import { Explained, indexesOf, nodesOf } from './explained.js';
import { useFilledClient } from './filled-client.js';

/** UPDATEDB deletes pages of a crawl with 20,000 jobs: whether one of them is an INDEX that did not end is found by an index. */

const FILL = [
  `insert into conf_snapshot (hash, params) values ('h', '{}')`,
  `insert into crawl (id, name) values (1, 'c'), (2, 'other')`,
  `insert into job (id, number, crawl, crawl_id, conf_id, conf_hash, type, args, state, started_at, ended_at, result)
   select 'j' || n, n, 1, 'c', 'c', 'h', case when n % 100 = 0 then 'INDEX' else 'UPDATEDB' end, '{}', 'FINISHED', now(), now(),
          '{"reason": "done"}'
     from generate_series(1, 20000) n`,
  'analyze job',
];
const PAGES = [
  { host: 'a', key: 'a:http/1', indexed: true },
  { host: 'a', key: 'a:http/2', indexed: false },
];

const client = useFilledClient(FILL, { inTransaction: true });

const recorded = async () =>
  (await client().query<{ key: string }>('select key from removed_document order by key')).rows.map(({ key }) => key);

it('UPDATEDB looks for an INDEX that did not end without reading the jobs of the crawl', async () => {
  const explained = new Explained(client());
  await recordRemoved(explained, 1, PAGES);
  expect(indexesOf(explained.plans)).toContain('job_unended_index');
  const jobs = nodesOf(explained.plans).filter((node) => node['Relation Name'] === 'job');
  expect(jobs.map((node) => node['Actual Rows'])).toEqual(jobs.map(() => 0));
  expect(await recorded()).toEqual(['a:http/1']);
});

it('after an INDEX of the crawl that did not send all pages, those without a mark are recorded, too', async () => {
  await client().query(`update job set result = '{"reason": "stopped"}' where id = 'j100'`);
  await recordRemoved(client(), 1, PAGES);
  expect(await recorded()).toEqual(['a:http/1', 'a:http/2']);
});
