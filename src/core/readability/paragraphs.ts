/** Traverses a page, removes invisible and unlikely elements, creates paragraphs, and collects possible content. */
import { contentsOf } from '../tree/contents.js';
import type { TreeDocument } from '../tree/document.js';
import type { TreeElement } from '../tree/element.js';
import type { TreeNode } from '../tree/node.js';
import { isUnlikely, saysByline } from './class-names.js';
import {
  hasNoText,
  isHollow,
  isPhrase,
  isBlankNode,
  elementAfter,
  nextElement,
  onlyChild,
  removeAndGoOn,
  renamed,
  standsIn,
  trimEnd,
} from './elements.js';

/** State of a page across attempts. */
export interface SearchedPage {
  /** Whether an author has been found; the first byline of the page is removed. */
  hasByline: boolean;
  readonly saysTitle: (heading: string) => boolean;
}

const SCORED = new Set('SECTION H2 H3 H4 H5 H6 P TD PRE'.split(' '));
const GO_WHEN_HOLLOW = new Set('DIV SECTION HEADER H1 H2 H3 H4 H5 H6'.split(' '));
const UNLIKELY_ROLES = new Set('menu menubar complementary navigation alert alertdialog dialog'.split(' '));
const BLOCKS = new Set('BLOCKQUOTE DL DIV IMG OL P PRE TABLE UL'.split(' '));

/** @returns the elements whose text is scored, in document order */
export function findParagraphs(document: TreeDocument, page: SearchedPage, stripsUnlikely: boolean): TreeElement[] {
  const paragraphs: TreeElement[] = [];
  let mayGoAsTitle = true;
  let element = document.documentElement;
  while (element !== null) {
    const saysTitle = mayGoAsTitle && isTitle(element, page);
    // Hidden elements are tested first: if the title is one of them, the next title is removed too.
    const goes = element.attributes.length > 0 && isUnread(element, page);
    if (!goes && saysTitle) mayGoAsTitle = false;
    if (goes || saysTitle || (stripsUnlikely && isUnlikelyContent(element)) || isHollowBlock(element)) {
      element = removeAndGoOn(element);
      continue;
    }
    if (SCORED.has(element.tagName)) paragraphs.push(element);
    if (element.tagName === 'DIV') element = paragraphOf(element, paragraphs);
    element = nextElement(element);
  }
  return paragraphs;
}

function isTitle(element: TreeElement, { saysTitle }: SearchedPage): boolean {
  return (element.tagName === 'H1' || element.tagName === 'H2') && saysTitle(element.textContent.trim());
}

const HIDES = 1;
const NAMES_BYLINE = 2;
/** Effects that attributes can have, as bits: most elements have none of these, so nothing else is tested. */
const EFFECTS = new Map([
  ...['hidden', 'style', 'aria-hidden', 'aria-modal'].map((name) => [name, HIDES] as const),
  ...['rel', 'itemprop', 'class', 'id'].map((name) => [name, NAMES_BYLINE] as const),
]);

/** Whether it is hidden, a modal dialog, or the byline. */
function isUnread(element: TreeElement, page: SearchedPage): boolean {
  let effects = 0;
  for (const { name } of element.attributes) effects |= EFFECTS.get(name) ?? 0;
  if (effects & HIDES && (isHidden(element) || isModalDialog(element))) return true;
  if (page.hasByline || !(effects & NAMES_BYLINE) || !isByline(element)) return false;
  page.hasByline = bylineOf(element) !== '';
  return true;
}

function isHidden(element: TreeElement): boolean {
  if (element.hasAttribute('hidden')) return true;
  if (element.hasAttribute('style')) {
    const { style } = element;
    if (style.display === 'none' || style.visibility === 'hidden') return true;
  }
  return element.getAttribute('aria-hidden') === 'true' && !element.className.includes('fallback-image');
}

const isModalDialog = (element: TreeElement): boolean =>
  element.getAttribute('aria-modal') === 'true' && element.getAttribute('role') === 'dialog';

function isByline(element: TreeElement): boolean {
  const isNamed =
    element.getAttribute('rel') === 'author' ||
    element.getAttribute('itemprop')?.includes('author') ||
    saysByline(element);
  if (!isNamed || hasNoText(element)) return false;
  return element.textContent.trim().length < 100;
}

function bylineOf(element: TreeElement): string {
  const isName = (descendant: TreeElement) => descendant.getAttribute('itemprop')?.includes('name') ?? false;
  const name = element.getElementsByTagName('*').find(isName);
  return (name ?? element).textContent.trim();
}

function isUnlikelyContent(element: TreeElement): boolean {
  if (element.attributes.length === 0) return false;
  const { tagName } = element;
  if (tagName !== 'BODY' && tagName !== 'A' && isUnlikely(element))
    if (!standsIn(element, 'TABLE') && !standsIn(element, 'CODE')) return true;
  return UNLIKELY_ROLES.has(element.getAttribute('role') ?? '');
}

const isHollowBlock = (element: TreeElement): boolean => GO_WHEN_HOLLOW.has(element.tagName) && isHollow(element);

/** Turns a division into a paragraph, or wraps phrasing content in it. @returns the element from which to continue */
function paragraphOf(division: TreeElement, paragraphs: TreeElement[]): TreeElement {
  wrapPhrases(division);
  const only = onlyChild(division, 'P');
  if (only !== null && contentsOf(division).linkDensity < 0.25) {
    division.parentNode!.replaceChild(only, division);
    paragraphs.push(only);
    return only;
  }
  if (hasBlock(division)) return division;
  const paragraph = renamed(division, 'p');
  paragraphs.push(paragraph);
  return paragraph;
}

function wrapPhrases(division: TreeElement): void {
  let paragraph: TreeElement | null = null;
  let next: TreeNode | null = null;
  for (let node = division.firstChild; node !== null; node = next) {
    next = node.nextSibling;
    if (!isPhrase(node)) {
      if (paragraph !== null) trimEnd(paragraph);
      paragraph = null;
    } else if (paragraph !== null) paragraph.appendChild(node);
    else if (!isBlankNode(node)) {
      paragraph = division.ownerDocument!.createElement('p');
      division.replaceChild(paragraph, node);
      paragraph.appendChild(node);
    }
  }
}

function hasBlock(root: TreeElement): boolean {
  let element = root.firstElementChild;
  const end = element === null ? null : elementAfter(root);
  while (element !== null && element !== end) {
    if (BLOCKS.has(element.tagName)) return true;
    element = nextElement(element);
  }
  return false;
}
