/**
 * The pages whose documents the next INDEX of a CRAWL makes or deletes. UPDATEDB, INVERTLINKS and DEDUP record them in the
 * transaction that changes the pages, or their inlinks, until an INDEX has written them to every index writer.
 */
import { PARSE_MAJOR, PARSE_MINOR } from '../core/page/parse-status.js';
import type { PageKey } from '../core/page/page-row.js';
import { PROTOCOL_STATUS } from '../core/page/protocol-status.js';
import { rowList } from '../db/row-list.js';
import { type Fragment, type Sql, fragment, numberLiterals, prepared, row, sql } from '../db/sql.js';
import { crawlColumn } from './crawl-column.sql.js';
import { pageRows, samePage } from './page-key.sql.js';
import { FETCHED, statusOf } from './page-status.sql.js';

/** A page, and when it was recorded: microseconds matter, so as text. */
export interface DueDocument extends PageKey {
  notedAt: string;
}

/** Page `w` has text. A meta refresh has none. */
export const isParsed = fragment`coalesce(w.parse_major = ${PARSE_MAJOR.success} and w.parse_minor <> ${PARSE_MINOR.redirect}, false)`;

/** Protocol statuses of visits that found the page. */
const ANSWERED = numberLiterals([PROTOCOL_STATUS.SUCCESS, PROTOCOL_STATUS.NOTMODIFIED]);

/**
 * UPDATEDB has left page `w` unfetched although its last visit succeeded, as its interval exceeded `db.fetch.interval.max`. INJECT,
 * which resets pages too, removes the time of the visit.
 */
export const isForced = fragment`(w.status = ${statusOf('unfetched')} and w.signature is null and w.prev_fetch_time is not null
           and w.protocol_code in ${ANSWERED})`;

/** Its last visit succeeded. */
const isFetched = fragment`(w.status in ${FETCHED} or ${isForced})`;

/**
 * Whether INDEX takes page `w`, which UPDATEDB has closed without new text: it may have a document of its former content, or is
 * a duplicate without a document that DEDUP has restored. `toDelete`: all, as documents of gone or redirected pages are deleted.
 */
export const mayChangeDocument = (toDelete: boolean): Fragment =>
  toDelete ? fragment`true` : fragment`(${isFetched} and (w.index_mark is null) = ${isParsed})`;

/** Pages that a transaction has changed. */
export interface ChangedPages {
  /** By UPDATEDB, or by DEDUP. */
  pages?: readonly PageKey[];
  /** Their inlinks. */
  linked?: readonly PageKey[];
}

/**
 * Records those of the pages, just updated, that have new text or may change their documents otherwise, and those fetched ones
 * whose inlinks have changed. One that is recorded already gets a new time, so that an INDEX which has read it before does not
 * delete it. In one statement, in the order of keys, so that two transactions cannot deadlock.
 */
export async function recordDue(
  tx: Sql,
  crawl: number,
  { pages = [], linked = [] }: ChangedPages,
  { toDelete }: { toDelete: boolean },
): Promise<void> {
  const changed = new Map(linked.map(({ host, key }) => [key, { host, key, linked: true, updated: false }]));
  for (const { host, key } of pages) changed.set(key, { host, key, linked: changed.has(key), updated: true });
  if (changed.size === 0) return;
  await prepared(tx).query(sql`
    insert into document_due (crawl, host, key, noted_at)
    select page.crawl, page.host, page.key, now()
      from ${pageRows(crawl, [...changed.values()], { linked: 'bool', updated: 'bool' })} join webpage w on ${samePage}
     where page.linked and ${isFetched}
        or page.updated and (w.update_mark is not distinct from w.batch_id collate "C" or ${mayChangeDocument(toDelete)})
     order by page.host, page.key
    on conflict (crawl, host, key) do update set noted_at = excluded.noted_at`);
}

/** Deletes pages from the list, except those recorded again meanwhile. */
export async function clearDue(tx: Sql, crawl: number, pages: readonly DueDocument[]): Promise<void> {
  if (pages.length === 0) return;
  await tx.query(sql`
    delete from document_due d
     using ${rowList('seen', pages, {
       crawl: crawlColumn(crawl, pages.length),
       host: ['text', ({ host }) => host],
       key: ['text', ({ key }) => key],
       noted_at: ['timestamptz', ({ notedAt }) => notedAt],
     })}
     where d.crawl = seen.crawl and d.host = seen.host and d.key = seen.key and d.noted_at = seen.noted_at`);
}

/** Whether a crawl has recorded pages. */
export async function hasDue(db: Sql, crawl: number): Promise<boolean> {
  return (await row(db, sql`select from document_due where crawl = ${crawl} limit 1`)) !== undefined;
}
