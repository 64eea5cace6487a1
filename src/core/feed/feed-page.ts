/**
 * The parser of feeds: the page has the texts of the feed and its entries, and the links of the entries with their titles
 * as anchors. One document is one page, whatever its number of entries: entries become pages of their own by their links,
 * and the first of them are listed in the metadata.
 */
import { decodeXml } from '../html/charset.js';
import type { FoundLink } from '../html/link-collector.js';
import { HTML_OPTIONS, parseHtml } from '../html/parse-html.js';
import { ReferenceResolver } from '../html/reference-resolver.js';
import { CollapsedText, collect, collapseSpace } from '../html/collapsed-text.js';
import { linksInText } from '../html/parse-text.js';
import { charsetMetadata, maxLinks } from '../page/html-page.js';
import { emptyPage } from '../page/parse-page.js';
import { PARSE_MINOR, parseFailure, parseSuccess } from '../page/parse-status.js';
import type { ParserInput, ReadPage } from '../page/parser.js';
import { urlWithoutUserInfo } from '../url/url-credentials.js';
import { rootOf } from '../xml/xml-name.js';
import { FEED_OPTIONS, type Feed, type FeedContainer, type FeedText } from './feed-document.js';
import { isFeed, parseFeed } from './feed.js';

export const FEED_TYPES: readonly string[] = [
  'application/rss+xml',
  'application/atom+xml',
  'application/rdf+xml',
  'application/xml',
  'text/xml',
];

const MAX_SHOWN = 100;
/** Maximum length of all shown entries together. */
const MAX_CHARACTERS = 65_536;
/** Relations of links to the feed itself, or to no document. */
const NOT_FOLLOWED: ReadonlySet<string> = new Set([
  'self',
  'hub',
  'edit',
  'edit-media',
  'license',
  'search',
  'service',
]);

/** Parses a feed. Fails for any other XML. Never throws. */
export function readFeedPage({ content, page, props }: ParserInput): ReadPage {
  const { text: xml, charset } = decodeXml(content, page.contentType);
  if (!isFeed(xml)) {
    const root = rootOf(xml);
    const reason = root === '' ? 'no feed: no element is found' : `no feed: the root element is ${root}`;
    return { ...emptyPage(page), status: parseFailure(PARSE_MINOR.invalid_format, reason) };
  }
  const feed = parseFeed(xml.toWellFormed(), { ...FEED_OPTIONS, url: page.url });
  const containers = [feed, ...feed.entries].map((container) => ({
    ...container,
    title: withoutMarkup(container.title),
  }));
  const resolver = new ReferenceResolver(page.url);
  return {
    ...emptyPage(page),
    status: parseSuccess(),
    title: collapseSpace(containers[0]?.title ?? '', props['parser.title.limit']),
    text: feedText(containers, props['parser.text.limit']),
    outlinks: feedLinks(containers, resolver, { max: maxLinks(props), maxAnchor: props['db.max.anchor.length'] }),
    charset,
    metadata: {
      ...(feed.language !== null && { language: feed.language }),
      ...charsetMetadata(charset, props),
      ...feedMetadata(feed, containers.slice(1), resolver),
    },
  };
}

/** A feed or an entry with its title as plain text. */
type TitledContainer = Omit<FeedContainer, 'title'> & { readonly title: string };

/** A text without markup. */
function withoutMarkup(text: FeedText | null): string {
  if (text === null) return '';
  return text.isMarkup ? parseHtml(text.value, '', HTML_OPTIONS).text : text.value;
}

/** Title and text of the feed, then of each entry, each on its own lines. */
function feedText(containers: readonly TitledContainer[], limit: number): string {
  const collapsed = new CollapsedText(limit);
  for (const { title, text } of containers) {
    if (collapsed.full) break;
    for (const line of `${title}\n${withoutMarkup(text)}`.split('\n')) {
      collect(line, [collapsed]);
      collapsed.line();
    }
  }
  return collapsed.toString();
}

function feedLinks(
  containers: readonly TitledContainer[],
  resolver: ReferenceResolver,
  limits: { max: number; maxAnchor: number },
): FoundLink[] {
  const links: FoundLink[] = [];
  for (const container of containers) {
    const anchor = collapseSpace(container.title, limits.maxAnchor);
    for (const { href, rel, title } of container.links) {
      if (links.length >= limits.max) return links;
      const url = NOT_FOLLOWED.has(rel) ? null : resolver.resolve(href);
      // The link's own title; the title of the container is the anchor only of its alternate link.
      const ownTitle = title === '' ? '' : collapseSpace(title, limits.maxAnchor);
      if (url !== null) links.push({ url, anchor: rel === 'alternate' ? ownTitle || anchor : ownTitle });
    }
    // Items without any link, such as status messages, may contain URLs in their text.
    if (container.links.length === 0 && container.text !== null && !container.text.isMarkup)
      links.push(...linksInText(container.text.value, Math.min(10, limits.max - links.length)));
  }
  return links;
}

/** `feed.format`, `feed.updated` (ISO 8601), and the first entries as JSON under `feed.entries`. */
function feedMetadata(
  feed: Feed,
  entries: readonly TitledContainer[],
  resolver: ReferenceResolver,
): Record<string, string> {
  const updated = isoOf(feed.updated ?? feed.published);
  const shown: string[] = [];
  let left = MAX_CHARACTERS;
  for (const entry of entries.slice(0, MAX_SHOWN)) {
    const json = JSON.stringify(shownEntry(entry, resolver));
    if ((left -= json.length) < 0) break;
    shown.push(json);
  }
  return {
    'feed.format': feed.format,
    ...(updated !== null && { 'feed.updated': updated }),
    ...(shown.length > 0 && { 'feed.entries': `[${shown.join(',')}]` }),
  };
}

function shownEntry({ id, title, link, published, updated }: TitledContainer, resolver: ReferenceResolver): object {
  const url = link === null ? null : resolver.resolve(link);
  const [publishedAt, updatedAt] = [isoOf(published), isoOf(updated)];
  return {
    ...(title !== '' && { title: collapseSpace(title, 1_000) }),
    ...(url !== null && { link: urlWithoutUserInfo(url) }),
    ...(id !== null && { id: urlWithoutUserInfo(id) }),
    ...(publishedAt !== null && { published: publishedAt }),
    ...(updatedAt !== null && { updated: updatedAt }),
  };
}

/** A time as ISO 8601; null for none, and beyond the range of `Date`. */
function isoOf(ms: number | null): string | null {
  return ms === null || Math.abs(ms) > 8.64e15 ? null : new Date(ms).toISOString();
}
