/**
 * The statements of FETCH. It reads a part of its batch by the index of marks, in chunks, and writes its visits in sets: the
 * row of the page, with the fetch mark that keeps it from a second visit, and a line of history. A page is read without a
 * lock, since it is visited for seconds; whoever writes locks it first and looks whether it is still in its batch
 * (batch-pages.sql.ts).
 */
import { PARSE_METADATA } from '../../core/page/obey-directives.js';
import { PAGE_STATUS } from '../../core/page/page-status.js';
import { PARSE_MINOR } from '../../core/page/parse-status.js';
import { REPRESENTATIVE_KEY } from '../../core/url/representative.js';
import { type Sql, fragment, prepared, rows, sql } from '../../db/sql.js';
import { type Cursor, batchChunk, cursorColumns, inBatches, ofKind, queuePartition } from '../batch.js';
import type { FetchedPage } from '../page-content.sql.js';
import { type ParsedColumns, isLeftUnparsed } from '../parsed-page.sql.js';
import { ROBOTS_TAG } from '../passed-metadata.js';
import { type Unparsed, keptContent, parserColumns } from '../parse/parse.sql.js';
import { sameContent } from '../../webpage/page-row.js';
import { crawlColumn } from '../../webpage/crawl-column.js';

/** A page of the batch that waits to be fetched. */
export interface Waiting {
  host: string;
  key: string;
  mark: string;
  hash: number;
  status: number;
  score: number;
  etag: string | null;
  lastModified: Date | null;
  signature: string | null;
  /** No parser has looked at the content that it has. */
  unparsed: boolean;
  /** The URL that stands for the redirects that have led to it; null where none has. */
  representative: string | null;
}

export interface ChunkQuery {
  crawl: number;
  /** The batches of the job: one, `-all`, or those that its crawl has open, to which further ones are added. */
  batches: string[];
  /** Only sitemaps, only pages, or (null) both. */
  sitemap: boolean | null;
  part: number;
  parts: number;
  /** Skip what was fetched in this batch before; else only what this very job has fetched. */
  resume: boolean;
  /** No page of the batch was visited when the job began: what is marked now, this job has fetched, whatever the clock said. */
  unvisited: boolean;
  startedAt: Date;
  limit: number;
}

/** The same for a walk over one of the batches. */
export interface BatchQuery extends ChunkQuery {
  batch: string;
}

const isConditional = fragment`w.fetch_mark is null and w.status not in (4, 5)
    and w.parse_minor is distinct from ${PARSE_MINOR.truncated}`;

/**
 * What a page `w` is asked for with. What its batch has fetched already is not asked for conditionally: its links would not
 * be paid for; nor is content that was cut off and so not parsed, nor what a redirect has taken the place of, also where
 * validators were kept.
 */
export const validators = fragment`
  case when ${isConditional} then w.etag end as etag, case when ${isConditional} then w.last_modified end as "lastModified"`;

/** The next pages of a part of the batch: those whose queue hash falls into it, so one host is in one part. */
export function nextWaiting(db: Sql, q: BatchQuery, after: Cursor | undefined): Promise<Waiting[]> {
  const chunk = batchChunk(q.batch, after);
  return rows<Waiting>(db)`
    select ${cursorColumns}, w.host, w.status, w.score, w.signature,
           w.parse_major is null as unparsed, w.metadata->>${REPRESENTATIVE_KEY} as representative, ${validators}
      from webpage w
     where w.crawl = ${q.crawl} and ${chunk.where}
       and ${queuePartition(q.part, q.parts)} and ${ofKind(q.sitemap)}
       and not ${isDone(q)}
     order by ${chunk.order} limit ${q.limit}`;
}

/** Whether a page needs no visit of this job any more. */
export const isDone = (q: ChunkQuery): ReturnType<typeof fragment> =>
  fragment`(w.fetch_mark is not null and (${q.resume || q.unvisited} or w.fetch_time >= ${q.startedAt}))`;

/** The next pages of a part that its FETCH has fetched and that nobody has parsed since. */
export function nextLeftUnparsed(db: Sql, q: BatchQuery, after: Cursor | undefined): Promise<Unparsed[]> {
  const chunk = batchChunk(q.batch, after);
  return rows<Unparsed>(db)`
    select ${parserColumns}
      from webpage w
      join page_content p on ${sameContent}
     where w.crawl = ${q.crawl} and ${chunk.where} and ${queuePartition(q.part, q.parts)} and ${ofKind(q.sitemap)}
       and ${isDone(q)} and ${isLeftUnparsed} and ${keptContent} is not null
     order by ${chunk.order} limit ${q.limit}`;
}

export interface Rest {
  /** Pages still to be fetched. */
  pending: number;
  /** Pages that were fetched when the job began. */
  before: number;
  /** Pages that this job has fetched and nobody has parsed. */
  unparsed: number;
}

/** What a part leaves. */
export async function countRest(db: Sql, q: ChunkQuery): Promise<Rest> {
  const [found] = await rows<Rest>(db)`
    select count(*) filter (where not ${isDone(q)})::int as pending,
           count(*) filter (where ${isDone(q)} and ${isLeftUnparsed})::int as unparsed,
           count(*) filter (where ${isDone(q)} and not ${q.unvisited} and w.fetch_time < ${q.startedAt})::int as before
      from webpage w
     where w.crawl = ${q.crawl} and ${inBatches(q.batches)} and ${queuePartition(q.part, q.parts)} and ${ofKind(q.sitemap)}`;
  return found!;
}

/** Metadata that, with content from its server, only the last visit decides: what a page no longer says is forgotten. */
const OF_LAST_VISIT = [ROBOTS_TAG, ...PARSE_METADATA];

/** A page that was visited, ready to be written. */
export interface Visited extends FetchedPage {
  mark: string;
  status: number;
  protocolCode: number;
  protocolArgs: string[];
  httpStatus: number | null;
  contentType: string | null;
  url: string;
  reprUrl: string | null;
  redirectUrl: string | null;
  /** Row key of the redirect's target, when the rules let it in. */
  redirectKey: string | null;
  etag: string | null;
  lastModified: Date | null;
  /** Goes into the metadata of the page. */
  noted: Record<string, string>;
  ms: number | null;
  bytes: number | null;
  /** Why it was not fetched, for the counters; null for a visit. */
  skipped: string | null;
  /** It was asked for with the validators of a content that it had. */
  conditional?: boolean;
  /** How its host answered, and until when (ms by the monotonic clock) it is left alone; missing when it was not asked. */
  outcome?: { failed: boolean; blockedUntil: number | null };
}

/** Whether a page has content that a server may call unchanged. */
export const hasContent = ({ signature, status }: { signature: string | null; status: number }): boolean =>
  signature !== null || status === PAGE_STATUS.fetched || status === PAGE_STATUS.notModified;

const column = <T>(pages: Visited[], value: (page: Visited) => T): T[] => pages.map(value);

/**
 * Writes what FETCH found into the page rows, with the fetch mark, and what PARSE found where a page was parsed in the
 * same breath: one version of the row for both. A page that was not modified keeps what is known of its content.
 */
export async function writeVisits(tx: Sql, crawl: number, pages: Visited[]): Promise<void> {
  // The signature from before this batch, also for a page that the batch fetches once more.
  const before = fragment`case when w.parse_mark is null then w.signature else w.prev_signature end`;
  const parsed = <T>(value: (parse: ParsedColumns) => T): (T | null)[] =>
    pages.map(({ parse }) => (parse ? value(parse) : null));
  await prepared(tx).query(sql`
    update webpage w
       set status = v.status, prev_fetch_time = w.fetch_time, fetch_time = now(), fetch_mark = w.generate_mark,
           parse_mark = case when v.parsed then w.generate_mark end, protocol_code = v.protocol_code,
           parse_major = case when v.fresh then v.major else w.parse_major end,
           parse_minor = case when v.fresh then v.minor else w.parse_minor end,
           parse_args = case when v.args is null then w.parse_args else array(select jsonb_array_elements_text(v.args)) end,
           title = case when v.major is null and v.status not in (4, 5) then w.title else v.title end,
           prev_signature = case when v.parsed then ${before} else w.prev_signature end,
           signature = case when v.parsed then v.signature when v.fresh then ${before} else w.signature end,
           metadata = case when v.fresh and w.metadata ?| ${OF_LAST_VISIT}::text[] then (w.metadata - ${OF_LAST_VISIT}::text[]) || v.metadata
                           when v.metadata = '{}'::jsonb then w.metadata
                           else coalesce(w.metadata, '{}'::jsonb) || v.metadata end,
           protocol_args = array(select jsonb_array_elements_text(v.protocol_args)), http_status = v.http_status,
           content_type = case when v.fresh or v.status in (4, 5) then v.content_type else w.content_type end,
           base_url = v.url, redirect_url = v.redirect_url,
           -- That of a meta refresh belongs to the content.
           repr_url = case when v.fresh or v.status in (4, 5) or w.redirect_url is not null then v.repr_url else w.repr_url end,
           -- A redirect takes the place of the content (title and type, too): to ask for that conditionally later on would never
           -- bring it back.
           etag = case when v.fresh or v.status in (4, 5) then v.etag else w.etag end,
           last_modified = case when v.fresh or v.status in (4, 5) then v.last_modified else w.last_modified end
      from unnest(${crawlColumn(crawl, pages.length)},
           ${column(pages, (p) => p.host)}::text[], ${column(pages, (p) => p.key)}::text[], ${column(pages, (p) => p.status)}::int[],
           ${column(pages, (p) => p.protocolCode)}::int[], ${column(pages, (p) => JSON.stringify(p.protocolArgs))}::jsonb[],
           ${column(pages, (p) => p.httpStatus)}::int[], ${column(pages, (p) => p.contentType)}::text[],
           ${column(pages, (p) => p.url)}::text[], ${column(pages, (p) => p.parse?.reprUrl ?? p.reprUrl)}::text[],
           ${column(pages, (p) => p.redirectUrl)}::text[], ${column(pages, (p) => p.etag)}::text[],
           ${column(pages, (p) => p.lastModified)}::timestamptz[], ${column(pages, (p) => p.content !== null)}::bool[],
           ${parsed((p) => p.title)}::text[], ${parsed((p) => p.parseMajor)}::int[], ${parsed((p) => p.parseMinor)}::int[],
           ${parsed((p) => JSON.stringify(p.parseArgs))}::jsonb[], ${parsed((p) => p.parsed)}::bool[],
           ${parsed((p) => p.signature)}::text[], ${column(pages, (p) => JSON.stringify({ ...p.noted, ...p.parse?.metadata }))}::jsonb[])
           as v (crawl, host, key, status, protocol_code, protocol_args, http_status, content_type, url, repr_url, redirect_url,
                 etag, last_modified, fresh, title, major, minor, args, parsed, signature, metadata)
     where w.crawl = v.crawl and w.host = v.host and w.key_hash = hashtextextended(v.key, 0) and w.key = v.key`);
}

/** One line of history for each visit. The time is the transaction's, so a repeat of it adds nothing. */
export async function writeHistory(tx: Sql, crawl: number, job: string, pages: Visited[]): Promise<void> {
  await prepared(tx).query(sql`
    insert into fetch_history (crawl, host, key, time, status, protocol_code, http_status, ms, bytes, signature, job)
    select ${crawl}, host, key, now(), status, protocol_code, http_status, ms, bytes, signature, ${job}
      from unnest(
           ${column(pages, (p) => p.host)}::text[], ${column(pages, (p) => p.key)}::text[], ${column(pages, (p) => p.status)}::int[],
           ${column(pages, (p) => p.protocolCode)}::int[], ${column(pages, (p) => p.httpStatus)}::int[],
           ${column(pages, (p) => p.ms)}::int[], ${column(pages, (p) => p.bytes)}::int[],
           ${column(pages, (p) => p.parse?.signature ?? null)}::text[])
           as v (host, key, status, protocol_code, http_status, ms, bytes, signature)
    on conflict do nothing`);
}
