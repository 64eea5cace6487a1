/**
 * The statements of DEDUP for contents that are equal: those recorded since the last run, the pages that have them, and the
 * change of status.
 */
import type { Pool } from 'pg';
import { rowList } from '../../db/row-list.js';
import { type Sql, fragment, rows, sql, transaction } from '../../db/sql.js';
import { cursorReaders } from '../../db/pool-semaphores.js';
import { lockInOrder, whereNotLocked } from '../../db/row-locks.js';
import { PAGE_STATUS } from '../../core/page/page-status.js';
import type { PageKey } from '../../core/page/page-row.js';
import type { EqualPage } from '../../core/page/duplicate-groups.js';
import { crawlColumn } from '../../webpage/crawl-column.sql.js';
import { COMPARED, FETCHED, statusOf } from '../../webpage/page-status.sql.js';
import { pageRows, samePage, samePageAs } from '../../webpage/page-key.sql.js';
import { inNoBatch } from '../../webpage/batch-marks.sql.js';

/** A content whose group may have changed: pages of this host have it, or had it. */
export interface RecordedContent {
  host: string;
  signature: string;
  /** Its value in the index. */
  hash: number;
  /** When it was recorded, as PostgreSQL writes it: to the microsecond. */
  recordedAt: string;
}

/** The next contents to process. They stay until `deleteRecorded`, so the next call returns the same. */
export const nextRecorded = (
  db: Sql,
  crawl: number,
  limit: number,
  after?: RecordedContent,
): Promise<RecordedContent[]> =>
  rows<RecordedContent>(db)`
    select host, signature, hashtext(signature) as hash, noted_at::text as "recordedAt" from signature_due
     where crawl = ${crawl} ${after ? fragment`and (host, signature) > (${after.host}, ${after.signature})` : fragment``}
     order by host, signature limit ${limit}`;

/** Deletes contents from the list, except those recorded again meanwhile. */
export async function deleteRecorded(tx: Sql, crawl: number, recorded: RecordedContent[]): Promise<void> {
  await tx.query(sql`
    delete from signature_due d
     using ${rowList('seen', recorded, {
       crawl: crawlColumn(crawl, recorded.length),
       host: ['text', ({ host }) => host],
       signature: ['text', ({ signature }) => signature],
       noted_at: ['timestamptz', ({ recordedAt }) => recordedAt],
     })}
     where d.crawl = seen.crawl and d.host = seen.host and d.signature = seen.signature and d.noted_at = seen.noted_at`);
}

/** The next hashes of contents of a crawl after a hash, in order. */
export async function nextHashes(db: Sql, crawl: number, after: number, limit: number): Promise<number[]> {
  const hashes = await rows<{ hash: number }>(db)`
    select distinct hashtext(signature) as hash from webpage
     where crawl = ${crawl} and signature is not null and status in ${COMPARED} and hashtext(signature) > ${after}::bigint
     order by 1 limit ${limit}`;
  return hashes.map(({ hash }) => hash);
}

export interface EqualPageQuery {
  crawl: number;
  hashes: number[];
  duplicates: boolean;
  /** Ends the wait for a reader's permit, and the reading between two chunks: its reason is thrown. */
  signal?: AbortSignal;
}

/** Rows fetched from a cursor at once. */
const CHUNK = 2_000;

/**
 * Reads the pages with contents of these hashes: those fetched or not modified, or the duplicates. They come in chunks, because a
 * large part of a web may have one content (an error page with status 200), and an https page directly before the http page that
 * differs in nothing else (`DuplicateGroups`). `visit` may write over another connection.
 */
export function eachEqualPage(
  pool: Pool,
  q: EqualPageQuery,
  visit: (equalPages: EqualPage[]) => Promise<void>,
): Promise<void> {
  return cursorReaders(pool).run(() => transaction(pool, (tx) => readEqualPages(tx, q, visit)), q.signal);
}

/** Visits the pages whose signatures have these hashes, in chunks of a cursor. */
async function readEqualPages(
  tx: Sql,
  q: EqualPageQuery,
  visit: (equalPages: EqualPage[]) => Promise<void>,
): Promise<void> {
  const status = q.duplicates ? fragment`status = ${statusOf('duplicate')}` : fragment`status in ${FETCHED}`;
  // With many hashes the planner expects most of the table and scans all of it: 90 ms a chunk instead of 11 at 300,000 pages.
  await tx.query(sql`select set_config('enable_seqscan', 'off', true)`);
  await tx.query(sql`
    declare equal_pages no scroll cursor for
    select host, key, signature, score, fetch_time as "fetchTime", generate_mark is not null as busy from webpage
     where crawl = ${q.crawl} and hashtext(signature) = any (${q.hashes}::int[]) and signature is not null and ${status}
     order by regexp_replace(key, '^([^:]*):https', '\\1:http'), key desc`);
  for (;;) {
    q.signal?.throwIfAborted();
    const equalPages = await rows<EqualPage>(tx, { text: `fetch ${CHUNK} from equal_pages`, values: [] });
    if (equalPages.length > 0) await visit(equalPages);
    if (equalPages.length < CHUNK) return;
  }
}

/** A page whose status DEDUP changes, and its former status. */
export interface Moved extends PageKey {
  status: number;
}

/**
 * Gives pages the status duplicate, or fetched again, in the order of the primary key. Pages that have changed since they were
 * read are skipped: other content or status, or now in a batch, where FETCH and UPDATEDB set the status.
 */
export function movePages(
  tx: Sql,
  crawl: number,
  pages: { host: string; key: string; signature: string }[],
  to: 'duplicate' | 'fetched',
): Promise<Moved[]> {
  const from = to === 'duplicate' ? fragment`w.status in ${FETCHED}` : fragment`w.status = ${statusOf('duplicate')}`;
  return rows<Moved>(tx)`
    with locked as (
      select w.crawl, w.host, w.key, w.status
        from webpage w
        join ${pageRows(crawl, pages, { signature: 'text' })}
          on ${samePage} and w.signature is not distinct from page.signature
       where ${inNoBatch} and ${from}
       order by w.host, w.key_hash ${lockInOrder(fragment`w`)})
    update webpage w set status = ${PAGE_STATUS[to]}::smallint
      from locked where ${samePageAs('locked')}
       ${whereNotLocked(fragment`and w.status = locked.status and ${inNoBatch}`)}
    returning w.host, w.key, locked.status`;
}
