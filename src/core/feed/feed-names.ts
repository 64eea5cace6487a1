/**
 * Maps element names of feeds to canonical ones, whatever prefix or namespace a feed uses.
 *
 * Elements of RSS and Atom map to their local name, in any of the namespaces that those formats have had, and so do
 * elements without a prefix, since default namespaces of feeds are often invented. Elements of well-known extensions get
 * the usual prefix; other elements with a prefix keep it, and the reader ignores them.
 */
import type { XmlName } from '../xml/xml-name.js';
import { HTML_NAMESPACE } from '../tree/element.js';

const FORMATS: ReadonlySet<string> = new Set([
  'http://www.w3.org/2005/atom',
  'http://purl.org/atom/ns#',
  'http://purl.org/rss/1.0',
  'http://purl.org/rss/1.0/modules/rss091#',
  'http://my.netscape.com/rdf/simple/0.9',
  'http://my.netscape.com/publish/formats/rss-0.91.dtd',
  'http://channel.netscape.com/rdf/simple/0.9',
  'http://blogs.law.harvard.edu/tech/rss',
  'http://backend.userland.com/rss',
  'http://backend.userland.com/rss2',
  'http://my.userland.com/rss2',
  'http://purl.org/net/rss1.1#',
  'http://purl.org/echo',
  'http://purl.org/pie',
  'http://example.com/newformat#',
  'http://example.com/necho',
  'uri/of/echo/namespace#',
]);

const PREFIXES: ReadonlyMap<string, string> = new Map([
  ['http://purl.org/dc/elements/1.0', 'dc'],
  ['http://purl.org/dc/elements/1.1', 'dc'],
  ['http://purl.org/dc/terms', 'dcterms'],
  ['http://purl.org/rss/1.0/modules/content', 'content'],
  ['http://search.yahoo.com/mrss', 'media'],
  ['http://www.w3.org/1999/02/22-rdf-syntax-ns#', 'rdf'],
  [HTML_NAMESPACE, 'xhtml'],
]);

/** `title`, `dc:title`, `content:encoded` …, lower case. */
export function feedName({ namespace, prefix, local }: XmlName): string {
  const uri = namespace.toLowerCase().replace(/\/$/, '');
  if (FORMATS.has(uri) || uri.startsWith('http://backend.userland.com/rss')) return local;
  const known = PREFIXES.get(uri);
  if (known !== undefined) return `${known}:${local}`;
  return prefix === '' || prefix === 'atom' ? local : `${prefix}:${local}`;
}
