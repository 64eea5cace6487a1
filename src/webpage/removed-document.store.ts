/**
 * Documents whose pages were deleted from the table. The mark of a document is deleted with its page, so it is recorded here,
 * in the transaction that deletes the page, until CLEAN, or an INDEX that deletes, has deleted it from every index writer.
 */
import { type Sql, count, fragment, rows, sql } from '../db/sql.js';
import { type KeyPartition, inPartition, pageRows } from './page-key.sql.js';

export interface DocumentKey {
  host: string;
  key: string;
}

/**
 * Records documents of pages that were deleted. A page without a mark may have a document, too, if an INDEX has sent pages that
 * it did not mark: it is running, or did not finish. Deleting a missing document is no error.
 */
export async function recordRemoved(
  tx: Sql,
  crawl: number,
  removed: readonly (DocumentKey & { indexed: boolean })[],
): Promise<void> {
  const unmarked = removed.some(({ indexed }) => !indexed) && (await hasUnendedIndex(tx, crawl));
  await recordDocuments(tx, crawl, unmarked ? removed : removed.filter(({ indexed }) => indexed));
}

/** Records documents to be deleted. */
export async function recordDocuments(tx: Sql, crawl: number, pages: readonly DocumentKey[]): Promise<void> {
  if (pages.length === 0) return;
  await tx.query(sql`
    insert into removed_document (crawl, host, key)
    select page.crawl, page.host, page.key
      from ${pageRows(crawl, pages)}
     order by page.host, page.key
    on conflict (crawl, host, key) do nothing`);
}

/** Whether an INDEX of the crawl runs, or ended without sending all pages. */
async function hasUnendedIndex(tx: Sql, crawl: number): Promise<boolean> {
  const unended = await rows<{ id: string }>(tx)`
    select j.id from crawl c join job j on j.crawl_id = c.name
     -- As the index has it (job_unended_index).
     where c.id = ${crawl} and j.type = 'INDEX' and coalesce(j.result ->> 'reason', '') <> 'done' limit 1`;
  return unended.length > 0;
}

/** The next documents to be deleted. */
export const nextRemoved = (
  db: Sql,
  crawl: number,
  { after, limit, partition }: { after: DocumentKey | null; limit: number; partition?: KeyPartition | undefined },
): Promise<DocumentKey[]> =>
  rows<DocumentKey>(db)`
    select w.host, w.key from removed_document w
     where w.crawl = ${crawl} and (w.host, w.key) > (${after?.host ?? ''}::text, ${after?.key ?? ''}::text)
       and ${partition ? inPartition(partition) : fragment`true`}
     order by w.host, w.key limit ${limit}`;

/** These are deleted everywhere, or their pages are back and have documents of their own. */
export const clearRemoved = (tx: Sql, crawl: number, pages: readonly DocumentKey[]): Promise<number> =>
  count(tx)`
    delete from removed_document r
     using ${pageRows(crawl, pages)}
     where r.crawl = page.crawl and r.host = page.host and r.key = page.key`;
