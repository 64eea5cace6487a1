/**
 * The URLs in a script: quoted strings that look like URLs (Nutch parse-js).
 *
 * An absolute URL counts, and so does a path from the root or a relative path with the extension of a page. Scripts are not
 * executed, so URLs that they compose are not found.
 */
import type { FoundLink } from './link-collector.js';
import type { ReferenceResolver } from './reference-resolver.js';

const QUOTED = /(?:"([^"\\\s<>]{1,2000})"|'([^'\\\s<>]{1,2000})')/g;
const ABSOLUTE = /^(?:https?:)?\/\/[^/\s]+/i;
const PATH = /^(?:\.{0,2}\/)?[\w.~%-]+(?:\/[\w.~%-]+)*\.(?:html?|php|aspx?|jsp|cgi|xml|pdf|txt)(?:[?#]\S*)?$/i;
const FROM_ROOT = /^\/[\w.~%-]+(?:\/[\w.~%-]*)*(?:[?#]\S*)?$/;

/** URLs of http and https in a script, absolute, in order, with duplicates, at most `maxLinks`. Linear time. */
export function linksInScript(script: string, resolver: ReferenceResolver, maxLinks: number): FoundLink[] {
  const links: FoundLink[] = [];
  for (const [, double, single] of script.matchAll(QUOTED)) {
    if (links.length >= maxLinks) break;
    const text = double ?? single ?? '';
    if (!ABSOLUTE.test(text) && !PATH.test(text) && !FROM_ROOT.test(text)) continue;
    const url = resolver.resolve(text);
    if (url !== null && /^https?:/.test(url)) links.push({ url, anchor: '' });
  }
  return links;
}
