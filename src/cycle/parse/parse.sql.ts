import { hostKeyOf } from '../../core/url/row-key.js';
import { type Sql, fragment, rows, sql } from '../../db/sql.js';
import { sameContent } from '../../webpage/page-row.js';
import { type Place, batchWindow, hashRange, placeColumns } from '../batch.js';
import { ROBOTS_TAG } from '../fetch/fetch.sql.js';

/** A fetched page that waits to be parsed, with its content as stored (zstd). */
export interface Unparsed {
  host: string;
  key: string;
  /** Null for a page that is in no batch. */
  mark: string | null;
  hash: number;
  /** Tells whether FETCH has been at the page since it was read. */
  prevFetchTime: Date | null;
  baseUrl: string | null;
  contentType: string | null;
  truncated: string | null;
  /** Noted by FETCH: `X-Robots-Tag` headers, one a line. */
  robotsTag: string | null;
  contentLanguage: string | null;
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
  /** The whole table: every page that has content, whatever its marks. */
  whole: boolean;
  limit: number;
}

/** Content that was not kept is stored as no bytes at all: that of an empty page has a zstd frame. */
const kept = fragment`nullif(p.content, ''::bytea)`;

/**
 * The next pages of a part that FETCH found (status fetched) and that were not parsed in their batch, and those that are not
 * modified since a visit after which nobody parsed them.
 */
export function nextUnparsed(db: Sql, q: UnparsedQuery, after: Place | undefined): Promise<Unparsed[]> {
  const window = q.whole ? tableWindow(after) : batchWindow(q.batch, after);
  const wanted = q.whole
    ? fragment`w.status in (2, 6, 7) and p.content is not null`
    : fragment`w.fetch_mark is not null
        and (w.status = 2 and (${q.again} or w.parse_mark is distinct from w.fetch_mark)
          or w.status = 6 and w.parse_major is null and p.content is not null)`;
  return rows<Unparsed>(
    db,
    sql`
    select ${placeColumns}, w.host, w.prev_fetch_time as "prevFetchTime", w.base_url as "baseUrl",
           w.content_type as "contentType", p.truncated, ${kept} as content,
           p.content_length as "contentLength", w.metadata->>${ROBOTS_TAG} as "robotsTag", p.headers->>'content-language' as "contentLanguage"
      from webpage w
      left join page_content p on ${sameContent}
     where w.crawl = ${q.crawl} and ${window.where} and ${hashRange(q.part, q.parts)} and ${wanted}
     order by ${window.order} limit ${q.limit}`,
  );
}

/** A walk over all pages in the order of the table. */
function tableWindow(after: Place | undefined): ReturnType<typeof batchWindow> {
  const key = after?.key ?? '';
  return {
    where: fragment`(w.host, w.key) > (${hostKeyOf(key)}::text, ${key}::text)`,
    order: fragment`w.host, w.key`,
  };
}
