/**
 * A page as 2.x clients of `/db` expect it: the columns of its table `webpage`, by the names of its Java fields, with marks,
 * links and metadata as maps of text.
 */
import { legacyStatus } from '../../core/page/page-status.js';
import { parseStatusText } from '../../core/page/parse-status.js';
import { protocolStatusText } from '../../core/page/protocol-status.js';
import { unreverseUrl } from '../../core/url/row-key.js';
import { type PageRow, type PageWidth, publicMetadata } from '../../core/page/page-row.js';
import { DamagedPage, restoredSync } from '../../webpage/damaged-page.js';
import type { PageVisit } from '../page/page-detail.dto.js';

export interface LinkedPage extends PageRow {
  inlinks?: Record<string, string>;
  history?: PageVisit[];
}

const ms = (time: Date | null) => time?.getTime() ?? 0;

const forms: Record<string, (page: LinkedPage) => unknown> = {
  url: (page) => unreverseUrl(page.key),
  key: (page) => page.key,
  baseUrl: (page) => page.baseUrl,
  status: (page) => legacyStatus(page.status).code,
  fetchTime: (page) => ms(page.fetchTime),
  prevFetchTime: (page) => ms(page.prevFetchTime),
  fetchInterval: (page) => page.fetchInterval,
  retriesSinceFetch: (page) => page.retriesSinceFetch,
  modifiedTime: (page) => ms(page.modifiedTime),
  prevModifiedTime: (page) => ms(page.prevModifiedTime),
  protocolStatus: (page) => protocolText(page),
  parseStatus: (page) => parseText(page),
  contentType: (page) => page.contentType,
  signature: (page) => page.signature,
  prevSignature: (page) => page.prevSignature,
  title: (page) => page.title,
  score: (page) => page.score,
  reprUrl: (page) => page.reprUrl,
  batchId: (page) => page.batchId,
  markers: (page) => markersOf(page),
  metadata: (page) => textMap(publicMetadata(page)),
  headers: (page) => textMap(page.headers),
  outlinks: (page) => outlinksOf(page),
  inlinks: (page) => page.inlinks ?? {},
  history: (page) => page.history ?? [],
  text: (page) => page.text && restoredSync(page, 'text', page.text).toString(),
  content: (page) => page.content && escapeBytes(restoredSync(page, 'content', page.content)),
};

/** Fields that may be large: returned only when they are named. */
const onlyNamed = ['text', 'content', 'history'];
const defaultNames = Object.keys(forms).filter((name) => !onlyNamed.includes(name));

export const fieldNames = Object.keys(forms);

/** The fields of a request; as in Nutch, unknown names are ignored, and an empty list means the default fields. */
export const askedFields = (names: readonly string[] | null | undefined): string[] =>
  !names?.length ? defaultNames : [...new Set(names)].filter((name) => Object.hasOwn(forms, name));

/** Which part of a row these fields need. */
export function widthOf(fields: readonly string[]): PageWidth {
  if (fields.includes('text') || fields.includes('content')) return 'content';
  return fields.includes('headers') || fields.includes('outlinks') ? 'links' : 'row';
}

/** The fields of a page; those that are damaged are null, and named as `damaged`. */
export function shape(page: LinkedPage, fields: readonly string[]): Record<string, unknown> {
  const damaged: string[] = [];
  const form = (name: string): unknown => {
    try {
      return forms[name]?.(page) ?? null;
    } catch (error) {
      if (!(error instanceof DamagedPage)) throw error;
      damaged.push(name);
      return null;
    }
  };
  const shaped = Object.fromEntries(fields.map((name) => [name, form(name)]));
  return damaged.length === 0 ? shaped : { ...shaped, damaged };
}

function protocolText({ protocolCode, protocolArgs }: PageRow): string | null {
  if (protocolCode === null) return null;
  // The column contains only codes that FETCH wrote.
  return protocolStatusText({ code: protocolCode, args: protocolArgs ?? [] } as Parameters<
    typeof protocolStatusText
  >[0]);
}

function parseText({ parseMajor, parseMinor, parseArgs }: PageRow): string | null {
  if (parseMajor === null) return null;
  return parseStatusText({ major: parseMajor, minor: parseMinor ?? 0, args: parseArgs ?? [] });
}

function markersOf(page: PageRow): Record<string, string> {
  const marks = {
    _injmrk_: page.injectMark,
    _gnmrk_: page.generateMark,
    _ftcmrk_: page.fetchMark,
    __prsmrk__: page.parseMark,
    _updmrk_: page.updateMark,
    _idxmrk_: page.indexMark,
    dist: String(page.distance),
  };
  return Object.fromEntries(Object.entries(marks).filter(([, mark]) => mark !== null)) as Record<string, string>;
}

/** Anchors by target URL; of several links to one target the first is used. */
function outlinksOf({ outlinkKeys, outlinkAnchors }: PageRow): Record<string, string> {
  const links: Record<string, string> = Object.create(null);
  for (const [at, key] of (outlinkKeys ?? []).entries()) links[unreverseUrl(key)] ??= outlinkAnchors?.[at] ?? '';
  return links;
}

function textMap(map: Record<string, unknown> | null | undefined): Record<string, string> {
  const texts: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(map ?? {}))
    texts[name] = typeof value === 'string' ? value : JSON.stringify(value);
  return texts;
}

/** Bytes as text, as HBase's toStringBinary does: printable ASCII as it is, everything else as \xHH. */
export function escapeBytes(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replaceAll(
      /[^\x20-\x5b\x5d-\x7e]/g,
      (byte) => `\\x${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    );
}
