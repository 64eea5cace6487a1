/**
 * Deletes the rows of batches that were made long ago and are of no use any more: no page is in them, or was visited in them last,
 * no job that still exists has made them, and no open one names them. A crawl that goes on for months makes a million of them.
 */
import type { Pool } from 'pg';
import { type Sql, count, rows, sql, transaction } from '../db/sql.js';
import { type BatchRow, batchesOfPages, listBatches, segmentBefore } from '../webpage/batch.store.js';
import { OPEN } from './states.sql.js';

/** Batches that one statement looks at. */
const AT_ONCE = 500;

/** Deletes batches that were made before so many days; returns their number. */
export async function purgeBatches(pool: Pool, days: number): Promise<number> {
  const crawls = await rows<{ id: number }>(pool)`select id from crawl order by id`;
  let deleted = 0;
  for (const { id } of crawls) deleted += await purgeBatchesOf(pool, id, days);
  return deleted;
}

async function purgeBatchesOf(pool: Pool, crawl: number, days: number): Promise<number> {
  const before = await segmentBefore(pool, days);
  let deleted = 0;
  for (let after = ''; ;) {
    const batches = await listBatches(pool, crawl, { after, before, limit: AT_ONCE });
    const ids = await withoutPages(pool, crawl, batches);
    if (ids.length > 0) deleted += await transaction(pool, (tx) => deleteUnused(tx, crawl, ids));
    if (batches.length < AT_ONCE) return deleted;
    after = batches.at(-1)!.segment;
  }
}

async function withoutPages(db: Sql, crawl: number, batches: readonly Pick<BatchRow, 'id'>[]): Promise<string[]> {
  const ids = batches.map(({ id }) => id);
  const used = new Set(await batchesOfPages(db, crawl, ids));
  return ids.filter((id) => !used.has(id));
}

/** The lock is that of GENERATE (`recordBatches`), which may be making one of them again: so its pages are seen. */
async function deleteUnused(tx: Sql, crawl: number, ids: readonly string[]): Promise<number> {
  await tx.query(sql`select from crawl where id = ${crawl} for no key update`);
  const used = new Set([...(await batchesOfPages(tx, crawl, ids)), ...(await batchesOfJobs(tx, crawl, ids))]);
  const free = ids.filter((id) => !used.has(id));
  return count(tx)`
    delete from batch b using crawl c
     where b.crawl = ${crawl} and b.id = any (${free}::text[]) and c.id = b.crawl and b.id is distinct from c.newest_batch`;
}

/** Those of some batches that a job which still exists has made, or that an open one names, by id or as a segment. */
async function batchesOfJobs(db: Sql, crawl: number, ids: readonly string[]): Promise<string[]> {
  const batches = await rows<{ id: string }>(db)`
    with made as materialized (
      select result ->> 'generate.batch.id' as id from job where crawl = ${crawl} and type = 'GENERATE'
       union all
      select jsonb_array_elements_text(result -> 'generate.batch.ids') from job where crawl = ${crawl} and type = 'GENERATE'
    ), open as materialized (
      select concat(args, plan) as words from job where crawl = ${crawl} and state in ${OPEN}
    )
    select b.id from batch b
     where b.crawl = ${crawl} and b.id = any (${[...ids]}::text[])
       and (b.id in (select id from made)
            or exists (select from open where strpos(words, to_json(b.id)::text) > 0 or strpos(words, to_json(b.segment)::text) > 0))`;
  return batches.map(({ id }) => id);
}
