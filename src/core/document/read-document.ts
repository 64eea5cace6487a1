/**
 * What needs a page of HTML as a tree: values that rules pick, the main content, Markdown.
 *
 * A tree takes many times the memory of the page, and selectors any time: so it runs in the capped process, or within a budget
 * (`readContent`). References become absolute first, against the base that the parser found.
 */
import { DEFAULT_CHARSET, decode } from '../html/charset.js';
import type { Extraction } from '../extract/extract-rules.js';
import { extractValues, type Pickable } from '../extract/extract-values.js';
import { pickByXPath } from '../extract/xpath-on-tree.js';
import type { TreeDocument } from '../tree/document.js';
import type { TreeElement } from '../tree/element.js';
import type { PageBudget } from '../tree/page-budget.js';
import { parseTree } from '../tree/parse-tree.js';
import { canSelect, select } from '../tree/select.js';
import { makeAbsolute } from './absolute.js';
import { mainContent, readableText } from './main-content.js';
import { markdownOf } from './markdown.js';

/** What is asked of the main content of a page. */
export interface ContentInput {
  readonly content: Uint8Array;
  readonly contentType: string | null;
  /** WHATWG name of the encoding that the parser used; null where it is to be found out. */
  readonly charset: string | null;
  /** What references resolve against. */
  readonly base: string;
  /** Main content wanted as text, Markdown: at most so many characters. */
  readonly readable?: number;
  readonly markdown?: number;
}

export interface DocumentInput extends ContentInput {
  /** Values wanted; none where absent. */
  readonly extractions?: readonly Extraction[];
}

export interface ContentYield {
  /** Null where the page has no main content, or it was not asked for. */
  readonly readable: string | null;
  readonly markdown: string | null;
}

export interface DocumentYield extends ContentYield {
  /** Values by the names of their rules, several divided by tabs. */
  readonly values: Readonly<Record<string, string>>;
}

interface Page {
  readonly content: Uint8Array;
  readonly base: string;
  readonly text: string;
  readonly budget: PageBudget | null;
  /** Null once it is taken apart. */
  tree: TreeDocument | null;
  /** Its main content, or its body where it has none; absent until somebody asks. */
  main?: { readonly content: TreeElement | null; readonly body: TreeElement | null };
}

/** The last page of a capped process: several parse filters ask for one page, each in its turn. */
let last: Page | null = null;

/** Reads a page as a tree. Throws on elements that are nested by the thousand. */
export async function readDocument(input: DocumentInput): Promise<DocumentYield> {
  const { extractions = [] } = input;
  const page = pageOf(input);
  const values = extractions.length === 0 ? {} : extractValues(await pickableFor(page, extractions), extractions);
  return { values, ...contentOf(page, input) };
}

/**
 * The main content of a page, without a wait. It may be ended at any point, and asked again.
 * @throws Error where it would take more than the budget, on elements that are nested by the thousand
 */
export const readContent = (input: ContentInput, budget: PageBudget): ContentYield =>
  contentOf(newPage(input, budget), input);

function contentOf(page: Page, { readable, markdown }: ContentInput): ContentYield {
  if (readable === undefined && markdown === undefined) return { readable: null, markdown: null };
  const { content, body } = mainOf(page);
  return {
    readable: readable === undefined || content === null ? null : readableText(content, readable),
    markdown: markdown === undefined ? null : markdownOf(content ?? body, markdown),
  };
}

function pageOf(input: ContentInput): Page {
  if (last !== null && last.base === input.base && Buffer.compare(last.content, input.content) === 0) return last;
  last = null;
  return (last = newPage(input, null));
}

function newPage({ content, contentType, charset, base }: ContentInput, budget: PageBudget | null): Page {
  const header = charset === null ? contentType : `text/html; charset=${charset}`;
  const { text } = decode(content, header, charset ?? DEFAULT_CHARSET);
  return { content, base, text, budget, tree: null };
}

function treeOf(page: Page): TreeDocument {
  return (page.tree ??= newTree(page));
}

function newTree({ text, budget, base }: Page): TreeDocument {
  const tree = parseTree(text, budget);
  makeAbsolute(tree, base);
  return tree;
}

/** The search for main content takes the tree apart: one is made anew for who needs it behind. */
function mainOf(page: Page): NonNullable<Page['main']> {
  if (page.main !== undefined) return page.main;
  const tree = treeOf(page);
  page.tree = null;
  const content = mainContent(tree, () => newTree(page));
  page.main = { content, body: content === null ? treeOf(page).body : null };
  return page.main;
}

/** The page for rules: our tree, and jsdom's for the selectors that ours leaves out. */
async function pickableFor(page: Page, extractions: readonly Extraction[]): Promise<Pickable> {
  const isOurs = ({ language, expression }: Extraction) => language === 'xpath' || canSelect(expression);
  const tree = treeOf(page);
  const full = extractions.every(isOurs) ? null : (await import('./jsdom-page.js')).jsdomPage(page.text, page.base);
  return {
    css: (selector) => (canSelect(selector) ? select(tree, selector) : full!.querySelectorAll(selector)),
    xpath: (expression) => pickByXPath(tree, expression),
  };
}
