import { expect, it } from 'vitest';
import { batchesWithPages, isVisited } from '../../src/cycle/batch-chunks.sql.js';
import { nextSources } from '../../src/cycle/updatedb/updatedb.sql.js';
import { Explained, nodesOf } from './explained.js';
import { useFilledClient } from './filled-client.js';

/**
 * A crawl that has kept going for a day: 2,000 open batches with a page of a slow host each, and one with 20,000 of them. Two have
 * fetched pages. The statistics are older.
 */

const FILL = [
  'analyze webpage',
  `insert into crawl (id, name) values (1, 'c')`,
  `insert into webpage (crawl, host, key, status, fetch_time, fetch_interval, score, cash, generate_mark, batch_id, partition_hash,
                        fetch_mark, source_kind)
   select 1, 'slow', 'slow:http/' || n, 1, now(), 1, 1, 1, mark, mark, 0, case when n in (7, 1007, 22000) then mark end, 'link'
     from (select n, case when n <= 2000 then 'b' || lpad(n::text, 4, '0') else 'large' end as mark
             from generate_series(1, 22000) n) made`,
];

const client = useFilledClient(FILL, { inTransaction: true });

const most = (explained: Explained, of: 'Actual Rows' | 'Rows Removed by Filter') =>
  Math.max(...nodesOf(explained.plans).map((node) => node[of] ?? 0));

it('UPDATEDB asks for the batches with fetched pages once for each, however many wait for a slow host', async () => {
  const explained = new Explained(client());
  expect(await batchesWithPages(explained, 1, { visited: true })).toEqual(['b0007', 'b1007', 'large']);
  expect(explained.plans).toHaveLength(4);
  expect([most(explained, 'Actual Rows'), most(explained, 'Rows Removed by Filter')]).toEqual([1, 0]);
});

it('neither it nor the question whether FETCH has begun reads the pages that wait', async () => {
  const explained = new Explained(client());
  expect(await isVisited(explained, 1, 'large')).toBe(true);
  const chunk = { crawl: 1, batch: 'large', part: 0, parts: 1, limit: 500, fetchedOnly: true };
  expect(await nextSources(explained, chunk, undefined)).toMatchObject([{ key: 'slow:http/22000' }]);
  expect([most(explained, 'Actual Rows'), most(explained, 'Rows Removed by Filter')]).toEqual([1, 0]);
});
