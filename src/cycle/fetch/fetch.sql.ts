/**
 * The statements of FETCH. It reads a partition of its batch in chunks, by the index of marks, and writes visits in sets: the row
 * of the page, with the fetch mark that prevents a second visit, and a row of history. Pages are read without a lock, since a
 * visit takes seconds; the write locks the page first and checks that it is still in its batch (batch-pages.sql.ts).
 */
import type { BatchCursor } from '../../core/frontier/batch-cursor.js';
import { LEFT_THE_BATCH } from '../../core/job/fetch-counters.js';
import { failureName } from '../../core/job/fetch-failures.js';
import { PAGE_STATUS, statusText } from '../../core/page/page-status.js';
import type { RobotsLine } from '../../core/robots/robots-file.js';
import { PARSE_MINOR } from '../../core/page/parse-status.js';
import { PROTOCOL_STATUS, protocolName } from '../../core/page/protocol-status.js';
import { isMoved } from '../../core/url/redirect-rules.js';
import { REPRESENTATIVE_KEY } from '../../core/url/representative.js';
import { faultPoint } from '../../db/fault-point.js';
import { type Columns, rowList } from '../../db/row-list.js';
import { type Fragment, type Sql, fragment, prepared, rows, sql } from '../../db/sql.js';
import { batchChunk, cursorColumns, inBatches, ofKind, queuePartition } from '../batch-chunks.sql.js';
import { type LockedPage, lockPages } from '../batch-pages.sql.js';
import { type FetchedContent, writeContent, writeRedirects } from '../page-content.sql.js';
import {
  isLeftUnparsed,
  metadataWithout,
  parseMetadataColumn,
  parseMetadataNames,
  parsedText,
} from '../parsed-page.sql.js';
import { ROBOTS_TAG } from '../passed-metadata.js';
import { writePageScores } from '../parse/page-scores.sql.js';
import { type Unparsed, keptContent, parserColumns } from '../parse/parse.sql.js';
import type { Count, Trace } from '../step.js';
import { StatusDeltas, addStatusDeltas } from '../../webpage/host-counts.store.js';
import { sameContent } from '../../webpage/page-columns.sql.js';
import { REDIRECTED, statusOf } from '../../webpage/page-status.sql.js';
import { pageRows, samePage } from '../../webpage/page-key.sql.js';

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
  /** Its content was never parsed. */
  unparsed: boolean;
  /** The `X-Robots-Tag` headers of its content, one a line. */
  robotsTag: string | null;
  /** The representative URL of the redirects that led to it; null without any. */
  representative: string | null;
}

/** What to read of a batch. */
export interface ChunkOf {
  batch: string;
  limit: number;
  /** Only pages of these hosts, or none of these. */
  only?: readonly string[];
  without?: readonly string[];
}

export interface ChunkQuery {
  crawl: number;
  /** The batches of the job; a continuous crawl adds further ones. */
  batches: string[];
  /** Only sitemaps, only pages, or (null) both. */
  sitemap: boolean | null;
  part: number;
  parts: number;
  /** Skip pages that were fetched in this batch before; else only those that this job has fetched. */
  resume: boolean;
  /** No page of the batch was visited before the job began: pages with the mark were fetched by this job, whatever their time. */
  unvisited: boolean;
  /** Visits since then are those of this job. */
  begunAt: Date;
  limit: number;
}

/** A chunk of one of the batches. */
export interface BatchChunkQuery extends ChunkQuery {
  batch: string;
}

const isConditional = fragment`w.fetch_mark is null
    and w.status not in ${REDIRECTED} and w.status <> ${statusOf('parseFailed')}
    and w.parse_minor is distinct from ${PARSE_MINOR.truncated}`;

/**
 * Validators for the request of page `w`. A request is not conditional if this batch has fetched the page before, as its links
 * would get no score; if its content was truncated and so not parsed; if it could not be parsed, which a 304 would make unknown;
 * or if a redirect has replaced the content, even where validators are still stored. With the directives of its content, for
 * `hasNewDirectives`.
 */
export const validators = fragment`
  case when ${isConditional} then w.etag end as etag, case when ${isConditional} then w.last_modified end as "lastModified",
  w.metadata->>${ROBOTS_TAG} as "robotsTag"`;

/** Of some hosts, or of all others. Not by an index on hosts: it would read all pages of the table that they have. */
const ofHosts = ({ only, without = [] }: ChunkOf): Fragment => fragment`
       ${only ? fragment`and (w.host || '') = any (${[...only]}::text[])` : fragment``}
       ${without.length > 0 ? fragment`and (w.host || '') <> all (${[...without]}::text[])` : fragment``}`;

/**
 * The next pages of a partition of the batch: the queue hash selects the partition, so all pages of a host are in one partition.
 */
export function nextWaiting(db: Sql, q: ChunkQuery & ChunkOf, after: BatchCursor | undefined): Promise<Waiting[]> {
  const chunk = batchChunk(q.batch, after);
  return rows<Waiting>(db)`
    select ${cursorColumns}, w.host, w.status, w.score, w.signature,
           w.parse_major is null as unparsed, w.metadata->>${REPRESENTATIVE_KEY} as representative, ${validators}
      from webpage w
     where w.crawl = ${q.crawl} and ${chunk.where}
       and ${queuePartition(q.part, q.parts)} and ${ofKind(q.sitemap)}
       and not ${isDone(q)} ${ofHosts(q)}
     order by ${chunk.order} limit ${q.limit}`;
}

/** Whether a page needs no visit by this job any more. */
export const isDone = (q: ChunkQuery): Fragment =>
  fragment`(w.fetch_mark is not null and (${q.resume || q.unvisited} or w.fetch_time >= ${q.begunAt}))`;

/** The next pages of a partition that its FETCH has fetched and that are still unparsed. */
export function nextLeftUnparsed(db: Sql, q: BatchChunkQuery, after: BatchCursor | undefined): Promise<Unparsed[]> {
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
  /** Pages that were fetched before the job began. */
  before: number;
  /** Pages that this job has fetched and that are not parsed. */
  unparsed: number;
}

/** Counts the pages that a partition leaves. */
export async function countRest(db: Sql, q: ChunkQuery): Promise<Rest> {
  const [rest] = await rows<Rest>(db)`
    select count(*) filter (where not ${isDone(q)})::int as pending,
           count(*) filter (where ${isDone(q)} and ${isLeftUnparsed})::int as unparsed,
           count(*) filter (where ${isDone(q)} and not ${q.unvisited} and w.fetch_time < ${q.begunAt})::int as before
      from webpage w
     where w.crawl = ${q.crawl} and ${inBatches(q.batches)} and ${queuePartition(q.part, q.parts)} and ${ofKind(q.sitemap)}`;
  return rest!;
}

/** A visited page, ready to be written. */
export interface Visited extends FetchedContent {
  mark: string;
  status: number;
  protocolCode: number;
  protocolArgs: string[];
  /** The line of robots.txt that forbids the page. */
  robotsLine: RobotsLine | null;
  httpStatus: number | null;
  contentType: string | null;
  url: string;
  reprUrl: string | null;
  redirectUrl: string | null;
  /** Row key of the redirect's target, if the rules accept it. */
  redirectKey: string | null;
  etag: string | null;
  lastModified: Date | null;
  /** Added to the metadata of the page. */
  noted: Record<string, string>;
  ms: number | null;
  bytes: number | null;
  /** Why it was not fetched, for the counters; null for a visit. */
  skipped: string | null;
  /** The request was conditional, with the validators of stored content. */
  conditional?: boolean;
  /** Outcome for its host; missing if it was not requested. */
  outcome?: VisitOutcome | undefined;
}

/** What a visit says about its host; `blockedUntil`: the end of a block, ms by the monotonic clock. */
export interface VisitOutcome {
  failed: boolean;
  blockedUntil: number | null;
}

/** Whether a page has content, so that the request can be conditional. */
export const hasContent = ({ signature, status }: { signature: string | null; status: number }): boolean =>
  signature !== null || status === PAGE_STATUS.fetched || status === PAGE_STATUS.notModified;

/**
 * Writes the visits of those pages that are still in their batch, and counts them: rows, scores, content, redirects, history,
 * pages by status.
 */
export async function writeVisits(
  tx: Sql,
  { crawl, id }: { crawl: number; id: string },
  visited: Visited[],
  { count, trace }: { count: Count; trace: Trace | undefined },
): Promise<void> {
  const locked = new Map((await lockPages(tx, crawl, visited)).map((page) => [page.key, page]));
  // A page that left its batch and came back to it, or to a later one of the same FETCH, may have two visits: one is written.
  const stillThere = visited.filter(({ key, mark }) => locked.get(key)?.mark === mark);
  const inBatch = [...new Map(stillThere.map((visit) => [visit.key, visit])).values()];
  if (inBatch.length < visited.length) count('FetcherStatus', LEFT_THE_BATCH, visited.length - inBatch.length);
  const visits = inBatch.filter((visit) => !isOvertaken(visit, locked.get(visit.key)!));
  if (visits.length === 0) return;
  await writeVisitRows(tx, crawl, visits);
  await faultPoint('fetch.marked', tx);
  await writePageScores(tx, crawl, visits);
  const withContent = visits.filter((visit) => visit.content !== null);
  if (withContent.length > 0) await writeContent(tx, crawl, withContent);
  const redirects = visits.filter(({ protocolCode }) => isMoved(protocolCode));
  if (redirects.length > 0) await writeRedirects(tx, crawl, redirects);
  await writeHistory(tx, crawl, id, visits);
  const deltas = new StatusDeltas();
  for (const visit of visits) {
    deltas.move(visit.host, locked.get(visit.key)!.status, visit.status);
    const outcome = visit.skipped ?? protocolName(visit.protocolCode);
    count('FetcherStatus', outcome);
    const failure = failureName(outcome, visit.protocolArgs);
    if (failure !== null) count('FetcherFailures', failure);
    count('Fetcher', 'bytes_downloaded', visit.bytes ?? 0);
    // Counted in addition to its status.
    if (visit.content?.truncated) count('Fetcher', 'truncated');
    trace?.(visit.key, tracedVisit(visit));
  }
  await addStatusDeltas(tx, crawl, deltas);
}

/** A visit as logged. */
const tracedVisit = ({ status, protocolCode, protocolArgs, httpStatus, skipped, parse }: Visited) => ({
  status: statusText(status),
  protocol: protocolName(protocolCode),
  args: protocolArgs,
  http: httpStatus,
  ...(skipped !== null && { skipped }),
  ...(parse !== null && { parse: parsedText(parse) }),
});

/** Whether INJECT with `overwrite` replaced the page since its request: then a 304 refers to former content, and is ignored. */
const isOvertaken = ({ conditional, protocolCode }: Visited, page: LockedPage): boolean =>
  conditional === true && protocolCode === PROTOCOL_STATUS.NOTMODIFIED && !hasContent(page);

/** Rows `page` of visits, with the results of PARSE where the page was parsed at once. */
const visitRows = (crawl: number, pages: Visited[]): Fragment =>
  pageRows(crawl, pages, {
    status: ['int', ({ status }) => status],
    protocol_code: ['int', ({ protocolCode }) => protocolCode],
    protocol_args: ['jsonb', ({ protocolArgs }) => protocolArgs],
    robots_line: ['jsonb', ({ robotsLine }) => robotsLine],
    http_status: ['int', ({ httpStatus }) => httpStatus],
    content_type: ['text', ({ contentType }) => contentType],
    url: ['text', ({ url }) => url],
    repr_url: ['text', ({ parse, reprUrl }) => parse?.reprUrl ?? reprUrl],
    redirect_url: ['text', ({ redirectUrl }) => redirectUrl],
    etag: ['text', ({ etag }) => etag],
    last_modified: ['timestamptz', ({ lastModified }) => lastModified],
    fresh: ['bool', ({ content }) => content !== null],
    noted: ['jsonb', ({ noted }) => noted],
    title: ['text', ({ parse }) => parse?.title],
    major: ['int', ({ parse }) => parse?.parseMajor],
    minor: ['int', ({ parse }) => parse?.parseMinor],
    args: ['jsonb', ({ parse }) => parse?.parseArgs],
    parsed: ['bool', ({ parse }) => parse?.parsed],
    signature: ['text', ({ parse }) => parse?.signature],
    metadata: ['jsonb', ({ parse }) => parse?.metadata ?? {}],
    names: ['jsonb', ({ parse }) => parse && parseMetadataNames(parse)],
  });

/** Columns of a visit in the history of fetches. */
const HISTORY: Columns<Visited> = {
  host: ['text', ({ host }) => host],
  key: ['text', ({ key }) => key],
  status: ['int', ({ status }) => status],
  protocol_code: ['int', ({ protocolCode }) => protocolCode],
  http_status: ['int', ({ httpStatus }) => httpStatus],
  ms: ['int', ({ ms }) => ms],
  bytes: ['int', ({ bytes }) => bytes],
  signature: ['text', ({ parse }) => parse?.signature],
};

/**
 * Writes the results of FETCH into the page rows, with the fetch mark, and those of the parser for pages that were parsed at
 * once: one row version for both. A page that was not modified keeps the columns of its content.
 */
export async function writeVisitRows(tx: Sql, crawl: number, pages: Visited[]): Promise<void> {
  // The signature before this batch, also for a page that the batch fetches once more.
  const before = fragment`case when w.parse_mark is null then w.signature else w.prev_signature end`;
  // New content, or a redirect in its place.
  const replaced = fragment`(page.fresh or page.status in ${REDIRECTED})`;
  const ownMetadata = metadataWithout([ROBOTS_TAG]);
  await prepared(tx).query(sql`
    update webpage w
       set status = page.status, prev_fetch_time = w.fetch_time, fetch_time = now(), fetch_mark = w.generate_mark,
           parse_mark = case when page.parsed then w.generate_mark end, protocol_code = page.protocol_code,
           parse_major = case when page.fresh then page.major else w.parse_major end,
           parse_minor = case when page.fresh then page.minor else w.parse_minor end,
           parse_args = case when page.args is null then w.parse_args else array(select jsonb_array_elements_text(page.args)) end,
           title = case when page.major is null and page.status not in ${REDIRECTED} then w.title else page.title end,
           prev_signature = case when page.parsed then ${before} else w.prev_signature end,
           signature = case when page.parsed then page.signature when page.fresh then ${before} else w.signature end,
           -- New content: what it no longer declares is removed.
           metadata = case when page.fresh then nullif(page.metadata || (${ownMetadata}) || page.noted, '{}')
                           when page.noted = '{}'::jsonb then w.metadata
                           else coalesce(w.metadata, '{}'::jsonb) || page.noted end,
           parse_metadata = case when page.fresh then ${parseMetadataColumn(ownMetadata)} else w.parse_metadata end,
           protocol_args = array(select jsonb_array_elements_text(page.protocol_args)), robots_line = page.robots_line,
           http_status = page.http_status,
           content_type = case when ${replaced} then page.content_type else w.content_type end,
           base_url = page.url, redirect_url = page.redirect_url,
           -- The one of a meta refresh belongs to the content.
           repr_url = case when ${replaced} or w.redirect_url is not null then page.repr_url else w.repr_url end,
           -- A redirect replaces the content (title and type, too): a later conditional request would never fetch the content
           -- again.
           etag = case when ${replaced} then page.etag else w.etag end,
           last_modified = case when ${replaced} then page.last_modified else w.last_modified end
      from ${visitRows(crawl, pages)}
     where ${samePage}`);
}

/** Adds one row of history per visit. The time is that of the transaction, so executing it twice adds nothing. */
export async function writeHistory(tx: Sql, crawl: number, job: string, pages: Visited[]): Promise<void> {
  await prepared(tx).query(sql`
    insert into fetch_history (crawl, host, key, time, status, protocol_code, http_status, ms, bytes, signature, job)
    select ${crawl}, host, key, now(), status, protocol_code, http_status, ms, bytes, signature, ${job}
      from ${rowList('visit', pages, HISTORY)}
    on conflict do nothing`);
}
