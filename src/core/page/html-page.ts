/** The parser of HTML and XHTML: decodes the bytes and reads the page in one pass. */
import { decode } from '../html/charset.js';
import { separatorsOf } from '../html/elements.js';
import { FACT_NAMES } from '../html/html-metadata.js';
import type { HtmlOptions } from '../html/html-collector.js';
import { HTML_OPTIONS, parseHtml } from '../html/parse-html.js';
import { ResolvedReferences } from '../html/resolved-references.js';
import { factsMetadata } from './page-metadata.js';
import { parseRedirect, parseSuccess } from './parse-status.js';
import type { ParseProps, ParserInput, ReadPage } from './parser.js';

export const HTML_TYPES: readonly string[] = ['text/html', 'application/xhtml+xml', 'application/vnd.wap.xhtml+xml'];

/** Characters of a language tag that are kept. */
const MAX_LANGUAGE = 35;

/** Reads an HTML page. A page that refreshes to another URL is a success with minor code 100. Never throws. */
export function readHtmlPage({ content, page, type, props }: ParserInput): ReadPage {
  const { text: html, charset } = decodeContent(content, page.contentType, props);
  const options = htmlOptions(props);
  const xhtml = type !== 'text/html';
  const parsed = parseHtml(html, page.url, {
    ...options,
    xhtml,
    charset,
    ...(page.now !== undefined && { now: page.now }),
  });
  const language = parsed.language ?? dublinLanguage(parsed.facts.metatags);
  const refresh = parsed.refresh !== null && !isSamePage(parsed.refresh.url, page.url) ? parsed.refresh : null;
  return {
    status: refresh === null ? parseSuccess() : parseRedirect(refresh.url, refresh.seconds),
    title: parsed.title,
    text: parsed.text,
    outlinks: parsed.links,
    base: parsed.base,
    robots: parsed.robots,
    refresh,
    canonical: parsed.canonical,
    charset,
    metadata: {
      ...(language !== null && { language }),
      ...charsetMetadata(charset, props),
      ...factsMetadata(parsed.facts, props['parse.html.metadata'] ?? []),
    },
    facts: parsed.facts,
  };
}

/** The language that Dublin Core metatags declare. */
function dublinLanguage(metatags: ReadonlyMap<string, readonly string[]>): string | null {
  const [language] = ['dc.language', 'dcterms.language'].flatMap((name) => metatags.get(name) ?? []);
  return language?.slice(0, MAX_LANGUAGE) ?? null;
}

/** Decodes content by the charset that header, content and properties give. */
export function decodeContent(
  content: Uint8Array,
  contentType: string | null,
  props: ParseProps,
): { text: string; charset: string } {
  const confidence = props['encodingdetector.charset.min.confidence'];
  return decode(content, contentType, props['parser.character.encoding.default'], confidence);
}

/** Maximum number of links read from one page. */
export function maxLinks(props: ParseProps): number {
  return props['db.max.outlinks.per.page.cap'] ?? HTML_OPTIONS.maxLinks;
}

/** Nutch's names for the detected charset and the one used for decoding; here they are equal. */
export const CHARSET_NAMES = ['OriginalCharEncoding', 'CharEncodingForConversion'];

/** The charset as metadata, where `db.parsemeta.to.crawldb` asks for it. */
export function charsetMetadata(charset: string, props: ParseProps): Record<string, string> {
  const names = props['db.parsemeta.to.crawldb'] ?? [];
  return Object.fromEntries(CHARSET_NAMES.filter((name) => names.includes(name)).map((name) => [name, charset]));
}

/** Options are built once per set of properties: building them costs more than parsing a small page. */
const optionsOf = new WeakMap<ParseProps, HtmlOptions>();

function htmlOptions(props: ParseProps): HtmlOptions {
  let options = optionsOf.get(props);
  if (options === undefined) optionsOf.set(props, (options = makeOptions(props)));
  return options;
}

function makeOptions(props: ParseProps): HtmlOptions {
  const separators = props['parser.html.line.separators'];
  const all = props.allFacts === true;
  const names = props['parse.html.metadata'] ?? [];
  return {
    formActions: props['parser.html.form.use_action'],
    ignoredTags: lowerSet(props['parser.html.outlinks.ignore_tags']),
    ignoredRels: [...lowerSet(props['parser.html.outlinks.rel.ignore'] ?? HTML_OPTIONS.ignoredRels)],
    nofollowLinks: true,
    linkTags: all || (props['parser.html.outlinks.htmlnode_metadata_name'] ?? '') !== '',
    facts: new Set(FACT_NAMES.filter((name) => all || names.includes(name))),
    ...(separators !== undefined && { separators: separatorsOf(separators) }),
    ...(props.robotNames !== undefined && { robotNames: props.robotNames }),
    ...(props.plugins?.has('headings') && { headings: lowerSet(props.headings ?? []) }),
    maxLinks: maxLinks(props),
    maxAnchor: props['db.max.anchor.length'],
    maxText: props['parser.text.limit'],
    maxTitle: props['parser.title.limit'],
    resolved: new ResolvedReferences(),
  };
}

const lowerSet = (words: readonly string[]): Set<string> => new Set(words.map((word) => word.trim().toLowerCase()));

/** A refresh to the same URL reloads the page; it is not a redirect. */
function isSamePage(target: string, pageUrl: string): boolean {
  return target.split('#', 1)[0] === (URL.parse(pageUrl)?.href ?? pageUrl).split('#', 1)[0];
}
