/**
 * The pages of a batch, read in chunks. FETCH, PARSE and UPDATEDB all scan one index, (crawl, generate_mark, hash of
 * the key), so their cost depends on the batch and not on the size of the table, and the pages of a host are spread
 * over the whole scan.
 */
import { type BatchCursor, BATCH_START } from '../core/frontier/batch-cursor.js';
import { type Fragment, type Sql, fragment, row, sql } from '../db/sql.js';

/** The argument that means every batch. */
export const ALL = '-all';

/** Rows of a batch (or of every batch) after a cursor, for WHERE and ORDER BY. */
export function batchChunk(batch: string, after: BatchCursor = BATCH_START): { where: Fragment; order: Fragment } {
  if (batch !== ALL) {
    return {
      where: fragment`w.generate_mark = ${batch} and (hashtext(w.key), w.key) > (${after.hash}::int, ${after.key}::text)`,
      order: fragment`hashtext(w.key), w.key`,
    };
  }
  return {
    where: fragment`w.generate_mark is not null
      and (w.generate_mark, hashtext(w.key), w.key) > (${after.mark}::text, ${after.hash}::int, ${after.key}::text)`,
    order: fragment`w.generate_mark, hashtext(w.key), w.key`,
  };
}

/** Rows of some batches. A single batch is read by the same index as a chunk of it. */
export const inBatches = (batches: readonly string[]): Fragment =>
  batches.length === 1 ? batchChunk(batches[0]!).where : hasMark(batches);

/** Rows with the mark of some batches. One is compared as such: PostgreSQL 15 and 16 may filter a list from all marked pages. */
const hasMark = (batches: readonly string[]): Fragment =>
  batches.length === 1
    ? fragment`w.generate_mark = ${batches[0]}`
    : fragment`w.generate_mark = any (${[...batches]}::text[])`;

/** Rows of one kind: GENERATE and FETCH keep sitemaps and pages apart; null: both kinds. */
export function ofKind(sitemap: boolean | null, mark = fragment`inject_mark`): Fragment {
  if (sitemap === null) return fragment`true`;
  return sitemap ? fragment`${mark} = 's'` : fragment`${mark} is distinct from 's'`;
}

/** The columns that make up the cursor of a row. */
export const cursorColumns = fragment`w.generate_mark as mark, hashtext(w.key) as hash, w.key`;

/** Partition `part` of `parts` by fetch queue: all pages of a host are in one partition. */
export const queuePartition = (part: number, parts: number): Fragment =>
  fragment`coalesce(w.partition_hash, 0) % ${parts}::int = ${part}::int`;

/** The number of pages of some batches, of one kind or both; counts up to `max` if it is given. */
export async function batchSize(
  db: Sql,
  crawl: number,
  batches: readonly string[],
  { max, sitemap = null }: { max?: number; sitemap?: boolean | null } = {},
): Promise<number> {
  const mark = batches.includes(ALL) ? fragment`w.generate_mark is not null` : hasMark(batches);
  const size = await row<{ n: number }>(db)`
    select count(*)::int as n
      from (select 1 from webpage w
             where w.crawl = ${crawl} and ${mark} and ${ofKind(sitemap)}
             limit ${max ?? null}) counted`;
  return size!.n;
}

/**
 * The open batches (generated, not yet updated) with pages, or, with `visited`, of which at least one page was fetched: one
 * statement for each that is found. The pages of many others may wait for slow hosts. In the order of their ids, after `after`.
 */
export async function batchesWithPages(
  db: Sql,
  crawl: number,
  { visited, after = '', limit = Infinity }: { visited: boolean; after?: string; limit?: number },
): Promise<string[]> {
  const pages = visited ? fragment`fetch_mark is not null` : fragment`generate_mark is not null`;
  const batches: string[] = [];
  while (batches.length < limit) {
    const mark = await nextMark(db, crawl, pages, batches.at(-1) ?? after);
    if (mark === undefined) break;
    batches.push(mark);
  }
  return batches;
}

/** Whether FETCH has written any page of the batch. */
export async function isVisited(db: Sql, crawl: number, batch: string): Promise<boolean> {
  const ofBatch = batch === ALL ? fragment`generate_mark is not null` : fragment`generate_mark = ${batch}`;
  const statement = sql`select from webpage where crawl = ${crawl} and ${ofBatch} and fetch_mark is not null limit 1`;
  return (await row(db, statement)) !== undefined;
}

/** The batch of such pages after `after` in the order of the ids: one index look-up, however many pages are between. */
async function nextMark(db: Sql, crawl: number, pages: Fragment, after: string): Promise<string | undefined> {
  const page = await row<{ mark: string }>(db)`
    select generate_mark as mark from webpage
     where crawl = ${crawl} and ${pages} and generate_mark > ${after} order by generate_mark limit 1`;
  return page?.mark;
}
