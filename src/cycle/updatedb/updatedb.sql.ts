/**
 * The statements by which UPDATEDB reads its batch and removes pages. It reads in two steps: keys alone, very many at
 * once, to sort them by host; then the rows of a chunk, locked, with the results of FETCH and PARSE. The
 * statement that closes a chunk has a file of its own (update-chunk.sql.ts).
 */
import type { BatchCursor } from '../../core/frontier/batch-cursor.js';
import { PARSE_MAJOR, PARSE_MINOR } from '../../core/page/parse-status.js';
import { SITEMAP_KEYS } from '../../core/schedule/sitemap-hints.js';
import { REPRESENTATIVE_KEY } from '../../core/url/representative.js';
import { hostKeyOf } from '../../core/url/row-key.js';
import { keepInOrder, lockInOrder, whereNotLocked } from '../../db/row-locks.js';
import { type Sql, fragment, prepared, rows, sql } from '../../db/sql.js';
import { isLeftUnparsed } from '../parsed-page.sql.js';
import { FETCH_SIGNATURE } from '../passed-metadata.js';
import { removeInlinksFrom, underOwnKeys } from '../former-links.sql.js';
import type { InvertedLinks } from '../inverted-links.js';
import { batchChunk, cursorColumns, queuePartition } from '../batch-chunks.sql.js';
import { type DocumentKey, recordRemoved } from '../../webpage/removed-document.store.js';
import type { PageKey } from '../../core/page/page-row.js';
import { sameContent } from '../../webpage/page-columns.sql.js';
import { contentOfPage, isAfter, pageRows, samePage } from '../../webpage/page-key.sql.js';
import { lockPagesByHost } from '../../webpage/lock-pages.sql.js';
import { REDIRECTED, statusOf } from '../../webpage/page-status.sql.js';
import { inNoBatch, isInBatch } from '../../webpage/batch-marks.sql.js';

/** A page of the batch, as UPDATEDB reads it. Times as Date. */
export interface Source {
  host: string;
  key: string;
  mark: string;
  hash: number;
  status: number;
  fetched: boolean;
  parsed: boolean;
  /** It was fetched, and no parser has tried to read it. */
  unparsed: boolean;
  /** A parser has failed. Content that was cut off is not parsed. */
  parseFailed: boolean;
  /** The server redirects it, or PARSE found a meta refresh: the one outlink is a redirect. */
  isRedirect: boolean;
  fetchTime: Date;
  prevFetchTime: Date | null;
  fetchInterval: number;
  retries: number;
  modifiedTime: Date | null;
  prevModifiedTime: Date | null;
  lastModified: Date | null;
  signature: string | null;
  prevSignature: string | null;
  fixedInterval: string | null;
  /** Protocol status of its last visit. */
  protocolCode: number | null;
  contentType: string | null;
  /** Made by FETCH, if `fetcher.signature` is set. */
  fetchSignature: string | null;
  /** The value in the sitemap of the site, as written. */
  changefreq: string | null;
  spend: number;
  score: number;
  /** Frozen when the page was generated. */
  distance: number;
  /** Outlinks that get contributions: those found now, not those of an earlier visit. */
  outlinks: number;
  /** Its links were read, and differ from its inlinks (`formerLinks`). */
  relinked: boolean;
  /** Of a redirect: row key of its target, and the URL that represents both; null otherwise. */
  target: string | null;
  reprUrl: string | null;
  /** Only if a scoring filter reads pages. */
  metadata?: Record<string, string> | null;
  headers?: Record<string, string> | null;
  contentScore?: number | null;
}

const pageColumns = fragment`, w.metadata, p.headers, w.content_score as "contentScore"`;

/** The server redirects it, or PARSE found a meta refresh: the one outlink is a redirect. */
const isRedirect = fragment`(w.status in ${REDIRECTED} or coalesce(w.parse_minor, 0) = 100)`;

const sourceColumns = fragment`${cursorColumns}, w.host, w.status, w.fetch_mark is not null as fetched, w.parse_mark is not null as parsed,
  ${isLeftUnparsed} as unparsed,
  coalesce(w.parse_major, 0) = ${PARSE_MAJOR.failed} and coalesce(w.parse_minor, 0) <> ${PARSE_MINOR.truncated} as "parseFailed",
  ${isRedirect} as "isRedirect", w.fetch_time as "fetchTime", w.prev_fetch_time as "prevFetchTime",
  w.fetch_interval as "fetchInterval", w.retries_since_fetch as retries, w.modified_time as "modifiedTime",
  w.prev_modified_time as "prevModifiedTime", w.last_modified as "lastModified", w.signature, w.prev_signature as "prevSignature",
  w.metadata ->> 'fixedInterval' as "fixedInterval", w.protocol_code as "protocolCode", w.content_type as "contentType", w.metadata ->> ${FETCH_SIGNATURE} as "fetchSignature",
  w.metadata ->> ${SITEMAP_KEYS.changefreq} as changefreq, coalesce(w.spend, 0) as spend, w.score, coalesce(w.spend_distance, w.distance) as distance`;

/** Its links are those that this batch has found. */
const isRead = fragment`(w.fetch_mark is not null and (w.status in ${REDIRECTED} or w.parse_mark is not null))`;

/** Keys of the next pages of a partition of the batch. @param q.fetchedOnly those that FETCH, and its parser, have finished */
export function nextSources(
  db: Sql,
  q: { crawl: number; batch: string; part: number; parts: number; limit: number; fetchedOnly?: boolean },
  after: BatchCursor | undefined,
): Promise<{ host: string; key: string; mark: string; hash: number }[]> {
  const chunk = batchChunk(q.batch, after);
  return rows<{ host: string; key: string; mark: string; hash: number }>(db)`
    select ${cursorColumns}, w.host from webpage w
     where w.crawl = ${q.crawl} and ${chunk.where} and ${queuePartition(q.part, q.parts)}
           ${q.fetchedOnly ? fragment`and w.fetch_mark is not null and not ${isLeftUnparsed}` : fragment``}
     order by ${chunk.order} limit ${q.limit}`;
}

/** A page, with the batch in which it was read. */
export interface InBatch {
  host: string;
  key: string;
  mark: string;
}

/** Those of the pages that are still in that batch, as rows `w`. */
const inBatch = (crawl: number, pages: readonly InBatch[]) => fragment`webpage w
      join ${pageRows(crawl, pages, { mark: 'text' })}
        on ${samePage} and ${isInBatch(fragment`page.mark`)}`;

/**
 * Reads pages of the batch; those that left it meanwhile are missing. FETCH, PARSE and GENERATE cannot write to them until the
 * transaction ends. A separate statement locks them: one that waited would read the links as they were before.
 */
export async function readSources(
  tx: Sql,
  crawl: number,
  pages: readonly InBatch[],
  { wide }: { wide: boolean } = { wide: false },
): Promise<Source[]> {
  await keepSources(tx, crawl, pages);
  return rows<Source>(prepared(tx))`
    select ${sourceColumns},
           -- The links of an earlier visit do not count: a redirect that this batch has not fetched keeps its cash.
           case when ${isRead} then coalesce(cardinality(p.outlink_keys), 0) else 0 end as outlinks,
           ${isRead} and num_nonnulls(p.former_outlink_keys) > 0 as relinked,
           case when ${isRedirect} then p.outlink_keys[1] end as target, case when ${isRedirect} then w.repr_url end as "reprUrl"
           ${wide ? pageColumns : fragment``}
      from ${inBatch(crawl, pages)}
      left join page_content p on ${sameContent}
     order by w.host, w.key`;
}

/** Locks pages of the batch, in order, so that they stay as they are read. */
async function keepSources(tx: Sql, crawl: number, pages: readonly InBatch[]): Promise<void> {
  await lockPagesByHost(tx, crawl, pages, 'reading');
  await prepared(tx).query(
    sql`select w.host from ${inBatch(crawl, pages)} order by w.host, w.key_hash ${keepInOrder(fragment`w`)}`,
  );
}

/** As in the partial indexes, which cannot be used with a parameter. */
const OF_STATUS = {
  gone: fragment`w.status = ${statusOf('gone')}`,
  orphan: fragment`w.status = ${statusOf('orphan')}`,
} as const;

/** The next pages of a status that are in no batch. */
export const nextOf = (
  tx: Sql,
  crawl: number,
  status: keyof typeof OF_STATUS,
  { after, limit }: { after: { host: string; key: string }; limit: number },
): Promise<{ host: string; key: string; signature: string | null }[]> =>
  rows<{ host: string; key: string; signature: string | null }>(tx)`
    select host, key, signature from webpage w
     where crawl = ${crawl} and ${OF_STATUS[status]} and ${inNoBatch} and ${isAfter(after)}
     order by host, key_hash limit ${limit} ${lockInOrder()}`;

/**
 * Removes pages with all their rows; their documents are recorded for deletion (`db.update.purge.404`,
 * `db.update.purge.orphans`).
 * @param more.still the condition of `nextOf`: on many nodes the rows are not locked meanwhile, and may have changed
 */
export async function purgePages<P extends { host: string; key: string }>(
  tx: Sql,
  crawl: number,
  toPurge: P[],
  { still, inverted }: { still?: keyof typeof OF_STATUS; inverted?: InvertedLinks | undefined } = {},
): Promise<{ pages: P[]; unlinked: PageKey[] }> {
  const isStill = still && whereNotLocked(fragment`and ${OF_STATUS[still]} and ${inNoBatch}`);
  const removed = await rows<DocumentKey & { indexed: boolean }>(tx)`
    delete from webpage w using ${pageRows<PageKey>(crawl, toPurge)}
     where ${samePage} ${isStill ?? fragment``}
     returning w.host, w.key, w.index_mark is not null as indexed`;
  await recordRemoved(tx, crawl, removed);
  const keys = new Set(removed.map(({ key }) => key));
  const pages = toPurge.filter(({ key }) => keys.has(key));
  const forms = [{ pages: underOwnKeys(pages) }, ...(inverted ? [await inverted(tx, crawl, pages)] : [])];
  const unlinked = await removeInlinksFrom(tx, crawl, ...forms);
  const page = pageRows<PageKey>(crawl, pages);
  await tx.query(sql`delete from page_content p using ${page} where ${contentOfPage}`);
  await tx.query(
    sql`delete from inlink i using ${page} where i.crawl = page.crawl and i.host = page.host and i.key = page.key`,
  );
  return { pages, unlinked };
}

/** Writes to targets of redirects that were never visited the URL that represents the chain (`REPRESENTATIVE_KEY`). */
export async function carryRepresentatives(
  tx: Sql,
  crawl: number,
  redirects: readonly { target: string; reprUrl: string }[],
): Promise<void> {
  if (redirects.length === 0) return;
  const targets = [...new Map(redirects.map((redirect) => [redirect.target, redirect])).values()];
  const represented = targets
    .map(({ target, reprUrl }) => ({ host: hostKeyOf(target), key: target, repr: { [REPRESENTATIVE_KEY]: reprUrl } }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  await tx.query(sql`
    update webpage w set metadata = coalesce(w.metadata, '{}'::jsonb) || page.repr
      from ${pageRows(crawl, represented, { repr: 'jsonb' })}
     where ${samePage} and w.prev_fetch_time is null
       and w.metadata->>${REPRESENTATIVE_KEY} is null`);
}
