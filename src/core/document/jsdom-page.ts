/**
 * A page as jsdom reads it: fifty times as dear as our own tree, and complete. For selectors that ours leaves out.
 *
 * Made without a browsing context, so nothing in the page runs, loads or is laid out.
 */
import { JSDOM } from 'jsdom';
import { makeAbsolute } from './absolute.js';

/** The document of a page; references are absolute. Throws on what jsdom cannot bear (elements nested by the thousand). */
export function jsdomPage(text: string, base: string): Document {
  // A window for each page: jsdom remembers every document that was asked by a selector as long as its window.
  const { window } = new JSDOM('');
  const document = new window.DOMParser().parseFromString(text, 'text/html');
  makeAbsolute(document, base);
  return document;
}
