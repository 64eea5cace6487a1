/** The main content of a page: what a reader came for, without navigation, advertisements and footers. */
import { Readability } from '@mozilla/readability';
import { HTML_OPTIONS, parseHtml } from '../html/parse-html.js';

/** Elements of a page that is looked at for its main content. */
const MAX_ELEMENTS = 200_000;

/** The element that holds the main content, as Readability finds it; null for a page that has none. */
export function mainContent(document: Document): Element | null {
  // Readability takes the document apart.
  const copy = document.cloneNode(true) as Document;
  if (copy.body === null || copy.getElementsByTagName('*').length > MAX_ELEMENTS) return null;
  const reader = new Readability<Element>(copy, {
    serializer: (node) => node as Element,
    keepClasses: true,
    disableJSONLD: true,
    maxElemsToParse: MAX_ELEMENTS,
  });
  return reader.parse()?.content ?? null;
}

/** The text of an element as the parser of pages writes it: lines where blocks begin and end. */
export function readableText(content: Element, limit: number): string | null {
  const { text } = parseHtml(content.innerHTML, 'http://localhost/', { ...HTML_OPTIONS, maxText: limit, maxLinks: 0 });
  return text === '' ? null : text;
}
