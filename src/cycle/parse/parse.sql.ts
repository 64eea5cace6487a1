/**
 * The statements by which PARSE reads. A page and its content are two tables, and contents are large: so a chunk is found
 * by the marks in the page rows, and brings its contents along, still compressed. What a parse
 * gives is written by the statements that FETCH uses too (parsed-page.sql.ts).
 */
import { PAGE_STATUS, type PageStatus } from '../../core/page/page-status.js';
import { hostKeyOf } from '../../core/url/row-key.js';
import { REPRESENTATIVE_KEY } from '../../core/url/representative.js';
import { type Sql, fragment, rows, sql } from '../../db/sql.js';
import { crawlColumn } from '../../webpage/crawl-column.js';
import { StatusDeltas, addStatusDeltas } from '../../webpage/host.store.js';
import { sameContent } from '../../webpage/page-row.js';
import { type Cursor, batchChunk, hashRange, cursorColumns } from '../batch.js';
import { ROBOTS_TAG } from '../passed-metadata.js';

/** A fetched page that waits to be parsed, with its content as stored (zstd). */
export interface Unparsed {
  host: string;
  key: string;
  /** Null for a page that is in no batch. */
  mark: string | null;
  hash: number;
  /** Whether FETCH has written the page since it was read. */
  prevFetchTime: Date | null;
  baseUrl: string | null;
  contentType: string | null;
  truncated: string | null;
  /** Noted by FETCH: `X-Robots-Tag` headers, one a line. */
  robotsTag: string | null;
  contentLanguage: string | null;
  /** What stands for the redirects that have led to it. */
  representative: string | null;
  /** Null where no content was kept (`fetcher.store.content`). */
  content: Buffer | null;
  /** Of the content before compression. */
  contentLength: number | null;
}

export interface UnparsedQuery {
  crawl: number;
  batch: string;
  part: number;
  parts: number;
  /** Also pages that carry the parse mark of the batch. */
  again: boolean;
  /** The whole table: every page with content of its last good visit, whatever its marks. */
  whole: boolean;
  limit: number;
}

/**
 * Statuses of pages whose content is that of their last visit. What is stored of one that has failed or moved since, or was
 * injected again, is of the past.
 */
export const REPARSED: readonly PageStatus[] = [
  PAGE_STATUS.fetched,
  PAGE_STATUS.notModified,
  PAGE_STATUS.duplicate,
  PAGE_STATUS.orphan,
  PAGE_STATUS.parseFailed,
];

/** Content that was not kept is stored as no bytes at all: that of an empty page has a zstd frame. */
export const keptContent = fragment`nullif(p.content, ''::bytea)`;

/** What a parser is given, of a page `w` with its content `p`. */
export const parserColumns = fragment`
    ${cursorColumns}, w.host, w.prev_fetch_time as "prevFetchTime", w.base_url as "baseUrl", w.content_type as "contentType",
    p.truncated, ${keptContent} as content, p.content_length as "contentLength", w.metadata->>${ROBOTS_TAG} as "robotsTag",
    p.headers->>'content-language' as "contentLanguage", w.metadata->>${REPRESENTATIVE_KEY} as representative`;

/**
 * The next pages of a part that FETCH found (status fetched) and that were not parsed in their batch, and those that are not
 * modified since a visit after which nobody parsed them.
 */
export function nextUnparsed(db: Sql, q: UnparsedQuery, after: Cursor | undefined): Promise<Unparsed[]> {
  const chunk = q.whole ? tableChunk(after) : batchChunk(q.batch, after);
  const wanted = q.whole
    ? fragment`w.status = any (${REPARSED}::int[]) and p.content is not null`
    : fragment`w.fetch_mark is not null
        and (w.status = 2 and (${q.again} or w.parse_mark is distinct from w.fetch_mark)
          or w.status = 6 and w.parse_major is null and p.content is not null)`;
  return rows<Unparsed>(db)`
    select ${parserColumns}
      from webpage w
      left join page_content p on ${sameContent}
     where w.crawl = ${q.crawl} and ${chunk.where} and ${hashRange(q.part, q.parts)} and ${wanted}
     order by ${chunk.order} limit ${q.limit}`;
}

/** A walk over all pages in the order of the table. */
function tableChunk(after: Cursor | undefined): ReturnType<typeof batchChunk> {
  const key = after?.key ?? '';
  return {
    where: fragment`(w.host, w.key) > (${hostKeyOf(key)}::text, ${key}::text)`,
    order: fragment`w.host, w.key`,
  };
}

/** Pages that no parser could read, and that one has read now, are fetched ones: due as they were, and DEDUP looks at them. */
export async function takeBack(tx: Sql, crawl: number, pages: readonly { host: string; key: string }[]): Promise<void> {
  if (pages.length === 0) return;
  await tx.query(sql`
    update webpage w set status = ${PAGE_STATUS.fetched}
      from unnest(${crawlColumn(crawl, pages.length)}, ${pages.map((p) => p.host)}::text[], ${pages.map((p) => p.key)}::text[]) as v (crawl, host, key)
     where w.crawl = v.crawl and w.host = v.host and w.key = v.key`);
  const deltas = new StatusDeltas();
  for (const { host } of pages) deltas.move(host, PAGE_STATUS.parseFailed, PAGE_STATUS.fetched);
  await addStatusDeltas(tx, crawl, deltas);
}
