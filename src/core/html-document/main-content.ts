/** The main content of a page: without navigation, advertisements and footers. */
import { HTML_OPTIONS, parseHtml } from '../html/parse-html.js';
import { findContent } from '../readability/find-content.js';
import type { TreeDocument } from '../tree/document.js';
import type { TreeElement } from '../tree/element.js';

/** Maximum number of elements of a page whose main content is searched. */
const MAX_ELEMENTS = 200_000;

/**
 * The element with the main content, as Readability finds it; null for a page without any. Modifies the tree.
 * @param again parses the page again
 */
export const mainContent = (document: TreeDocument, again: () => TreeDocument): TreeElement | null =>
  document.elements > MAX_ELEMENTS ? null : findContent(document, again);

/** The text of an element as the HTML parser extracts it: with line breaks where blocks begin and end. */
export function readableText(content: TreeElement, limit: number): string | null {
  const { text } = parseHtml(content.innerHTML, 'http://localhost/', { ...HTML_OPTIONS, maxText: limit, maxLinks: 0 });
  return text === '' ? null : text;
}
