/** The walk through a page that takes out what nobody reads, makes paragraphs, and notes what may be content. */
import { contentsOf } from '../tree/contents.js';
import type { TreeDocument } from '../tree/document.js';
import type { TreeElement } from '../tree/element.js';
import type { TreeNode } from '../tree/node.js';
import { isUnlikely, saysByline } from './class-names.js';
import {
  hasNoText,
  isHollow,
  isPhrase,
  isSpace,
  nextElement,
  onlyChild,
  removeAndGoOn,
  renamed,
  standsIn,
  trimEnd,
} from './elements.js';

/** What is known of a page from one attempt to the next. */
export interface Page {
  /** Has an author been found? The first one that stands in the page is taken out. */
  hasByline: boolean;
  readonly saysTitle: (heading: string) => boolean;
}

const SCORED = new Set('SECTION H2 H3 H4 H5 H6 P TD PRE'.split(' '));
const GO_WHEN_HOLLOW = new Set('DIV SECTION HEADER H1 H2 H3 H4 H5 H6'.split(' '));
const UNLIKELY_ROLES = new Set('menu menubar complementary navigation alert alertdialog dialog'.split(' '));
const BLOCKS = new Set('BLOCKQUOTE DL DIV IMG OL P PRE TABLE UL'.split(' '));

/** @returns the elements whose text is scored, in document order */
export function findParagraphs(document: TreeDocument, page: Page, stripsUnlikely: boolean): TreeElement[] {
  const found: TreeElement[] = [];
  let mayGoAsTitle = true;
  let element = document.documentElement;
  while (element !== null) {
    const saysTitle = mayGoAsTitle && isTitle(element, page);
    // Hidden and unlikely ones are asked for first, as a title that is one of them leaves the next one to stand.
    const goes = element.attributes.length > 0 && isUnread(element, page);
    if (!goes && saysTitle) mayGoAsTitle = false;
    if (goes || saysTitle || (stripsUnlikely && isUnlikelyContent(element)) || isHollowBlock(element)) {
      element = removeAndGoOn(element);
      continue;
    }
    if (SCORED.has(element.tagName)) found.push(element);
    if (element.tagName === 'DIV') element = paragraphOf(element, found);
    element = nextElement(element);
  }
  return found;
}

function isTitle(element: TreeElement, { saysTitle }: Page): boolean {
  return (element.tagName === 'H1' || element.tagName === 'H2') && saysTitle(element.textContent.trim());
}

/** Hidden, a dialog over the page, or its author. */
function isUnread(element: TreeElement, page: Page): boolean {
  if (isHidden(element)) return true;
  if (element.getAttribute('aria-modal') === 'true' && element.getAttribute('role') === 'dialog') return true;
  if (page.hasByline || !isByline(element)) return false;
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

function isByline(element: TreeElement): boolean {
  const isMarked =
    element.getAttribute('rel') === 'author' ||
    element.getAttribute('itemprop')?.includes('author') ||
    saysByline(element);
  if (!isMarked || hasNoText(element)) return false;
  return element.textContent.trim().length < 100;
}

function bylineOf(element: TreeElement): string {
  const isName = (one: TreeElement) => one.getAttribute('itemprop')?.includes('name') ?? false;
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

/** Makes a paragraph of a division that is one, and of the phrases in every other. @returns where the walk goes on from */
function paragraphOf(division: TreeElement, found: TreeElement[]): TreeElement {
  wrapPhrases(division);
  const only = onlyChild(division, 'P');
  if (only !== null && contentsOf(division).linkDensity < 0.25) {
    division.parentNode!.replaceChild(only, division);
    found.push(only);
    return only;
  }
  if (hasBlock(division)) return division;
  const paragraph = renamed(division, 'p');
  found.push(paragraph);
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
    else if (!isSpace(node)) {
      paragraph = division.ownerDocument!.createElement('p');
      division.replaceChild(paragraph, node);
      paragraph.appendChild(node);
    }
  }
}

function hasBlock(root: TreeElement): boolean {
  let element = root.firstElementChild;
  const end = element === null ? null : nextElement(root, true);
  while (element !== null && element !== end) {
    if (BLOCKS.has(element.tagName)) return true;
    element = nextElement(element);
  }
  return false;
}
