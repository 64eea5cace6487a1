/**
 * The statements of INDEX: the pages of a job, all data of some of them, and the mark of those that were written.
 */
import { FETCHED_STATUSES } from '../../core/page/page-status.js';
import { type Sql, type Statement, count, fragment, joined, rows, sql } from '../../db/sql.js';
import { lockInOrder } from '../../db/row-locks.js';
import { closedUnparsed, isClosedUnparsed } from '../../webpage/batch.store.js';
import { isForced, isParsed, mayChangeDocument } from '../../webpage/document-due.store.js';
import { type KeyPartition, inPartition, isAfter, pageRows, samePage, samePageAs } from '../../webpage/page-key.sql.js';
import { statusCounts } from '../../webpage/host-counts.store.js';
import { inNoBatch } from '../../webpage/batch-marks.sql.js';
import { clearRemoved, recordDocuments } from '../../webpage/removed-document.store.js';
import type { PageKey } from '../../core/page/page-row.js';
import { sameContent } from '../../webpage/page-columns.sql.js';
import { statusOf } from '../../webpage/page-status.sql.js';
import { ALL } from '../batch-chunks.sql.js';

/** The argument that means every parsed page, whether or not UPDATEDB has processed it (2.x). */
export const REINDEX = '-reindex';

/** A page to index, and the size of its data. */
export interface IndexCandidate extends PageKey {
  /** Characters of text, bytes of content. */
  textLength: number;
  contentLength: number;
  /** When a CRAWL recorded it for INDEX (`document_due`); null: it did not; undefined: that was not read. */
  notedAt?: string | null;
}

const candidateColumns = fragment`w.host, w.key, coalesce(p.text_length, 0) as "textLength",
    coalesce(p.content_length, 0) as "contentLength"`;

/**
 * The pages of batches after a page, in the order of hosts and keys, by the index of update marks. Also those whose
 * new content could not be parsed, as they may have documents of the former one, and unchanged ones without a document: duplicates
 * that DEDUP has restored. With `toDelete` all pages of these batches that were not parsed: documents of gone or redirected pages
 * are to be deleted. No index has this order, so callers of this statement keep its rows.
 */
export function pagesOfBatches(
  crawl: number,
  batches: readonly string[],
  { after, toDelete, partition }: { after: PageKey | null; toDelete: boolean; partition: KeyPartition },
): Statement {
  const which = mayChangeDocument(toDelete);
  const left = batches.map(
    (batch) =>
      fragment`union all select w.host, w.key from webpage w where w.crawl = ${crawl} and ${closedUnparsed(batch)} and ${which}`,
  );
  const more = joined(left, ' ');
  return sql`
    select ${candidateColumns}
      from (select w.host, w.key from webpage w where w.crawl = ${crawl} and w.update_mark = any (${[...batches]}::text[]) ${more}) w
      left join page_content p on p.crawl = ${crawl} and p.host = w.host and p.key = w.key
     where (w.host, w.key) > (${after?.host ?? ''}::text, ${after?.key ?? ''}::text) and ${inPartition(partition)}
     order by w.host, w.key`;
}

/**
 * The next pages of the table: those of all batches (`-all`) and recorded ones, or all that were parsed; recorded ones with their
 * time. `toDelete` as in `pagesOfBatches`, but a page that no UPDATEDB has marked needs an index mark: others are very many.
 */
export function nextIndexCandidates(
  db: Sql,
  crawl: number,
  {
    which,
    toDelete,
    limit,
    after,
    partition,
  }: {
    which: typeof ALL | typeof REINDEX;
    toDelete: boolean;
    limit: number;
    after: PageKey | null;
    partition: KeyPartition;
  },
): Promise<IndexCandidate[]> {
  const mayHaveDocument = fragment`(${mayChangeDocument(false)} or ${toDelete} and w.index_mark is not null)`;
  const condition =
    which === ALL
      ? fragment`(w.update_mark is not null or d.key is not null or ${isClosedUnparsed} and ${mayHaveDocument})`
      : fragment`w.parse_major is not null`;
  return rows<IndexCandidate>(db)`
    select ${candidateColumns}, d.noted_at::text as "notedAt"
      from webpage w
      left join page_content p on ${sameContent}
      left join document_due d on d.crawl = w.crawl and d.host = w.host and d.key = w.key
     where w.crawl = ${crawl} and ${isAfter(after)} and ${condition} and ${inPartition(partition)}
     order by w.host, w.key_hash limit ${limit}`;
}

/**
 * The next pages that the jobs of a CRAWL have recorded. `coalesce` is for the planner, which then assumes half of the rows: of the
 * bare range of hashes it assumes one in 200, and reads and sorts all rows for each chunk.
 */
export const nextDue = (
  db: Sql,
  crawl: number,
  { limit, after, partition }: { limit: number; after: PageKey | null; partition: KeyPartition },
): Promise<IndexCandidate[]> =>
  rows<IndexCandidate>(db)`
    select ${candidateColumns}, w.noted_at::text as "notedAt"
      from document_due w
      left join page_content p on ${sameContent}
     where w.crawl = ${crawl} and (w.host, w.key) > (${after?.host ?? ''}::text, ${after?.key ?? ''}::text)
       and coalesce(${inPartition(partition)}, false)
     order by w.host, w.key limit ${limit}`;

/** The number of recorded pages, at most `max`. */
export async function countDue(db: Sql, crawl: number, max: number): Promise<number> {
  const [due] = await rows<{ n: number }>(db)`
    select count(*)::int as n from (select 1 from document_due where crawl = ${crawl} limit ${max}) d`;
  return due!.n;
}

/** The number of pages that were fetched, of batches or of all, at most `max`. For all it is that of their hosts. */
export async function countCandidates(
  db: Sql,
  crawl: number,
  { batches, max }: { batches: readonly string[]; max: number },
): Promise<number> {
  if (batches.includes(ALL) || batches.includes(REINDEX)) {
    const counts = await statusCounts(db, crawl);
    return FETCHED_STATUSES.reduce((n, status) => n + (counts[status] ?? 0), 0);
  }
  const [pages] = await rows<{ n: number }>(db)`
    select count(*)::int as n
      from (select 1 from webpage where crawl = ${crawl} and update_mark = any (${[...batches]}::text[]) limit ${max}) w`;
  return pages!.n;
}

/** A page with all data for its document. */
export interface IndexedRow extends PageKey {
  status: number;
  fetchTime: Date;
  prevFetchTime: Date | null;
  lastModified: Date | null;
  score: number;
  distance: number;
  signature: string | null;
  prevSignature: string | null;
  batchId: string | null;
  updateMark: string | null;
  parsed: boolean;
  /** It has an index mark, and is in no batch. */
  isSettled: boolean;
  reprUrl: string | null;
  title: string | null;
  contentType: string | null;
  metadata: Record<string, unknown> | null;
  headers: Record<string, unknown> | null;
  contentLength: number | null;
  outlinkKeys: string[] | null;
  outlinkAnchors: (string | null)[] | null;
  /** zstd */
  text: Buffer | null;
  content: Buffer | null;
}

/** Data of pages that not every document needs; what is not read is null. */
export interface IndexedExtras {
  readonly content: boolean;
  readonly outlinks: boolean;
}

/**
 * Reads pages with all data for their documents, and the data that some of these need. As in Nutch a page counts as fetched by its
 * last visit: the interval of its next one does not keep it out of the index.
 */
export function readPages(
  db: Sql,
  crawl: number,
  pages: readonly PageKey[],
  { content, outlinks }: IndexedExtras,
): Promise<IndexedRow[]> {
  const links = outlinks
    ? fragment`p.outlink_keys as "outlinkKeys", p.outlink_anchors as "outlinkAnchors"`
    : fragment`null::text[] as "outlinkKeys", null::text[] as "outlinkAnchors"`;
  return rows<IndexedRow>(db)`
    select w.host, w.key, case when ${isForced} then ${statusOf('fetched')} else w.status end as status, w.fetch_time as "fetchTime",
           w.prev_fetch_time as "prevFetchTime", w.last_modified as "lastModified", w.score, w.distance, w.signature, w.prev_signature as "prevSignature",
           w.batch_id as "batchId", w.update_mark as "updateMark", ${isParsed} as parsed,
           w.index_mark is not null and ${inNoBatch} as "isSettled",
           w.repr_url as "reprUrl", w.title, w.content_type as "contentType", w.metadata, p.headers,
           p.content_length as "contentLength", ${links}, p.text,
           ${content ? fragment`nullif(p.content, ''::bytea)` : fragment`null::bytea`} as content
      from ${pageRows(crawl, pages)}
      join webpage w on ${samePage}
      left join page_content p on ${sameContent}
     order by w.host, w.key`;
}

/** The names that 1.x gives batches. */
export const readSegments = (
  db: Sql,
  crawl: number,
  ids: readonly string[],
): Promise<{ id: string; segment: string }[]> =>
  rows<{ id: string; segment: string }>(db)`
    select id, segment from batch where crawl = ${crawl} and id = any (${[...ids]}::text[])`;

/**
 * Marks pages as indexed, each with its batch, or (null) as not in the index. Pages that have the mark are not written again.
 * If a page was deleted since it was sent, its document is recorded for deletion; if a page is back, the record is removed.
 */
export async function markIndexed(
  tx: Sql,
  crawl: number,
  pages: readonly (PageKey & { mark: string | null })[],
): Promise<void> {
  if (pages.length === 0) return;
  const changed = await count(tx)`
    with locked as materialized (
      select w.crawl, w.host, w.key, page.mark
        from ${pageRows(crawl, pages, { mark: 'text' })}
        join webpage w on ${samePage}
       where w.index_mark is distinct from page.mark
       order by w.host, w.key_hash ${lockInOrder(fragment`w`)}
    )
    update webpage w set index_mark = locked.mark from locked
     where ${samePageAs('locked')}`;
  const sent = pages.filter(({ mark }) => mark !== null);
  if (sent.length === 0) return;
  await clearRemoved(tx, crawl, sent);
  // A transaction that deletes one of them from now on finds its mark.
  if (changed < pages.length) await recordDocuments(tx, crawl, await goneSince(tx, crawl, sent));
}

/** Those of the pages that were deleted since they were read: one that is back since `markIndexed` has no mark. */
async function goneSince(tx: Sql, crawl: number, pages: readonly PageKey[]): Promise<PageKey[]> {
  const marked = await rows<{ key: string }>(tx)`
    select w.key from ${pageRows(crawl, pages)} join webpage w on ${samePage} where w.index_mark is not null`;
  const keys = new Set(marked.map(({ key }) => key));
  return pages.filter(({ key }) => !keys.has(key));
}

/** The number of pages of batches that were parsed and wait for UPDATEDB. */
export async function countNotUpdated(db: Sql, crawl: number, batches: readonly string[]): Promise<number> {
  const mark = batches.includes(ALL)
    ? fragment`generate_mark is not null`
    : fragment`generate_mark = any (${[...batches]}::text[])`;
  const [pages] = await rows<{ n: number }>(db)`
    select count(*)::int as n from webpage where crawl = ${crawl} and ${mark} and parse_mark is not null`;
  return pages!.n;
}
