/** Feeds: RSS 0.9x, 1.0 (RDF) and 2.0, Atom 0.3 and 1.0. */
import { rootOf } from '../xml/xml-name.js';
import { scanXml } from '../xml/xml-scanner.js';
import { FEED_OPTIONS, type Feed, type FeedOptions } from './feed-document.js';
import { FeedReader } from './feed-reader.js';

const ROOTS: ReadonlySet<string> = new Set(['rss', 'feed', 'rdf:rdf', 'rdf', 'channel']);

/** Whether the root element is that of a feed. Other RDF has neither channel nor items and yields an empty feed. */
export function isFeed(xml: string): boolean {
  const root = rootOf(xml);
  return ROOTS.has(root) || root.endsWith(':feed') || root.endsWith(':rdf');
}

/** Parses a feed. Never throws; linear in the length of the document. Any other document yields an empty feed. */
export function parseFeed(xml: string, options: FeedOptions = FEED_OPTIONS): Feed {
  const reader = new FeedReader(options);
  scanXml(xml, reader);
  return reader.feed();
}
