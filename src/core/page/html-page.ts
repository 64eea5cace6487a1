/** HTML and XHTML as a parser: decodes the bytes, reads the page in one pass, and says how that ended. */
import { decode } from '../html/charset.js';
import { HTML_OPTIONS, parseHtml, type HtmlOptions } from '../html/parse-html.js';
import { parseRedirect, parseSuccess } from './parse-status.js';
import type { ParseProps, ParserInput, ReadPage } from './parser.js';

/** Types that are read as HTML. */
export const HTML_TYPES: readonly string[] = ['text/html', 'application/xhtml+xml', 'application/vnd.wap.xhtml+xml'];

/** Reads an HTML page. A page that refreshes to another URL is a success with minor code 100. Never throws. */
export function readHtmlPage({ content, page, props }: ParserInput): ReadPage {
  const { text: html, charset } = decodeContent(content, page.contentType, props);
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
    metadata: {
      ...(parsed.language !== null && { language: parsed.language }),
      ...(parsed.robots.nocache && { 'caching.forbidden': props['parser.caching.forbidden.policy'] }),
      ...charsetMetadata(charset, props),
    },
    facts: { metatags: parsed.metatags, headings: parsed.headings },
  };
}

/** The text of some content, by the charset that header, content and properties tell. */
export function decodeContent(
  content: Uint8Array,
  contentType: string | null,
  props: ParseProps,
): { text: string; charset: string } {
  const confidence = props['encodingdetector.charset.min.confidence'];
  return decode(content, contentType, props['parser.character.encoding.default'], confidence);
}

/** Links of one page that are looked at. */
export function maxLinks(props: ParseProps): number {
  return props['db.max.outlinks.per.page.cap'] ?? HTML_OPTIONS.maxLinks;
}

/** Under which names Nutch notes the charset that was found and the one that was read; here they are one. */
const CHARSET_NAMES = ['OriginalCharEncoding', 'CharEncodingForConversion'];

/** The charset as metadata, where `db.parsemeta.to.crawldb` asks for it. */
export function charsetMetadata(charset: string, props: ParseProps): Record<string, string> {
  const wanted = props['db.parsemeta.to.crawldb'] ?? [];
  return Object.fromEntries(CHARSET_NAMES.filter((name) => wanted.includes(name)).map((name) => [name, charset]));
}

function htmlOptions(props: ParseProps): HtmlOptions {
  return {
    formActions: props['parser.html.form.use_action'],
    ignoredTags: new Set(props['parser.html.outlinks.ignore_tags'].map((tag) => tag.trim().toLowerCase())),
    ...(props.nofollowLinks === true && { nofollowLinks: true }),
    ...(props.plugins?.has('headings') && { headings: new Set(props.headings?.map((tag) => tag.toLowerCase())) }),
    maxLinks: maxLinks(props),
    maxAnchor: props['db.max.anchor.length'],
    maxText: props['parser.text.limit'],
    maxTitle: props['parser.title.limit'],
  };
}

/** A page that refreshes to itself is one that keeps itself up to date, not a redirect. */
function isSamePage(target: string, pageUrl: string): boolean {
  return target.split('#', 1)[0] === (URL.parse(pageUrl)?.href ?? pageUrl).split('#', 1)[0];
}
