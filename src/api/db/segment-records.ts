/**
 * Parts of a batch as `readseg -dump` writes the segment: one record per URL, in the order of row keys, with what the parts
 * contain about it; crawl_generate alone, of an open batch, in the order of the fetch list. Labels and their order are exactly
 * Nutch's; `inlinks` is added here.
 *
 * Linked URLs (crawl_parse) follow the page that links to them, each in its own record: grouping all links of a target would
 * require sorting the whole segment. The score that a link contributed is not stored: score 0.0.
 */
import type { Pool } from 'pg';
import { chunksOf } from '../../core/bounded-chunks.js';
import { CHARSET_NAMES } from '../../core/page/html-page.js';
import { PAGE_STATUS, fetchStatusOf } from '../../core/page/page-status.js';
import { parseCodesText } from '../../core/page/parse-status.js';
import { protocolName } from '../../core/page/protocol-status.js';
import { unreverseUrl } from '../../core/url/row-key.js';
import { type BatchVisit, visitsInBatch } from '../../webpage/batch-visits.sql.js';
import { type BestInlink, bestInlinks } from '../../webpage/best-inlinks.sql.js';
import { damagedText, restored, unlessDamaged } from '../../webpage/damaged-page.js';
import type { PageRange } from '../../core/page/page-range.js';
import { type PageRow, type PageWidth, publicMetadata } from '../../core/page/page-row.js';
import { scanPages } from '../../webpage/page-scan.sql.js';
import type { DumpPart } from '../../webpage/segment-parts.sql.js';
import { datumText, withoutLineBreaks } from '../../core/page/dump-formats.js';
import { type NamedBatch, fetchMetadata } from './fetch-metadata.js';
import { type PageFilter, filtered } from './dump-filter.js';

export interface SegmentDump {
  batch: NamedBatch;
  parts: readonly DumpPart[];
  keep: PageFilter;
}

/** Characters after which a piece of an answer is sent: a page with its content may have millions. */
export const PIECE_LENGTH = 262_144;
/** Pages whose inlinks are read at once: each may have up to `db.update.max.inlinks`. */
export const LINKED_AT_ONCE = 20;
const linked = { code: 67, name: 'linked' };

/** The records of the pages that `keep` accepts. */
export async function* segmentRecords(pool: Pool, range: PageRange, dump: SegmentDump): AsyncGenerator<string> {
  let number = 0;
  let piece = '';
  for await (const records of segmentEntries(pool, range, dump)) {
    for (const [url, entries] of records) piece += `\nRecno:: ${number++}\nURL:: ${url}\n${entries.join('')}\n`;
    // The end of a chunk is sent, too, even if empty: it shows that the database was busy.
    if (records.length > 0 && piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

/** Yields the records of each page, and an empty list after each chunk; pages that were generated again are not included. */
export async function* segmentEntries(
  pool: Pool,
  range: PageRange,
  dump: SegmentDump,
): AsyncGenerator<SegmentRecord[]> {
  // With other parts the records are in the order of row keys, as readseg sorts them.
  const isFetchList = dump.parts.every((part) => part === 'crawl_generate');
  for await (const chunk of scanPages(pool, { ...range, isFetchList }, widthOf(dump.parts))) {
    const pages = await filtered(chunk, dump.keep);
    const visits = await visitsInBatch(pool, dump.batch, pages);
    for (const group of chunksOf(pages, LINKED_AT_ONCE)) {
      const inlinks = dump.parts.includes('inlinks') ? await bestInlinks(pool, dump.batch.crawl, group) : [];
      const linksByKey = Map.groupBy(inlinks, ({ key }) => key);
      for (const page of group)
        yield entriesOf(page, { visit: visits.get(page.key), inlinks: linksByKey.get(page.key) ?? [] }, dump);
    }
    yield [];
  }
}

function widthOf(parts: readonly DumpPart[]): PageWidth {
  if (parts.includes('content') || parts.includes('parse_text')) return 'content';
  return parts.includes('parse_data') || parts.includes('crawl_parse') ? 'links' : 'row';
}

/** A URL, and its entries in the parts. */
export type SegmentRecord = [url: string, entries: string[]];

/** The record of a page, and those of the URLs that it links to. */
async function entriesOf(
  page: PageRow,
  { visit, inlinks }: { visit: BatchVisit | undefined; inlinks: readonly BestInlink[] },
  { batch, parts }: SegmentDump,
): Promise<SegmentRecord[]> {
  const isParsed = (page.generateMark === null ? page.updateMark : page.parseMark) === batch.id;
  const kept = {
    ...page.headers,
    ...publicMetadata({ ...page, metadata: null }),
    ...fetchMetadata(page, visit, batch),
  };
  const entry: Record<DumpPart, () => string | Promise<string>> = {
    crawl_generate: () => crawlDatum(datumText(page)),
    crawl_fetch: () => (visit ? crawlDatum(fetchDatum(page, visit)) : ''),
    content: () => (visit?.status === PAGE_STATUS.fetched ? contentText(page, kept) : ''),
    crawl_parse: () => '',
    parse_data: () => (isParsed ? parseData(page, kept) : ''),
    parse_text: () => (isParsed ? parseText(page) : ''),
    inlinks: () => inlinksText(inlinks),
  };
  const texts: string[] = [];
  for (const part of parts) texts.push(await entry[part]());
  const records: SegmentRecord[] = texts.some(Boolean) ? [[unreverseUrl(page.key), texts]] : [];
  if (!isParsed || !parts.includes('crawl_parse')) return records;
  const datum = crawlDatum(linkedDatum(page, visit));
  return [...records, ...(page.outlinkKeys ?? []).map((key): SegmentRecord => [unreverseUrl(key), [datum]])];
}

const crawlDatum = (datum: string): string => `\nCrawlDatum::\n${datum}`;

function fetchDatum(page: PageRow, visit: BatchVisit): string {
  const { protocolCode: code, protocolArgs, httpStatus } = page;
  const args = protocolArgs?.length ? `: ${protocolArgs.join(', ')}` : '';
  const metadata = {
    ...page.metadata,
    ...(code !== null && { _pst_: `${protocolName(code).toLowerCase()}(${code}), lastModified=0${args}` }),
    ...(httpStatus !== null && { 'nutch.protocol.code': String(httpStatus) }),
  };
  return datumText({ ...page, fetchTime: visit.time, metadata }, fetchStatusOf(visit.status));
}

const linkedDatum = ({ key, status, fetchInterval, fetchTime }: PageRow, visit: BatchVisit | undefined): string =>
  datumText(
    {
      key,
      status,
      fetchTime: visit?.time ?? fetchTime,
      modifiedTime: null,
      retriesSinceFetch: 0,
      fetchInterval,
      score: 0,
      signature: null,
      metadata: null,
    },
    linked,
  );

async function contentText(page: PageRow, kept: Record<string, unknown>): Promise<string> {
  if (!page.content) return '';
  const url = unreverseUrl(page.key);
  return [
    '\nContent::',
    'Version: -1',
    `url: ${url}`,
    `base: ${page.baseUrl ?? url}`,
    `contentType: ${withoutLineBreaks(page.contentType ?? '')}`,
    `metadata: ${pairs(kept)}`,
    'Content:',
    await textOf(page, 'content', page.content),
  ].join('\n');
}

function parseData(page: PageRow, kept: Record<string, unknown>): string {
  const { parseMajor, parseMinor, parseArgs, title, outlinkKeys, outlinkAnchors, metadata, charset } = page;
  const keys = outlinkKeys ?? [];
  const status = { major: parseMajor ?? 0, minor: parseMinor ?? 0, args: parseArgs ?? [] };
  return [
    '\nParseData::',
    'Version: 5',
    `Status: ${withoutLineBreaks(parseCodesText(status))}`,
    `Title: ${withoutLineBreaks(title ?? '')}`,
    `Outlinks: ${keys.length}`,
    ...keys.map(
      (key, at) => `  outlink: toUrl: ${unreverseUrl(key)} anchor: ${withoutLineBreaks(outlinkAnchors?.[at] ?? '')}`,
    ),
    `Content Metadata: ${pairs(kept)}`,
    `Parse Metadata: ${pairs({ ...charsetMetadata(charset), ...metadata })}`,
    '',
  ].join('\n');
}

async function parseText(page: PageRow): Promise<string> {
  return `\nParseText::\n${page.text ? await textOf(page, 'text', page.text) : ''}\n`;
}

async function textOf(page: PageRow, part: 'content' | 'text', stored: Buffer): Promise<string> {
  return (await unlessDamaged(restored(page, part, stored), () => damagedText(part))).toString();
}

/** As Inlinks of 1.x writes them in a dump of the linkdb. */
function inlinksText(inlinks: readonly BestInlink[]): string {
  if (inlinks.length === 0) return '';
  const lines = inlinks.map(
    ({ source, anchor }) => ` fromUrl: ${unreverseUrl(source)} anchor: ${withoutLineBreaks(anchor ?? '')}\n`,
  );
  return `\nInlinks::\n${lines.join('')}`;
}

/** Parse metadata of Nutch that is a column here. */
const charsetMetadata = (charset: string | null = null): Record<string, string> =>
  charset === null ? {} : Object.fromEntries(CHARSET_NAMES.map((name) => [name, charset]));

/** Metadata on one line. */
const pairs = (metadata: Record<string, unknown>): string =>
  Object.entries(metadata)
    .map(([name, value]) => withoutLineBreaks(`${name}=${typeof value === 'string' ? value : JSON.stringify(value)} `))
    .join('');
