/**
 * The statements of PARSE. A page and its content are two tables, and contents are large: so a chunk is found by the marks in
 * the page rows, and joined with its contents, still compressed. The results are written chunk by chunk (`writeParsed`):
 * the columns of the pages, their scores, then text and links, which are in the table of contents (page-content.sql.ts).
 */
import type { BatchCursor } from '../../core/frontier/batch-cursor.js';
import { PAGE_STATUS, type PageStatus } from '../../core/page/page-status.js';
import { hostKeyOf } from '../../core/url/row-key.js';
import { REPRESENTATIVE_KEY } from '../../core/url/representative.js';
import { type Sql, fragment, rows, sql } from '../../db/sql.js';
import { StatusDeltas, addStatusDeltas } from '../../webpage/host-counts.store.js';
import { sameContent } from '../../webpage/page-columns.sql.js';
import { forgetValidators } from '../../webpage/forget-validators.sql.js';
import { clearRules } from '../../webpage/signature-due.store.js';
import { lockPages } from '../batch-pages.sql.js';
import { batchChunk, cursorColumns } from '../batch-chunks.sql.js';
import { writeParsedContent } from '../page-content.sql.js';
import {
  type ParsedColumns,
  metadataWithout,
  parseMetadataColumn,
  parseMetadataNames,
  parsedText,
} from '../parsed-page.sql.js';
import { ROBOTS_TAG } from '../passed-metadata.js';
import type { Count, Trace } from '../step.js';
import { writePageScores } from './page-scores.sql.js';
import { statusOf } from '../../webpage/page-status.sql.js';
import { inPartition, isAfter, pageRows, samePage } from '../../webpage/page-key.sql.js';

/** A fetched page that waits to be parsed, with its content as stored (zstd). */
export interface Unparsed {
  host: string;
  key: string;
  /** Null for a page that is in no batch. */
  mark: string | null;
  hash: number;
  /** Changes when FETCH writes the page after it was read. */
  prevFetchTime: Date | null;
  baseUrl: string | null;
  contentType: string | null;
  truncated: string | null;
  /** Recorded by FETCH: `X-Robots-Tag` headers, one a line. */
  robotsTag: string | null;
  contentLanguage: string | null;
  /** The URL that represents the redirects that have led to it. */
  representative: string | null;
  /** Null if no content was stored (`fetcher.store.content`). */
  content: Buffer | null;
  /** Of the content before compression. */
  contentLength: number | null;
}

export interface UnparsedQuery {
  crawl: number;
  batch: string;
  part: number;
  parts: number;
  /** Also pages that have the parse mark of the batch. */
  again: boolean;
  /** The whole table: every page with content of its last good visit, whatever its marks. */
  whole: boolean;
  limit: number;
}

/**
 * Statuses of pages whose content is that of their last visit. The stored content of a page that has failed or moved since,
 * or was injected again, is out of date.
 */
export const REPARSED: readonly PageStatus[] = [
  PAGE_STATUS.fetched,
  PAGE_STATUS.notModified,
  PAGE_STATUS.duplicate,
  PAGE_STATUS.orphan,
  PAGE_STATUS.parseFailed,
];

/** Content that was not kept is stored as no bytes at all: an empty page has a zstd frame. */
export const keptContent = fragment`nullif(p.content, ''::bytea)`;

/** The input of a parser, of a page `w` with its content `p`. */
export const parserColumns = fragment`
    ${cursorColumns}, w.host, w.prev_fetch_time as "prevFetchTime", w.base_url as "baseUrl", w.content_type as "contentType",
    p.truncated, ${keptContent} as content, p.content_length as "contentLength", w.metadata->>${ROBOTS_TAG} as "robotsTag",
    p.headers->>'content-language' as "contentLanguage", w.metadata->>${REPRESENTATIVE_KEY} as representative`;

/**
 * The next pages of a partition that FETCH fetched and that were not parsed in their batch, and those that are not
 * modified since a visit after which they were not parsed.
 */
export function nextUnparsed(db: Sql, q: UnparsedQuery, after: BatchCursor | undefined): Promise<Unparsed[]> {
  const chunk = q.whole ? tableChunk(after) : batchChunk(q.batch, after);
  const condition = q.whole
    ? fragment`w.status = any (${REPARSED}::int[]) and p.content is not null`
    : fragment`w.fetch_mark is not null
        and (w.status = ${statusOf('fetched')} and (${q.again} or w.parse_mark is distinct from w.fetch_mark)
          or w.status = ${statusOf('notModified')} and w.parse_major is null and p.content is not null)`;
  return rows<Unparsed>(db)`
    select ${parserColumns}
      from webpage w
      left join page_content p on ${sameContent}
     where w.crawl = ${q.crawl} and ${chunk.where} and ${inPartition(q)} and ${condition}
     order by ${chunk.order} limit ${q.limit}`;
}

/** A scan over all pages in the order of the table. */
function tableChunk(after: BatchCursor | undefined): ReturnType<typeof batchChunk> {
  return {
    where: isAfter(after && { host: hostKeyOf(after.key), key: after.key }),
    order: fragment`w.host, w.key_hash`,
  };
}

/** A page that was parsed, the counters to add when it is written, and its cursor. */
export interface Parsed extends Pick<Unparsed, 'host' | 'key' | 'mark' | 'prevFetchTime'> {
  parse: ParsedColumns;
  /** Its stored content cannot be read. */
  damaged: boolean;
  counts: Parameters<Count>[];
  cursor: BatchCursor;
}

/** A page that stays as it is, as its content was not stored. */
type Skipped = Omit<Parsed, 'parse'> & { parse: null };
export type Looked = Parsed | Skipped;

const isParsed = (page: Looked): page is Parsed => page.parse !== null;

/**
 * Writes the results for pages that were read for parsing. A page that has left its batch, or that FETCH has written again
 * meanwhile, stays as it is.
 * @param whole the table was read, no batch
 */
export async function writeParsed(
  tx: Sql,
  crawl: number,
  looked: readonly Looked[],
  { whole, count, trace }: { whole: boolean; count: Count; trace: Trace | undefined },
): Promise<void> {
  const pages = looked.filter(isParsed);
  for (const { counts, parse } of looked) if (parse === null) counts.forEach((counted) => count(...counted));
  if (pages.length === 0) return;
  // `success` is always there, if as 0: clients read this counter first.
  count('ParserStatus', 'success', 0);
  const locked = await lockPages(tx, crawl, pages);
  const visits = new Map(locked.map((page) => [page.key, page]));
  // FETCH may have written another content meanwhile, and parsed it.
  const still = pages.filter(({ key, prevFetchTime }) => {
    const visit = visits.get(key);
    return visit !== undefined && visit.prevFetchTime?.getTime() === prevFetchTime?.getTime();
  });
  if (still.length === 0) return;
  await writeParse(tx, crawl, still);
  await writePageScores(tx, crawl, still);
  await forgetValidators(
    tx,
    crawl,
    still.filter(({ damaged }) => damaged),
  );
  // A failed parse does not replace the results of an earlier one for the same content.
  const replacing = still.filter(({ key, parse }) => parse.parsed || visits.get(key)!.unparsed);
  if (replacing.length > 0) await writeParsedContent(tx, crawl, replacing);
  const wasFailed = ({ key }: Parsed) => visits.get(key)!.status === PAGE_STATUS.parseFailed;
  await setFetchedAgain(
    tx,
    crawl,
    still.filter((page) => page.parse.parsed && wasFailed(page)),
  );
  // No UPDATEDB records these contents for DEDUP; with each chunk, as there may be no next one.
  if (whole) await clearRules(tx, crawl);
  for (const { key, parse } of still) trace?.(key, { status: parsedText(parse), links: parse.outlinkKeys.length });
  for (const { counts } of still) counts.forEach((counted) => count(...counted));
}

/**
 * Writes the results of PARSE to the rows of pages: title, signatures, parse status, mark. If the content could not be parsed
 * this time, the other columns stay as an earlier parse of the same content left them.
 */
export async function writeParse(
  tx: Sql,
  crawl: number,
  pages: { host: string; key: string; parse: ParsedColumns }[],
): Promise<void> {
  const ownMetadata = metadataWithout([]);
  await tx.query(sql`
    update webpage w
       set title = case when page.parsed or w.parse_major is null then page.title else w.title end,
           parse_major = page.major, parse_minor = page.minor,
           parse_args = array(select jsonb_array_elements_text(page.args)),
           prev_signature = case when page.parsed and w.parse_mark is distinct from w.fetch_mark then w.signature else w.prev_signature end,
           signature = case when page.parsed then page.signature else w.signature end,
           parse_mark = case when page.parsed then w.fetch_mark else w.parse_mark end,
           repr_url = case when page.parsed then coalesce(page.repr_url, w.metadata->>${REPRESENTATIVE_KEY}) else w.repr_url end,
           -- What the page no longer declares is removed.
           metadata = case when page.parsed then nullif(page.metadata || (${ownMetadata}), '{}')
                           when page.metadata = '{}'::jsonb then w.metadata else coalesce(w.metadata, '{}'::jsonb) || page.metadata end,
           parse_metadata = case when page.parsed then ${parseMetadataColumn(ownMetadata)} else w.parse_metadata end
      from ${pageRows(crawl, pages, {
        title: ['text', ({ parse }) => parse.title],
        major: ['int', ({ parse }) => parse.parseMajor],
        minor: ['int', ({ parse }) => parse.parseMinor],
        args: ['jsonb', ({ parse }) => parse.parseArgs],
        parsed: ['bool', ({ parse }) => parse.parsed],
        signature: ['text', ({ parse }) => parse.signature],
        repr_url: ['text', ({ parse }) => parse.reprUrl],
        metadata: ['jsonb', ({ parse }) => parse.metadata],
        names: ['jsonb', ({ parse }) => parseMetadataNames(parse)],
      })}
     where ${samePage}`);
}

/** Pages that could not be parsed before and were parsed now become fetched ones: due as they were, and DEDUP compares them. */
export async function setFetchedAgain(
  tx: Sql,
  crawl: number,
  pages: readonly { host: string; key: string }[],
): Promise<void> {
  if (pages.length === 0) return;
  await tx.query(sql`
    update webpage w set status = ${PAGE_STATUS.fetched}
      from ${pageRows(crawl, pages)}
     where ${samePage}`);
  const deltas = new StatusDeltas();
  for (const { host } of pages) deltas.move(host, PAGE_STATUS.parseFailed, PAGE_STATUS.fetched);
  await addStatusDeltas(tx, crawl, deltas);
}
