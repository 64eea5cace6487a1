import { DIRECTIVE_METADATA } from '../../core/page/obey-directives.js';
import { PAGE_STATUS } from '../../core/page/page-status.js';
import { PARSE_MINOR, parseStatusText } from '../../core/page/parse-status.js';
import { REPRESENTATIVE_KEY } from '../../core/url/representative.js';
import { lockInOrder } from '../../db/row-locks.js';
import { type Sql, fragment, rows, sql } from '../../db/sql.js';
import { type Cursor, batchChunk, cursorColumns, inBatches, queuePartition } from '../batch.js';
import { crawlColumn } from '../../webpage/crawl-column.js';
import { lockPagesByHost } from '../../webpage/lock-pages.js';
import { ofKind } from '../../webpage/page-kind.js';

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
  return rows<Waiting>(
    db,
    sql`
    select ${cursorColumns}, w.host, w.status, w.score, w.signature,
           w.parse_major is null as unparsed, w.metadata->>${REPRESENTATIVE_KEY} as representative, ${validators}
      from webpage w
     where w.crawl = ${q.crawl} and ${chunk.where}
       and ${queuePartition(q.part, q.parts)} and ${ofKind(q.sitemap)}
       and not ${isDone(q)}
     order by ${chunk.order} limit ${q.limit}`,
  );
}

/** Whether a page needs no visit of this job any more. */
export const isDone = (q: ChunkQuery): ReturnType<typeof fragment> =>
  fragment`(w.fetch_mark is not null and (${q.resume || q.unvisited} or w.fetch_time >= ${q.startedAt}))`;

/** A page that was fetched and that no parser has looked at since. */
export const isLeftUnparsed = fragment`(w.status = 2 and w.parse_major is null)`;

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
  const [found] = await rows<Rest>(
    db,
    sql`
    select count(*) filter (where not ${isDone(q)})::int as pending,
           count(*) filter (where ${isDone(q)} and ${isLeftUnparsed})::int as unparsed,
           count(*) filter (where ${isDone(q)} and not ${q.unvisited} and w.fetch_time < ${q.startedAt})::int as before
      from webpage w
     where w.crawl = ${q.crawl} and ${inBatches(q.batches)} and ${queuePartition(q.part, q.parts)} and ${ofKind(q.sitemap)}`,
  );
  return found!;
}

/** Metadata of a page: its `X-Robots-Tag` headers, one a line, as PARSE reads them. */
export const ROBOTS_TAG = 'X-Robots-Tag';
/** Metadata that only the last parse decides: what a page no longer says is forgotten. */
const OF_LAST_PARSE = [...DIRECTIVE_METADATA];
/** And, with content from its server, only the last visit. */
const OF_LAST_VISIT = [ROBOTS_TAG, ...DIRECTIVE_METADATA];

/** What PARSE adds to a page, here when it is parsed in the same breath. */
export interface ParsedColumns {
  title: string | null;
  signature: string | null;
  parseMajor: number;
  parseMinor: number;
  parseArgs: string[];
  parsed: boolean;
  /** The URL that stands for a page whose meta refresh leads on; null for any other. */
  reprUrl: string | null;
  metadata: Record<string, string>;
  text: Buffer | null;
  textLength: number;
  charset: string | null;
  outlinkKeys: string[];
  outlinkAnchors: string[];
  /** What scoring filters gave for the content. */
  contentScore?: number;
}

/** How PARSE ended, as readers of `/db` see it. */
export const parsedText = ({ parseMajor, parseMinor, parseArgs }: ParsedColumns): string =>
  parseStatusText({ major: parseMajor, minor: parseMinor, args: parseArgs });

/** A page that was visited, ready to be written. */
export interface Visited {
  host: string;
  key: string;
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
  /** Null when there is nothing new to store (304, errors). */
  content: { body: Buffer; length: number; headers: Record<string, string>; truncated: string | null } | null;
  parse: ParsedColumns | null;
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

export interface LockedPage {
  host: string;
  key: string;
  status: number;
  signature: string | null;
  /** Another one after each visit. */
  prevFetchTime: Date | null;
  /** No parser has looked at the content that it has. */
  unparsed: boolean;
}

/**
 * Locks, in key order, those pages that still belong to the batch they were read in. Returns their present state.
 *
 * `is not distinct from` keeps the index of batches out: statistics made before GENERATE know of no batch, and by them
 * that index looks empty; each of the keys would then be looked for in the whole batch.
 */
export async function lockPages(
  tx: Sql,
  crawl: number,
  pages: { host: string; key: string; mark: string | null }[],
): Promise<LockedPage[]> {
  await lockPagesByHost(tx, crawl, pages);
  return rows<LockedPage>(
    tx,
    sql`
    select w.host, w.key, w.status, w.signature, w.prev_fetch_time as "prevFetchTime",
           w.parse_major is null as unparsed
      from webpage w
      join unnest(${crawlColumn(crawl, pages.length)}, ${pages.map((p) => p.host)}::text[], ${pages.map((p) => p.key)}::text[], ${pages.map((p) => p.mark)}::text[])
           as page (crawl, host, key, mark)
        on w.crawl = page.crawl and w.host = page.host and w.key = page.key and w.generate_mark is not distinct from page.mark
     order by w.host, w.key ${lockInOrder(fragment`w`)}`,
  );
}

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
  await tx.query(sql`
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
     where w.crawl = v.crawl and w.host = v.host and w.key = v.key`);
}

/**
 * The pages' outcome of PARSE in their rows: title, signatures, parse status, mark. Where the content could not be parsed
 * this time the rest stays as an earlier parse of the same content left it.
 */
export async function writeParse(
  tx: Sql,
  crawl: number,
  pages: { host: string; key: string; parse: ParsedColumns }[],
): Promise<void> {
  const of = <T>(value: (parse: ParsedColumns) => T): T[] => pages.map((page) => value(page.parse));
  await tx.query(sql`
    update webpage w
       set title = case when v.parsed or w.parse_major is null then v.title else w.title end,
           parse_major = v.major, parse_minor = v.minor,
           parse_args = array(select jsonb_array_elements_text(v.args)),
           prev_signature = case when v.parsed and w.parse_mark is distinct from w.fetch_mark then w.signature else w.prev_signature end,
           signature = case when v.parsed then v.signature else w.signature end,
           parse_mark = case when v.parsed then w.fetch_mark else w.parse_mark end,
           repr_url = case when v.parsed then coalesce(v.repr_url, w.metadata->>${REPRESENTATIVE_KEY}) else w.repr_url end,
           metadata = case when v.parsed and w.metadata ?| ${OF_LAST_PARSE}::text[] then (w.metadata - ${OF_LAST_PARSE}::text[]) || v.metadata
                           when v.metadata = '{}'::jsonb then w.metadata else coalesce(w.metadata, '{}'::jsonb) || v.metadata end
      from unnest(${crawlColumn(crawl, pages.length)},
           ${pages.map((p) => p.host)}::text[], ${pages.map((p) => p.key)}::text[], ${of((p) => p.title)}::text[],
           ${of((p) => p.parseMajor)}::int[], ${of((p) => p.parseMinor)}::int[], ${of((p) => JSON.stringify(p.parseArgs))}::jsonb[],
           ${of((p) => p.parsed)}::bool[], ${of((p) => p.signature)}::text[], ${of((p) => p.reprUrl)}::text[],
           ${of((p) => JSON.stringify(p.metadata))}::jsonb[])
           as v (crawl, host, key, title, major, minor, args, parsed, signature, repr_url, metadata)
     where w.crawl = v.crawl and w.host = v.host and w.key = v.key`);
}

/** One line of history for each visit. The time is the transaction's, so a repeat of it adds nothing. */
export async function writeHistory(tx: Sql, crawl: number, job: string, pages: Visited[]): Promise<void> {
  await tx.query(sql`
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
