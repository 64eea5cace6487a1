/**
 * Metadata that a page declares: meta elements and headings (Nutch parse-metatags and headings), and those that
 * `parse.html.metadata` selects: `og` (each `og:…` property), `jsonld` (an array of the blocks), `hreflang` and `images`.
 * Several values of one name are separated by tabs.
 */
import type { HtmlFacts } from '../html/html-metadata.js';
import type { ParsedPage, ParserInput } from './parser.js';

/** Adds `metatag.<name>` for every name of `metatags.names` (`*`: all), several values joined by a tab. */
export function keepMetatags(parsed: ParsedPage, { props }: ParserInput): ParsedPage {
  const metatags = parsed.facts?.metatags;
  if (metatags === undefined || metatags.size === 0) return parsed;
  const names = new Set((props['metatags.names'] ?? ['description', 'keywords']).map((name) => name.toLowerCase()));
  const metadata = { ...parsed.metadata };
  for (const [name, values] of metatags) {
    if (names.has(name) || names.has('*')) metadata[`metatag.${name}`] = values.join('\t');
  }
  return { ...parsed, metadata };
}

/**
 * Adds the headings under the names of their elements: the first, or all joined by a tab (`headings.multivalued`). They are text,
 * of which a page with noindex stores none.
 */
export function keepHeadings(parsed: ParsedPage, { props }: ParserInput): ParsedPage {
  const headingsByTag = parsed.facts?.headings;
  if (headingsByTag === undefined || headingsByTag.size === 0 || parsed.robots.noindex) return parsed;
  const all = props['headings.multivalued'] === true;
  const headings = [...headingsByTag].map(([tag, texts]) => [tag, all ? texts.join('\t') : (texts[0] ?? '')]);
  return { ...parsed, metadata: { ...parsed.metadata, ...Object.fromEntries(headings) } };
}

/** The names that `parse.html.metadata` accepts. */
export const HTML_METADATA = ['og', 'jsonld', 'hreflang', 'images'] as const;

/** Metadata of the facts that are wanted: `og:title` …, `jsonld`, `hreflang` (`de http://…`), `images` (URLs). */
export function factsMetadata(facts: HtmlFacts, names: readonly string[]): Record<string, string> {
  const kept: [name: string, value: string][] = [];
  if (names.includes('og')) {
    for (const [name, values] of facts.metatags) if (name.startsWith('og:')) kept.push([name, values.join('\t')]);
  }
  if (names.includes('jsonld') && facts.jsonLd.length > 0) kept.push(['jsonld', `[${facts.jsonLd.join(',')}]`]);
  if (names.includes('hreflang') && facts.alternates.length > 0) {
    kept.push(['hreflang', facts.alternates.map(({ hreflang, url }) => `${hreflang} ${url}`).join('\t')]);
  }
  if (names.includes('images') && facts.images.length > 0) {
    kept.push(['images', facts.images.map(({ url }) => url).join('\t')]);
  }
  return Object.fromEntries(kept);
}
