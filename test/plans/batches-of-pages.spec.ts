import { beforeEach, expect, it } from 'vitest';
import { closedBatches } from '../../src/cycle/mergesegs/mergesegs.sql.js';
import { batchesOfPages } from '../../src/webpage/batch.store.js';
import { Explained, nodesOf } from './explained.js';
import { useFilledClient } from './filled-client.js';

/**
 * A crawl with 5,000 batches and 60,000 pages: each tenth batch has closed pages, but of the last 500 batches each has; some of
 * them are open. Which batches have pages is found by one probe of an index for each, in small chunks.
 */

const FILL = [
  `insert into crawl (id, name) values (1, 'c')`,
  `insert into batch (crawl, id, segnum, segment, pages, generated_at)
   select 1, 'b' || n, 1, (20260101000000 + n)::text, 1, now() from generate_series(1, 5000) n`,
  `insert into webpage (crawl, host, key, status, fetch_time, fetch_interval, score, cash, generate_mark, batch_id, update_mark, source_kind)
   select 1, 'test.h' || n % 1000, 'test.h' || n % 1000 || ':http/' || n, 2, now(), 1, 1, 1, case when n % 7000 = 0 then batch end, batch,
          case when n % 3 > 0 and n % 7000 > 0 then batch end, 'link'
     from (select n, 'b' || case when n <= 30000 then 1 + 10 * (n % 450) else 4501 + n % 500 end as batch
             from generate_series(1, 60000) n) made`,
  'analyze webpage',
  'analyze batch',
];

const client = useFilledClient(FILL, { inTransaction: true });
let explained: Explained;
beforeEach(() => {
  explained = new Explained(client());
});

/** The largest number of pages that a part of a plan reads at once, and how a page is found. */
function pagesRead(): { atOnce: number; types: string[] } {
  const scans = nodesOf(explained.plans).filter((node) => node['Relation Name'] === 'webpage');
  return {
    atOnce: Math.max(...scans.map((node) => node['Actual Rows'] ?? 0)),
    types: [...new Set(scans.map((node) => node['Node Type']))].sort(),
  };
}

it('MERGESEGS finds the oldest batches with pages, however many there are without', async () => {
  const found = await closedBatches(explained, 1, 500);
  expect(found.slice(0, 3)).toEqual(['b1', 'b11', 'b21']);
  expect([found.length, found.at(-1)]).toEqual([500, 'b4555']);
  // Chunks of 500 batches: two statements each.
  expect(explained.plans).toHaveLength(2 * 10);
  const { atOnce, types } = pagesRead();
  expect(atOnce).toBeLessThanOrEqual(1);
  expect(types.filter((type) => !type.startsWith('Index'))).toEqual([]);
});

it('so does the purge of batches', async () => {
  const ids = Array.from({ length: 500 }, (_, n) => `b${n + 1}`);
  expect(await batchesOfPages(explained, 1, ids)).toHaveLength(50);
  const { atOnce, types } = pagesRead();
  expect(atOnce).toBeLessThanOrEqual(1);
  expect(types.filter((type) => !type.startsWith('Index'))).toEqual([]);
});
