/**
 * One line of a seed list.
 *
 * `URL TAB key=value TAB key=value …`. Three keys of Nutch and one of ours (`nutch.status`) set a field of the page, every
 * other key becomes metadata. An invalid value is ignored and the default applies: a long list must not fail because of
 * one malformed line (Nutch `Injector`).
 */

import { MAX_INT32 } from '../int32.js';
import { type PageStatus, PAGE_STATUS, readStatus } from './page-status.js';
import { withoutNul } from './without-nul.js';

/** A parsed seed line. Times in seconds. The URL is as written: not yet normalized, not yet filtered. */
export interface SeedLine {
  readonly url: string;
  /** `nutch.score` */
  readonly score?: number;
  /** `nutch.fetchInterval`, or the fixed interval when one is given. */
  readonly fetchInterval?: number;
  /** `nutch.fetchInterval.fixed`: the adaptive schedule does not change it. Also in `metadata` under `fixedInterval`. */
  readonly fixedInterval?: number;
  /** `nutch.status` (ours): the status to set, such as `db_unfetched`. */
  readonly status?: PageStatus;
  readonly metadata: Readonly<Record<string, string>>;
  /** 2.x `-sitemap`: the URL is a sitemap. */
  readonly sitemap: boolean;
  /** 2.x `sitemaps: a.xml b.xml`: further sitemap URLs, relative names appended to the URL. */
  readonly sitemaps: readonly string[];
  /** Reserved keys whose values are invalid, and metadata beyond the bounds: as written, shortened. */
  readonly ignored?: readonly string[];
}

const MAX_METADATA = 100;
const MAX_KEY = 256;
const MAX_VALUE = 4096;
const MAX_SITEMAPS = 100;
const MAX_IGNORED = 10;
/** Characters of an ignored column that a message repeats. */
const MAX_SHOWN = 60;

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const INTEGER = /^\+?\d+$/;

/** A finite 32-bit float, as Nutch stores scores; undefined for anything else. */
function scoreOf(text: string): number | undefined {
  const value = DECIMAL.test(text) ? Number(text) : NaN;
  return Number.isFinite(Math.fround(value)) ? value : undefined;
}

/** Whole seconds, 0 to 2^31-1; undefined for anything else. */
function secondsOf(text: string): number | undefined {
  const value = INTEGER.test(text) ? Number(text) : NaN;
  return value <= MAX_INT32 ? value : undefined;
}

/** The code of a status that a page may have between cycles, by its name or code; undefined for any other text. */
function seedStatus(text: string): PageStatus | undefined {
  const code = readStatus(text);
  return code === null || code === PAGE_STATUS.retry ? undefined : code;
}

/** The message for a line of which `hasBlankForTab` is true, to follow the name of the line. */
export const BLANK_FOR_TAB = 'has a blank where a TAB belongs between the URL and key=value';

const OF_HOST = /^(?:https?|ftp):/i;

/** Whether a URL names a host: those of other schemes, such as `file:`, need none. */
export const isOfHost = (url: string): boolean => OF_HOST.test(url);

export const NO_HOST = 'is no URL with a host, such as http://site.test/';

/** What is wrong with a text that cannot be parsed as a URL, in words. */
export function whyNoUrl(text: string): string {
  if (!isOfHost(text)) return 'is no URL with a scheme, such as http://site.test/';
  return /^\w+:\/*[^/?#]/.test(text) ? 'is a URL whose host or port is not valid' : NO_HOST;
}

/** Whether a blank and key=value follow the URL: only TABs separate the columns of a line, so both count as URL. */
export const hasBlankForTab = (url: string): boolean => /\s\S+=/.test(url);

/** The message for another line with a blank in its URL, to follow the name of the line: it may name two URLs. */
export const BLANK_IN_URL = 'has a blank in its URL, which is read as part of it: a line has one URL';

/** Whether a URL has a blank, but no key=value behind one. */
export const hasPlainBlank = (url: string): boolean => /\s/.test(url) && !hasBlankForTab(url);

/** The message for a line with `ignored` values, to follow the name of the line. */
export const IGNORED_VALUE = 'has a value that is not valid and is ignored';

/** What a valid line hardly means to say, to follow its name; null: nothing. */
export function seedLineDoubt({ url, ignored }: SeedLine): string | null {
  if (hasBlankForTab(url)) return `${BLANK_FOR_TAB}, so all of it is read as the URL`;
  if (hasPlainBlank(url)) return BLANK_IN_URL;
  return ignored ? `${IGNORED_VALUE}: ${ignored.join(', ')}` : null;
}

interface Draft {
  score: number | undefined;
  fetchInterval: number | undefined;
  fixedInterval: number | undefined;
  status: PageStatus | undefined;
  readonly metadata: Map<string, string>;
  sitemap: boolean;
  readonly sitemaps: string[];
  readonly ignored: string[];
}

function ignore({ ignored }: Draft, column: string, why = ''): void {
  if (ignored.length >= MAX_IGNORED) return;
  ignored.push(`${column.length > MAX_SHOWN ? `${column.slice(0, MAX_SHOWN).toWellFormed()}…` : column}${why}`);
}

/** The value, or `before` if there is none: then the column is ignored. */
function valid<T>(draft: Draft, column: string, value: T | undefined, before: T | undefined): T | undefined {
  if (value === undefined) ignore(draft, column);
  return value ?? before;
}

function keepMetadata(draft: Draft, key: string, value: string): void {
  const { metadata } = draft;
  const column = `${key}=${value}`;
  if (key === '') return;
  if (key.length > MAX_KEY) ignore(draft, column, ` (a key has at most ${MAX_KEY} characters)`);
  else if (value.length > MAX_VALUE) ignore(draft, column, ` (a value has at most ${MAX_VALUE} characters)`);
  else if (metadata.size >= MAX_METADATA && !metadata.has(withoutNul(key)))
    ignore(draft, column, ` (a page has at most ${MAX_METADATA} metadata)`);
  else metadata.set(withoutNul(key), withoutNul(value));
}

function readColumn(draft: Draft, url: string, column: string): void {
  if (column === '-sitemap') {
    draft.sitemap = true;
    return;
  }
  if (column.startsWith('sitemaps:')) {
    const names = column.slice('sitemaps:'.length).split(' ').filter(Boolean);
    const beyond = names.splice(MAX_SITEMAPS);
    draft.sitemaps.push(...names.map((name) => (/^https?:\/\//i.test(name) ? name : url + name)));
    if (beyond.length > 0) ignore(draft, beyond.join(' '), ` (a seed names at most ${MAX_SITEMAPS} sitemaps at once)`);
    return;
  }
  const equals = column.indexOf('=');
  if (equals < 0) return;
  const key = column.slice(0, equals).trim();
  const value = column.slice(equals + 1).trim();
  if (key === 'nutch.score') draft.score = valid(draft, column, scoreOf(value), draft.score);
  else if (key === 'nutch.fetchInterval')
    draft.fetchInterval = valid(draft, column, secondsOf(value), draft.fetchInterval);
  else if (key === 'nutch.fetchInterval.fixed')
    draft.fixedInterval = valid(draft, column, secondsOf(value), draft.fixedInterval);
  else if (key === 'nutch.status') draft.status = valid(draft, column, seedStatus(value), draft.status);
  else keepMetadata(draft, key, value);
}

/**
 * Parses one seed line. Null for a blank line or a comment (`#`). Columns without `=` are skipped, the first `=` splits.
 * Never throws; at most 100 metadata entries are kept.
 */
export function parseSeedLine(line: string): SeedLine | null {
  const trimmed = line.trim();
  if (trimmed === '' || trimmed.startsWith('#')) return null;
  const [first = '', ...columns] = trimmed.split('\t');
  const url = first.trim();
  const draft: Draft = {
    score: undefined,
    fetchInterval: undefined,
    fixedInterval: undefined,
    status: undefined,
    metadata: new Map(),
    sitemap: false,
    sitemaps: [],
    ignored: [],
  };
  for (const column of columns) readColumn(draft, url, column.trim());
  const { score, fixedInterval, status } = draft;
  const fetchInterval = fixedInterval ?? draft.fetchInterval;
  // Nutch keeps the fixed interval as a float.
  if (fixedInterval !== undefined) draft.metadata.set('fixedInterval', fixedInterval.toFixed(1));
  return {
    url,
    ...(score === undefined ? {} : { score }),
    ...(fetchInterval === undefined ? {} : { fetchInterval }),
    ...(fixedInterval === undefined ? {} : { fixedInterval }),
    ...(status === undefined ? {} : { status }),
    metadata: Object.fromEntries(draft.metadata),
    sitemap: draft.sitemap,
    sitemaps: draft.sitemaps,
    ...(draft.ignored.length === 0 ? {} : { ignored: draft.ignored }),
  };
}
