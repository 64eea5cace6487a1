/**
 * The statements of DEDUP for contents that are equal: those that were noted since the last one, the pages that have them, and the
 * change of status.
 */
import type { Pool } from 'pg';
import { type Sql, fragment, rows, sql, transaction } from '../../db/sql.js';
import { cursorReaders } from '../../db/pool-semaphores.js';
import { lockInOrder, whereNotLocked } from '../../db/row-locks.js';
import type { PageTwin } from './twin-groups.js';
import { crawlColumn } from '../../webpage/crawl-column.js';

/** A content whose group may have changed: pages of this host have it, or had it. */
export interface Due {
  host: string;
  signature: string;
  /** Where the index has it. */
  hash: number;
  /** When it was noted, as PostgreSQL writes it: to the microsecond. */
  notedAt: string;
}

/** The next contents to look at. They stay until `forgetDue`, so the next call returns the same. */
export const nextDue = (db: Sql, crawl: number, limit: number, after?: Due): Promise<Due[]> =>
  rows<Due>(db)`
    select host, signature, hashtext(signature) as hash, noted_at::text as "notedAt" from signature_due
     where crawl = ${crawl} ${after ? fragment`and (host, signature) > (${after.host}, ${after.signature})` : fragment``}
     order by host, signature limit ${limit}`;

/** Takes contents off the list, save those that were noted again meanwhile. */
export async function forgetDue(tx: Sql, crawl: number, due: Due[]): Promise<void> {
  await tx.query(sql`
    delete from signature_due d
     using unnest(${crawlColumn(crawl, due.length)}, ${due.map((d) => d.host)}::text[], ${due.map((d) => d.signature)}::text[], ${due.map((d) => d.notedAt)}::timestamptz[])
           as seen (crawl, host, signature, noted_at)
     where d.crawl = seen.crawl and d.host = seen.host and d.signature = seen.signature and d.noted_at = seen.noted_at`);
}

/** The next hashes of contents of a crawl behind a hash, in order. */
export async function nextHashes(db: Sql, crawl: number, after: number, limit: number): Promise<number[]> {
  const found = await rows<{ hash: number }>(db)`
    select distinct hashtext(signature) as hash from webpage
     where crawl = ${crawl} and signature is not null and status in (2, 6, 7) and hashtext(signature) > ${after}::bigint
     order by 1 limit ${limit}`;
  return found.map(({ hash }) => hash);
}

export interface TwinQuery {
  crawl: number;
  hashes: number[];
  duplicates: boolean;
  /** Ends the wait for a permit of the pool's readers, and the reading between two chunks: its reason is thrown. */
  halt?: AbortSignal;
}

/** Rows read at once out of a cursor. */
const CHUNK = 2_000;

/**
 * Reads the pages with contents of these hashes: those fetched or not modified, or the duplicates. They come in no order and in
 * chunks, because one content (an error page that answers 200) may stand on a large part of the web. `visit` may write by another
 * connection.
 */
export function eachTwin(pool: Pool, q: TwinQuery, visit: (twins: PageTwin[]) => Promise<void>): Promise<void> {
  return cursorReaders(pool).run(() => transaction(pool, (tx) => readTwins(tx, q, visit)), q.halt);
}

async function readTwins(tx: Sql, q: TwinQuery, visit: (twins: PageTwin[]) => Promise<void>): Promise<void> {
  const status = q.duplicates ? fragment`status = 7` : fragment`status in (2, 6)`;
  // Many hashes are taken for most of the table, which is then read from end to end: 90 ms a chunk instead of 11 at 300,000 pages.
  await tx.query(sql`select set_config('enable_seqscan', 'off', true)`);
  await tx.query(sql`
    declare twins no scroll cursor for
    select host, key, signature, score, fetch_time as "fetchTime", generate_mark is not null as busy from webpage
     where crawl = ${q.crawl} and hashtext(signature) = any (${q.hashes}::int[]) and signature is not null and ${status}`);
  for (;;) {
    q.halt?.throwIfAborted();
    const twins = await rows<PageTwin>(tx, { text: `fetch ${CHUNK} from twins`, values: [] });
    if (twins.length > 0) await visit(twins);
    if (twins.length < CHUNK) return;
  }
}

/** A page whose status DEDUP changes, and the status that it had. */
export interface Moved {
  host: string;
  status: number;
}

/**
 * Marks pages as duplicates, or as fetched again, in the order of the primary key. Left alone is what has changed since it was read: content,
 * status, or a page that went into a batch, whose status belongs to FETCH and UPDATEDB.
 */
export function movePages(
  tx: Sql,
  crawl: number,
  pages: { host: string; key: string; signature: string }[],
  to: 'duplicate' | 'fetched',
): Promise<Moved[]> {
  const from = to === 'duplicate' ? fragment`w.status in (2, 6)` : fragment`w.status = 7`;
  return rows<Moved>(tx)`
    with held as (
      select w.crawl, w.host, w.key, w.status
        from webpage w
        join unnest(${crawlColumn(crawl, pages.length)}, ${pages.map((p) => p.host)}::text[], ${pages.map((p) => p.key)}::text[], ${pages.map((p) => p.signature)}::text[])
             as page (crawl, host, key, signature)
          on w.crawl = page.crawl and w.host = page.host and w.key_hash = hashtextextended(page.key, 0) and w.key = page.key and w.signature is not distinct from page.signature
       where num_nulls(w.generate_mark) = 1 and ${from}
       order by w.host, w.key_hash ${lockInOrder(fragment`w`)})
    update webpage w set status = ${to === 'duplicate' ? 7 : 2}::smallint
      from held where w.crawl = held.crawl and w.host = held.host and w.key_hash = hashtextextended(held.key, 0) and w.key = held.key
       ${whereNotLocked(fragment`and w.status = held.status and num_nulls(w.generate_mark) = 1`)}
    returning w.host, held.status`;
}
