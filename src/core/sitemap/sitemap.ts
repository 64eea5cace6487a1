/**
 * Parses a sitemap from untrusted bytes.
 *
 * The content determines the format, not the name or header: gzip is decompressed, text that begins with `<` is XML (a
 * sitemap, an index, RSS, Atom, or an HTML page sent instead of an error), other text is a list of URLs, one per line. Real
 * sitemaps come from templates, so parsing is lenient: valid entries are kept and the rest is counted by reason; a
 * truncated document yields the entries before the end. Size, entries and depth are bounded, time is linear.
 * Sources: sitemaps.org protocol; the lenient parser of crawler-commons, which Nutch uses.
 */
import { decodeDocument, unpack } from './document-text.js';
import { SITEMAP_MAX_BYTES, type SitemapDocument, type SitemapOptions } from './sitemap-document.js';
import { SitemapDraft } from './sitemap-draft.js';
import { readSitemapXml } from './sitemap-xml.js';

/** Parses a sitemap. Never throws: any other document has no entries and the reason in `errors`. */
export function parseSitemap(bytes: Uint8Array, options: SitemapOptions): SitemapDocument {
  const draft = new SitemapDraft(options);
  const unpacked = unpack(bytes, options.maxBytes ?? SITEMAP_MAX_BYTES);
  if (unpacked.problem !== null) draft.note(unpacked.problem);
  const text = decodeDocument(unpacked.bytes, options.contentType ?? null);
  const first = /\S/.exec(text)?.[0];
  if (first === undefined) return draft.document('empty');
  if (first === '<') return readSitemapXml(text, draft);
  return readSitemapText(options.isCut ? wholeLines(text) : text, draft);
}

const wholeLines = (text: string): string =>
  text.slice(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1);

/** sitemaps.org, "text file": one URL per line. A text without any URL is not a sitemap. */
function readSitemapText(text: string, draft: SitemapDraft): SitemapDocument {
  const nothing = {
    lastmod: null,
    changefreq: null,
    priority: null,
    images: [],
    videos: [],
    news: null,
    alternates: [],
  };
  let isList = false;
  for (const [rawLine] of text.matchAll(/[^\r\n]+/g)) {
    if (draft.isTimeOver()) break;
    const line = rawLine.trim();
    if (line === '' || line.startsWith('#')) continue;
    if (!/^https?:\/\//i.test(line)) {
      draft.note('invalid-loc', line);
      continue;
    }
    isList = true;
    if (draft.isOver()) break;
    const loc = draft.entryLocOf(line);
    if (loc !== null) draft.entries.push({ loc, ...nothing });
  }
  if (!isList) draft.note('not-a-sitemap');
  return draft.document(isList ? 'text' : 'unknown');
}
