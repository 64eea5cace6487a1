/**
 * What needs a page of HTML as a tree: values that rules pick, the main content, Markdown.
 *
 * Runs in the capped process only: a tree takes fifty times the memory of the page, and selectors any time. The tree is
 * made without a browsing context, so nothing in the page runs, loads or is laid out. References become absolute first,
 * against the base that the parser found, so that whatever is taken out of the page can stand alone.
 */
import { JSDOM } from 'jsdom';
import { DEFAULT_CHARSET, decode } from '../html/charset.js';
import type { Extraction } from '../extract/extract-rules.js';
import { extractValues } from '../extract/extract-values.js';
import { mainContent, readableText } from './main-content.js';
import { markdownOf } from './markdown.js';

export interface DocumentInput {
  readonly content: Uint8Array;
  readonly contentType: string | null;
  /** WHATWG name of the encoding that the parser used; null where it is to be found out. */
  readonly charset: string | null;
  /** What references resolve against. */
  readonly base: string;
  /** Values wanted; none where absent. */
  readonly extractions?: readonly Extraction[];
  /** Main content wanted as text, Markdown: at most so many characters. */
  readonly readable?: number;
  readonly markdown?: number;
}

export interface DocumentYield {
  /** Values by the names of their rules, several divided by tabs. */
  readonly values: Readonly<Record<string, string>>;
  /** Null where the page has no main content, or it was not asked for. */
  readonly readable: string | null;
  readonly markdown: string | null;
}

/** A page as a tree, and the empty document whose window lends it a parser and XPath. */
interface Tree {
  readonly document: Document;
  readonly lender: Document;
}

/** The last page: several parse filters ask for one page, each in its turn. */
let last: (Tree & { readonly content: Uint8Array; readonly base: string }) | null = null;

/** Reads a page as a tree. Throws on what jsdom cannot bear (elements nested by the thousand). */
export async function readDocument(input: DocumentInput): Promise<DocumentYield> {
  const { document, lender } = treeOf(input);
  const { extractions = [], readable, markdown } = input;
  const content = readable === undefined && markdown === undefined ? null : mainContent(document);
  return Promise.resolve({
    values: extractValues(lender, document, extractions),
    readable: readable === undefined || content === null ? null : readableText(content, readable),
    markdown: markdown === undefined ? null : markdownOf(content ?? document.body, markdown),
  });
}

function treeOf({ content, contentType, charset, base }: DocumentInput): Tree {
  if (last !== null && last.base === base && Buffer.compare(last.content, content) === 0) return last;
  last = null;
  const header = charset === null ? contentType : `text/html; charset=${charset}`;
  const { text } = decode(content, header, charset ?? DEFAULT_CHARSET);
  // A window for each page: jsdom remembers every document that was asked by a selector as long as its window.
  const { window } = new JSDOM('');
  const document = new window.DOMParser().parseFromString(text, 'text/html');
  makeAbsolute(document, base);
  last = { content, base, document, lender: window.document };
  return last;
}

const REFERENCES = ['href', 'src', 'action', 'cite', 'poster', 'data'];

/** References that resolve to nothing stay as they are; the base element goes, as it has done its work. */
function makeAbsolute(document: Document, base: string): void {
  document.querySelectorAll('base').forEach((element) => element.remove());
  for (const name of REFERENCES) {
    for (const element of document.querySelectorAll(`[${name}]`)) {
      const url = URL.parse(element.getAttribute(name) ?? '', base);
      if (url !== null) element.setAttribute(name, url.href);
    }
  }
}
