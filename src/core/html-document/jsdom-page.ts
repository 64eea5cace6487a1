/**
 * A page parsed by jsdom: fifty times as expensive as our own tree, but complete. For selectors that ours lacks.
 *
 * It has no browsing context, so scripts do not run, and nothing is loaded or laid out.
 */
import { JSDOM } from 'jsdom';
import type { ReferenceResolver } from '../html/reference-resolver.js';
import { makeAbsolute } from './absolute.js';

/** The document of a page, with absolute references. Throws where jsdom fails (thousands of nested elements). */
export function jsdomPage(text: string, resolver: ReferenceResolver): Document {
  // A window for each page: jsdom keeps every document on which a selector was run as long as its window.
  const { window } = new JSDOM('');
  const document = new window.DOMParser().parseFromString(text, 'text/html');
  makeAbsolute((visit) => document.querySelectorAll('*').forEach(visit), resolver);
  return document;
}
