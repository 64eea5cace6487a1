/** The parser of sitemaps fetched as pages: its links are the URLs and the sitemaps that it names. */
import { decodeXml } from '../html/charset.js';
import { parseSitemap } from '../sitemap/sitemap.js';
import { rootOf } from '../xml/xml-name.js';
import { maxLinks } from './html-page.js';
import { emptyPage } from './parse-page.js';
import { PARSE_MINOR, parseFailure, parseSuccess } from './parse-status.js';
import type { ParserInput, ReadPage } from './parser.js';

export const SITEMAP_TYPES: readonly string[] = ['application/xml', 'text/xml'];

const SITEMAP_ROOT = /^(?:[\w.-]+:)?(?:urlset|sitemapindex)$/;

/** Parses a sitemap or a sitemap index. Fails for any other XML. Never throws. */
export function readSitemapPage({ content, page, props }: ParserInput): ReadPage {
  const { text, charset } = decodeXml(content.subarray(0, 16_384), page.contentType);
  const root = rootOf(text);
  if (!SITEMAP_ROOT.test(root)) {
    const reason = `no sitemap: the root element is ${root || 'not found'}`;
    return { ...emptyPage(page), status: parseFailure(PARSE_MINOR.invalid_format, reason) };
  }
  const { entries, sitemaps, kind } = parseSitemap(content, {
    url: page.url,
    contentType: page.contentType,
    extensions: false,
  });
  const links = [...sitemaps, ...entries].slice(0, maxLinks(props)).map(({ loc }) => ({ url: loc, anchor: '' }));
  return {
    ...emptyPage(page),
    status: parseSuccess(),
    outlinks: links,
    charset,
    metadata: { 'sitemap.kind': kind, 'sitemap.entries': String(entries.length + sitemaps.length) },
  };
}
