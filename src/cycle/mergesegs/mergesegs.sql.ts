/** The statements of MERGESEGS: the pages of closed batches, and how some of them move to another. */
import { lockInOrder } from '../../db/row-locks.js';
import { type Sql, type Statement, count, fragment, row, rows, sql } from '../../db/sql.js';
import { batchesWhere, closedUnparsed, closedUnparsedIn, isSomePage, listBatches } from '../../webpage/batch.store.js';
import { pageRows, samePage } from '../../webpage/page-key.sql.js';
import { lockPagesByHost } from '../../webpage/lock-pages.sql.js';
import type { PageKey } from '../../core/page/page-row.js';

/** Batches that one statement looks at. */
const BATCHES_AT_ONCE = 500;

/** A page as merge filters see it, its times as dates. */
export interface MergeRow extends PageKey {
  status: number;
  score: number;
  fetchTime: Date;
  title: string | null;
  contentType: string | null;
  signature: string | null;
  batchId: string;
  metadata: Record<string, unknown> | null;
}

/**
 * Pages whose last batch is one of these, after a page, in the order of hosts and keys: parsed ones by the index of
 * update marks, the others by that of unparsed pages. No index has this order, so callers of this statement keep its rows.
 */
export const pagesOfSegments = (crawl: number, batches: readonly string[], after: PageKey | null): Statement => sql`
    select host, key
      from (select w.host, w.key from webpage w
             where w.crawl = ${crawl} and w.update_mark = any (${[...batches]}::text[]) and ${isParsedLast}
             union all
            select w.host, w.key from webpage w where w.crawl = ${crawl} and ${closedUnparsedIn(batches)}) page
     where (host, key) > (${after?.host ?? ''}::text, ${after?.key ?? ''}::text)
     order by host, key`;

/** UPDATEDB has closed the last batch of the page, in which it was parsed. */
const isParsedLast = fragment`w.generate_mark is null and w.batch_id collate "C" = w.update_mark`;

/** Those of some pages that are still in these batches, locked. */
export async function lockMerged(
  tx: Sql,
  crawl: number,
  { pages, batches }: { pages: readonly PageKey[]; batches: readonly string[] },
): Promise<MergeRow[]> {
  await lockPagesByHost(tx, crawl, pages);
  return rows<MergeRow>(tx)`
    select w.host, w.key, w.status, w.score, w.fetch_time as "fetchTime", w.title, w.content_type as "contentType",
           w.signature, w.batch_id as "batchId", w.metadata
      from ${pageRows(crawl, pages)}
      join webpage w on ${samePage}
     where w.generate_mark is null and w.batch_id = any (${[...batches]}::text[])
     order by w.host, w.key_hash ${lockInOrder(fragment`w`)}`;
}

/** Moves locked pages to another batch, and changes their update mark if it is that of their batch. @returns how many */
export const moveToBatches = (
  tx: Sql,
  crawl: number,
  pages: readonly (PageKey & { batch: string })[],
): Promise<number> => count(tx)`
    update webpage w
       set batch_id = page.batch, update_mark = case when w.update_mark = w.batch_id collate "C" then page.batch else w.update_mark end
      from ${pageRows(crawl, pages, { batch: 'text' })}
     where ${samePage}`;

/** The first of some batches that has pages waiting for UPDATEDB, and their number. */
export async function findOpen(
  db: Sql,
  crawl: number,
  batches: readonly string[],
): Promise<{ batch: string; pages: number } | undefined> {
  return row<{ batch: string; pages: number }>(db)`
    select generate_mark as batch, count(*)::int as pages from webpage
     where crawl = ${crawl} and generate_mark = any (${[...batches]}::text[])
     group by generate_mark order by generate_mark limit 1`;
}

/** Those of some batches whose pages can be merged, as none waits for UPDATEDB. */
const mergeable = (db: Sql, crawl: number, batches: readonly string[]): Promise<string[]> =>
  batchesWhere(
    db,
    batches,
    (batch) => fragment`not ${isSomePage(crawl, fragment`w.generate_mark = ${batch}`)}
        and (${isSomePage(crawl, fragment`w.update_mark = ${batch} and ${isParsedLast}`)}
             or ${isSomePage(crawl, closedUnparsed(batch))})`,
  );

/** The first batches of a crawl that have pages, none of which waits for UPDATEDB, in the order of their creation. */
export async function closedBatches(db: Sql, crawl: number, limit: number): Promise<string[]> {
  const closed: string[] = [];
  for (let after = ''; closed.length < limit;) {
    const batches = await listBatches(db, crawl, { after, limit: BATCHES_AT_ONCE });
    const ids = batches.map(({ id }) => id);
    closed.push(...(await mergeable(db, crawl, ids)));
    if (batches.length < BATCHES_AT_ONCE) break;
    after = batches.at(-1)!.segment;
  }
  return closed.slice(0, limit);
}

/** When the first of some batches was generated; null if none was recorded. */
export async function firstGenerated(db: Sql, crawl: number, batches: readonly string[]): Promise<Date | null> {
  const oldest = await row<{ first: Date | null }>(db)`
    select min(generated_at) as first from batch where crawl = ${crawl} and id = any (${[...batches]}::text[])`;
  return oldest!.first;
}

/** If a merged batch is the one that jobs use when they name none, the new batch replaces it. */
export async function replaceNewest(
  tx: Sql,
  crawl: number,
  { batches, by }: { batches: readonly string[]; by: string },
): Promise<void> {
  await tx.query(
    sql`update crawl set newest_batch = ${by} where id = ${crawl} and newest_batch = any (${[...batches]}::text[])`,
  );
}
