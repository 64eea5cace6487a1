/** The columns of a `PageRow`, and the joins that bring them. */
import { type Sql, fragment, row } from '../db/sql.js';
import { isPage } from './page-key.sql.js';
import type { PageRow } from '../core/page/page-row.js';

/** Metadata that are no object were changed by hand; `orbweaver check` reports them. */
const stored = fragment`case when jsonb_typeof(w.metadata) = 'object' then w.metadata end`;

/**
 * A page in a batch shows when the batch was made and its number among those of one GENERATE, as 1.x does (`_ngt_`, segnum),
 * and its partition there.
 */
const metadata = fragment`case when w.generate_mark is null then ${stored} else coalesce(${stored}, '{}') || coalesce((
    select jsonb_build_object('_ngt_', floor(extract(epoch from b.generated_at) * 1000)::bigint, 'segnum', b.segnum,
                              'partition', coalesce(w.partition_hash, 0) % b.partitions)
      from batch b where b.crawl = w.crawl and b.id = w.generate_mark), '{}') end`;

/** The main content of a page may be long; it is left out if many pages are read at once. */
const shortMetadata = fragment`(${metadata}) - '{readable,markdown}'::text[]`;

const factColumns = fragment`w.host, w.key, w.status, w.fetch_time as "fetchTime", w.prev_fetch_time as "prevFetchTime",
  w.fetch_interval as "fetchInterval", w.retries_since_fetch as "retriesSinceFetch", w.modified_time as "modifiedTime",
  w.prev_modified_time as "prevModifiedTime", w.last_modified as "lastModified", w.etag, w.score, w.distance,
  w.source_kind as "sourceKind", w.batch_id as "batchId", w.inject_mark as "injectMark", w.generate_mark as "generateMark",
  w.fetch_mark as "fetchMark", w.parse_mark as "parseMark", w.update_mark as "updateMark", w.index_mark as "indexMark",
  w.protocol_code as "protocolCode", w.protocol_args as "protocolArgs", w.robots_line as "robotsLine", w.http_status as "httpStatus",
  w.parse_major as "parseMajor", w.parse_minor as "parseMinor", w.parse_args as "parseArgs", w.signature,
  w.prev_signature as "prevSignature", w.base_url as "baseUrl", w.repr_url as "reprUrl", w.redirect_url as "redirectUrl",
  w.content_type as "contentType", w.title, cut.truncated`;
const rowColumns = fragment`${factColumns}, ${shortMetadata} as metadata`;
const wholeColumns = fragment`${factColumns}, ${metadata} as metadata`;
const linkColumns = fragment`p.headers, p.outlink_keys as "outlinkKeys", p.outlink_anchors as "outlinkAnchors", p.charset`;
/**
 * Joins row `p` of `page_content` with row `w` of `webpage`. The sum keeps the planner from comparing `p.crawl` with the
 * constant that `w.crawl` is compared with: see `crawlColumn`.
 */
export const sameContent = fragment`p.crawl = w.crawl + 0 and p.host = w.host and p.key = w.key`;
const apart = fragment`left join page_content p on ${sameContent}`;
/** By an index of contents that were cut, which are few: so the row of contents is not read for it. */
const cut = fragment`left join page_content cut
  on cut.crawl = w.crawl + 0 and cut.host = w.host and cut.key = w.key and cut.truncated is not null`;

/** Columns of `webpage w`, and the join that brings those of `page_content p`, for each width. */
export const columnsOf = {
  row: { columns: rowColumns, join: cut },
  links: { columns: fragment`${rowColumns}, ${linkColumns}`, join: fragment`${cut} ${apart}` },
  content: {
    columns: fragment`${wholeColumns}, ${linkColumns}, nullif(p.content, ''::bytea) as content, p.text`,
    join: fragment`${cut} ${apart}`,
  },
};

/** The page with this key, or undefined. */
export function pageByKey(db: Sql, crawl: number, at: { host: string; key: string }): Promise<PageRow | undefined> {
  return row<PageRow>(db)`
    select ${wholeColumns} from webpage w ${cut} where ${isPage(crawl, at)}`;
}
