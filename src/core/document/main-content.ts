/** The main content of a page: what a reader came for, without navigation, advertisements and footers. */
import { HTML_OPTIONS, parseHtml } from '../html/parse-html.js';
import { findContent } from '../readability/find-content.js';
import type { TreeDocument } from '../tree/document.js';
import type { TreeElement } from '../tree/element.js';

/** Elements of a page that is looked at for its main content. */
const MAX_ELEMENTS = 200_000;

/**
 * The element that holds the main content, as Readability finds it; null for a page that has none. Takes the page apart.
 * @param again makes the page once more
 */
export const mainContent = (document: TreeDocument, again: () => TreeDocument): TreeElement | null =>
  document.elements > MAX_ELEMENTS ? null : findContent(document, again);

/** The text of an element as the parser of pages writes it: lines where blocks begin and end. */
export function readableText(content: TreeElement, limit: number): string | null {
  const { text } = parseHtml(content.innerHTML, 'http://localhost/', { ...HTML_OPTIONS, maxText: limit, maxLinks: 0 });
  return text === '' ? null : text;
}
