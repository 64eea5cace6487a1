/**
 * Features that need an HTML page as a tree: values extracted by rules, the main content, Markdown.
 *
 * A tree takes many times the memory of the page, and the time of selectors is unbounded: so this runs in the capped
 * process, or within a budget (`readContent`). References are made absolute first, by the base URL that the parser found.
 */
import { DEFAULT_CHARSET, decode } from '../html/charset.js';
import { ReferenceResolver } from '../html/reference-resolver.js';
import type { Extraction } from '../extract/extract-rules.js';
import { extractValues, type Pickable } from '../extract/extract-values.js';
import { pickByXPath } from '../extract/xpath-on-tree.js';
import type { TreeDocument } from '../tree/document.js';
import type { TreeElement } from '../tree/element.js';
import { forEachElement } from '../tree/node.js';
import type { PageBudget } from '../tree/page-budget.js';
import { parseTree } from '../tree/parse-tree.js';
import { canSelect, select } from '../tree/select.js';
import { asWritten, makeAbsolute, namesReference, type ResolvedReference } from './absolute.js';
import { mainContent, readableText } from './main-content.js';
import { markdownOf } from './markdown.js';

/** A request for the main content of a page. */
export interface ContentInput {
  readonly content: Uint8Array;
  readonly contentType: string | null;
  /** WHATWG name of the encoding that the parser used; null to detect it. */
  readonly charset: string | null;
  /** Every element can be self-closing; default false. */
  readonly xhtml?: boolean;
  /** The base URL of references. */
  readonly base: string;
  /** Maximum length of the main content as text, and as Markdown; absent where not requested. */
  readonly readable?: number;
  readonly markdown?: number;
}

export interface DocumentInput extends ContentInput {
  /** Values to extract; none where absent. */
  readonly extractions?: readonly Extraction[];
}

export interface ContentResult {
  /** Null where the page has no main content, or it was not requested. */
  readonly readable: string | null;
  readonly markdown: string | null;
}

export interface DocumentResult extends ContentResult {
  /** Values by the names of their rules, several separated by tabs. */
  readonly values: Readonly<Record<string, string>>;
}

interface Page {
  readonly content: Uint8Array;
  readonly resolver: ReferenceResolver;
  readonly text: string;
  readonly xhtml: boolean;
  readonly budget: PageBudget | null;
  /** Null before parsing, and after the search for main content has modified it. */
  tree: TreeDocument | null;
  /** The references of the tree that was parsed last; null until rules need them. */
  references: ResolvedReference[] | null;
  /** Its main content, or its body where it has none; absent until requested. */
  main?: { readonly content: TreeElement | null; readonly body: TreeElement | null };
}

/** Reads a page as a tree. Throws for thousands of nested elements. */
export type ReadDocument = (input: DocumentInput) => Promise<DocumentResult>;

/** A reader that keeps the last page: several parse filters request the same page, one after another. */
export function makeDocumentReader(): ReadDocument {
  let last: Page | null = null;
  return async (input) => {
    if (last === null || !isOf(last, input)) {
      last = null;
      last = newPage(input, null);
    }
    const page = last;
    const { extractions = [] } = input;
    const values = extractions.length === 0 ? {} : extractValues(await pickableFor(page, extractions), extractions);
    return { values, ...contentOf(page, input) };
  };
}

const isOf = (page: Page, { base, content }: ContentInput): boolean =>
  page.resolver.base === base && Buffer.compare(page.content, content) === 0;

/**
 * The main content of a page, synchronously. No state remains after an error, so it may be called again.
 * @throws Error where the budget is exceeded, and for thousands of nested elements
 */
export const readContent = (input: ContentInput, budget: PageBudget): ContentResult =>
  contentOf(newPage(input, budget), input);

function contentOf(page: Page, { readable, markdown }: ContentInput): ContentResult {
  if (readable === undefined && markdown === undefined) return { readable: null, markdown: null };
  const { content, body } = mainOf(page);
  return {
    readable: readable === undefined || content === null ? null : readableText(content, readable),
    markdown: markdown === undefined ? null : markdownOf(content ?? body, markdown),
  };
}

function newPage(
  { content, contentType, charset, base, xhtml = false }: ContentInput,
  budget: PageBudget | null,
): Page {
  const header = charset === null ? contentType : `text/html; charset=${charset}`;
  const decoded = decode(content, header, charset ?? DEFAULT_CHARSET);
  const resolver = new ReferenceResolver(base, decoded.charset.toLowerCase());
  return { content, resolver, text: decoded.text, xhtml, budget, tree: null, references: null };
}

function treeOf(page: Page): TreeDocument {
  return (page.tree ??= newTree(page));
}

function newTree(page: Page): TreeDocument {
  const tree = parseTree(page.text, page.budget, page.xhtml);
  if (page.references !== null) page.references = [];
  makeAbsolute((visit) => forEachElement(tree, visit), page.resolver, {
    changed: page.references,
    budget: page.budget,
  });
  return tree;
}

/** The search for main content modifies the tree, so later users parse a new one. */
function mainOf(page: Page): NonNullable<Page['main']> {
  if (page.main !== undefined) return page.main;
  const tree = treeOf(page);
  page.tree = null;
  const content = mainContent(tree, () => newTree(page));
  // The search sets the sources of images that a script would load.
  const images = content?.getElementsByTagName('img') ?? [];
  makeAbsolute((visit) => images.forEach(visit), page.resolver, { budget: page.budget });
  page.main = { content, body: content === null ? treeOf(page).body : null };
  return page.main;
}

/** The page for rules: our tree, and jsdom's for selectors that ours does not support. */
async function pickableFor(page: Page, extractions: readonly Extraction[]): Promise<Pickable> {
  const isOurs = ({ language, expression }: Extraction) => language === 'xpath' || canSelect(expression);
  if (page.references === null) {
    page.references = [];
    page.tree = null;
  }
  const tree = treeOf(page);
  const { references } = page;
  const full = extractions.every(isOurs) ? null : (await import('./jsdom-page.js')).jsdomPage(page.text, page.resolver);
  const picked = <T>(expression: string, pick: () => Iterable<T>): Iterable<T> =>
    namesReference(expression) ? foundAnyhow(pick, references) : pick();
  return {
    css: (selector) =>
      canSelect(selector) ? picked(selector, () => select(tree, selector)) : full!.querySelectorAll(selector),
    xpath: (expression) => picked(expression, () => pickByXPath(tree, expression)),
  };
}

/** What is selected by absolute references, else by those that the page contains, from which authors of rules take them. */
function* foundAnyhow<T>(pick: () => Iterable<T>, references: readonly ResolvedReference[]): Generator<T> {
  let isEmpty = true;
  for (const item of pick()) {
    isEmpty = false;
    yield item;
  }
  if (isEmpty) yield* asWritten(references, () => [...pick()]);
}
