/** What of a page's meta elements and headings is kept as metadata (Nutch parse-metatags and headings). */
import type { ParsedPage, ParserInput } from './parser.js';

/** Adds `metatag.<name>` for every name of `metatags.names` (`*`: all), several values joined by a tab. */
export function keepMetatags(parsed: ParsedPage, { props }: ParserInput): ParsedPage {
  const found = parsed.facts?.metatags;
  if (found === undefined || found.size === 0) return parsed;
  const wanted = new Set((props['metatags.names'] ?? ['description', 'keywords']).map((name) => name.toLowerCase()));
  const metadata = { ...parsed.metadata };
  for (const [name, values] of found) {
    if (wanted.has(name) || wanted.has('*')) metadata[`metatag.${name}`] = values.join('\t');
  }
  return { ...parsed, metadata };
}

/** Adds the headings under the names of their elements: the first, or all joined by a tab (`headings.multivalued`). */
export function keepHeadings(parsed: ParsedPage, { props }: ParserInput): ParsedPage {
  const found = parsed.facts?.headings;
  if (found === undefined || found.size === 0) return parsed;
  const all = props['headings.multivalued'] === true;
  const headings = [...found].map(([tag, texts]) => [tag, all ? texts.join('\t') : (texts[0] ?? '')]);
  return { ...parsed, metadata: { ...parsed.metadata, ...Object.fromEntries(headings) } };
}
