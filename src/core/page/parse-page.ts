/**
 * From the bytes of an answer to what the crawl keeps of a page.
 *
 * The type decides how to read it: HTML and XHTML by the one-pass parser, other text as plain text, anything else is a
 * failure with a reason. No bytes make this throw. What the caller does next: `keepOutlinks` over the links; with a
 * refresh (minor code 100) the target is a redirect and the text is not kept.
 */
import { decode } from '../html/charset.js';
import type { FoundLink } from '../html/link-collector.js';
import { HTML_OPTIONS, parseHtml, type HtmlOptions, type ParsedHtml } from '../html/parse-html.js';
import { linksInText, textOf } from '../html/parse-text.js';
import { typeOfDocument } from './content-type.js';
import { PARSE_MINOR, parseFailure, parseRedirect, parseSuccess, type ParseStatus } from './parse-status.js';
import { signatureOf, type SignatureProps } from './signature.js';

/** The crawl properties that parsing depends on, under their names. Any object that carries them will do. */
export interface ParseProps extends SignatureProps {
  /** Note links that the page asks not to follow, marked so. */
  readonly nofollowLinks?: boolean;
  /** Which parsers may read (`plugin.includes`); all where absent. */
  readonly parsers?: ReadonlySet<string>;
  readonly 'db.max.anchor.length': number;
  /** Links looked at; 100,000 where absent. */
  readonly 'db.max.outlinks.per.page.cap'?: number;
  /** 0 to 100 lets a guess overrule the declared charset; -1: no guess. */
  readonly 'encodingdetector.charset.min.confidence': number;
  /** Elements whose text becomes metadata under their name, where the plugin `headings` is among the parsers. */
  readonly headings?: readonly string[];
  /** All of them, joined by a tab; else the first. */
  readonly 'headings.multivalued'?: boolean;
  /** Parse metadata that are wanted besides: the charset as `OriginalCharEncoding`, `CharEncodingForConversion`. */
  readonly 'db.parsemeta.to.crawldb'?: readonly string[];
  /** Meta elements that become metadata `metatag.<name>`; `*` for all. Description and keywords where absent. */
  readonly 'metatags.names'?: readonly string[];
  /** False: the header is believed without a look at the bytes. */
  readonly 'mime.type.magic': boolean;
  /** Written to metadata `caching.forbidden` of a page that forbids caching. */
  readonly 'parser.caching.forbidden.policy': string;
  readonly 'parser.character.encoding.default': string;
  readonly 'parser.html.form.use_action': boolean;
  readonly 'parser.html.outlinks.ignore_tags': readonly string[];
  readonly 'parser.skip.truncated': boolean;
  /** UTF-16 units. */
  readonly 'parser.text.limit': number;
  readonly 'parser.title.limit': number;
}

/** What is known of a page before it is parsed. */
export interface FetchedPage {
  /** The URL that references resolve against: the one that answered. */
  readonly url: string;
  /** `Content-Type` header as it came. */
  readonly contentType: string | null;
  /** Bytes announced for the content as it is stored (not for a compressed transfer). */
  readonly contentLengthHeader?: number | null;
  /** The fetcher cut the content. */
  readonly truncated?: boolean;
}

export interface ParsedPage {
  readonly status: ParseStatus;
  /** The type found, without parameters. */
  readonly type: string;
  readonly title: string;
  readonly text: string;
  /** As found: absolute, in order, duplicates kept. */
  readonly outlinks: readonly FoundLink[];
  readonly base: string;
  readonly robots: { readonly noindex: boolean; readonly nofollow: boolean };
  readonly refresh: { readonly url: string; readonly seconds: number } | null;
  readonly canonical: string | null;
  /** WHATWG name of the encoding; null for what was not decoded. */
  readonly charset: string | null;
  /** 32 hex digits; absent for a failed parse. */
  readonly signature?: string;
  /** `language`, `caching.forbidden`, `metatag.<name>` (several values joined by a tab), `h1` …, names of the charset. */
  readonly metadata: Readonly<Record<string, string>>;
}

const HTML_TYPES: ReadonlySet<string> = new Set([
  'text/html',
  'application/xhtml+xml',
  'application/vnd.wap.xhtml+xml',
]);
const TEXT_TYPES: ReadonlySet<string> = new Set([
  'text/plain',
  'text/markdown',
  'text/csv',
  'text/tab-separated-values',
]);

/** Can `parsePage` read documents of this type (`type/subtype`)? */
export function isParseable(type: string): boolean {
  return HTML_TYPES.has(type) || TEXT_TYPES.has(type);
}

/** The plugin id of the parser for a readable type. */
const parserOf = (type: string): string => (HTML_TYPES.has(type) ? 'parse-html' : 'parse-text');

/** Parses a page. Never throws; linear in the length of the content. */
export function parsePage(content: Uint8Array, page: FetchedPage, props: ParseProps): ParsedPage {
  const sniffed = props['mime.type.magic'] ? content : null;
  const type = typeOfDocument({ contentType: page.contentType, name: page.url, content: sniffed });
  if (props['parser.skip.truncated'] && isTruncated(content, page)) {
    return failed(type, page, parseFailure(PARSE_MINOR.truncated, `only ${content.length} bytes were kept`));
  }
  if (!isParseable(type) || props.parsers?.has(parserOf(type)) === false)
    return failed(type, page, parseFailure(PARSE_MINOR.exception, `no parser for ${type}`));
  try {
    const read = HTML_TYPES.has(type) ? readHtml(content, page, props) : readText(content, page, props);
    const signature = signatureOf({ content, url: page.url, text: read.text }, props);
    return { ...read, type, signature };
  } catch (error) {
    // A page that the parser cannot bear must cost that page, not the job.
    const reason = error instanceof Error ? error.message : String(error);
    return failed(type, page, parseFailure(PARSE_MINOR.exception, reason));
  }
}

type ReadPage = Omit<ParsedPage, 'type' | 'signature'>;

function readHtml(content: Uint8Array, page: FetchedPage, props: ParseProps): ReadPage {
  const { text: html, charset } = decoded(content, page, props);
  const parsed = parseHtml(html, page.url, htmlOptions(props));
  const refresh = parsed.refresh !== null && !isSamePage(parsed.refresh.url, page.url) ? parsed.refresh : null;
  return {
    status: refresh === null ? parseSuccess() : parseRedirect(refresh.url, refresh.seconds),
    title: parsed.title,
    text: parsed.text,
    outlinks: parsed.links,
    base: parsed.base,
    robots: { noindex: parsed.robots.noindex, nofollow: parsed.robots.nofollow },
    refresh,
    canonical: parsed.canonical,
    charset,
    metadata: { ...metadataOf(parsed, props), ...charsetMetadata(charset, props) },
  };
}

function readText(content: Uint8Array, page: FetchedPage, props: ParseProps): ReadPage {
  const { text, charset } = decoded(content, page, props);
  return {
    ...emptyPage(page),
    status: parseSuccess(),
    text: textOf(text, props['parser.text.limit']),
    outlinks: linksInText(text, maxLinks(props)),
    charset,
    metadata: charsetMetadata(charset, props),
  };
}

function decoded(content: Uint8Array, page: FetchedPage, props: ParseProps): { text: string; charset: string } {
  const confidence = props['encodingdetector.charset.min.confidence'];
  return decode(content, page.contentType, props['parser.character.encoding.default'], confidence);
}

function maxLinks(props: ParseProps): number {
  return props['db.max.outlinks.per.page.cap'] ?? HTML_OPTIONS.maxLinks;
}

function htmlOptions(props: ParseProps): HtmlOptions {
  return {
    formActions: props['parser.html.form.use_action'],
    ignoredTags: new Set(props['parser.html.outlinks.ignore_tags'].map((tag) => tag.trim().toLowerCase())),
    ...(props.nofollowLinks === true && { nofollowLinks: true }),
    ...(props.parsers?.has('headings') && { headings: new Set(props.headings?.map((tag) => tag.toLowerCase())) }),
    maxLinks: maxLinks(props),
    maxAnchor: props['db.max.anchor.length'],
    maxText: props['parser.text.limit'],
    maxTitle: props['parser.title.limit'],
  };
}

function metadataOf(parsed: ParsedHtml, props: ParseProps): Record<string, string> {
  const entries: [name: string, value: string][] = [];
  if (parsed.language !== null) entries.push(['language', parsed.language]);
  if (parsed.robots.nocache) entries.push(['caching.forbidden', props['parser.caching.forbidden.policy']]);
  const wanted = new Set((props['metatags.names'] ?? ['description', 'keywords']).map((name) => name.toLowerCase()));
  for (const [name, values] of parsed.metatags) {
    if (wanted.has(name) || wanted.has('*')) entries.push([`metatag.${name}`, values.join('\t')]);
  }
  for (const [tag, texts] of parsed.headings)
    entries.push([tag, props['headings.multivalued'] === true ? texts.join('\t') : texts[0]!]);
  return Object.fromEntries(entries);
}

/** Under which names Nutch notes the charset that was found and the one that was read; here they are one. */
const CHARSET_NAMES = ['OriginalCharEncoding', 'CharEncodingForConversion'];

function charsetMetadata(charset: string, props: ParseProps): Record<string, string> {
  const wanted = props['db.parsemeta.to.crawldb'] ?? [];
  return Object.fromEntries(CHARSET_NAMES.filter((name) => wanted.includes(name)).map((name) => [name, charset]));
}

function isTruncated(content: Uint8Array, page: FetchedPage): boolean {
  return page.truncated === true || (page.contentLengthHeader ?? 0) > content.length;
}

/** A page that refreshes to itself is one that keeps itself up to date, not a redirect. */
function isSamePage(target: string, pageUrl: string): boolean {
  return target.split('#', 1)[0] === (URL.parse(pageUrl)?.href ?? pageUrl).split('#', 1)[0];
}

function emptyPage(page: FetchedPage): Omit<ReadPage, 'status'> {
  return {
    title: '',
    text: '',
    outlinks: [],
    base: page.url,
    robots: { noindex: false, nofollow: false },
    refresh: null,
    canonical: null,
    charset: null,
    metadata: {},
  };
}

function failed(type: string, page: FetchedPage, status: ParseStatus): ParsedPage {
  return { ...emptyPage(page), type, status };
}
