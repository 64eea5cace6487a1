/** Helpers on elements and nodes for the search for main content. */
import type { TreeElement } from '../tree/element.js';
import { ELEMENT, TEXT, type TextNode, type TreeNode } from '../tree/node.js';

/** The next element in document order: the first one inside the element, else the one after it. */
export const nextElement = (element: TreeElement): TreeElement | null =>
  element.firstElementChild ?? elementAfter(element);

/** The next element in document order after the element and its content. */
export function elementAfter(element: TreeElement): TreeElement | null {
  for (let at: TreeNode | null = element; at !== null; at = at.parentNode) {
    const sibling = at.nextElementSibling;
    if (sibling !== null) return sibling;
  }
  return null;
}

/** Removes an element. @returns the next one in document order */
export function removeAndGoOn(element: TreeElement): TreeElement | null {
  const next = elementAfter(element);
  element.remove();
  return next;
}

/**
 * Removes the elements for which a test is true, in reverse order: it sees the elements before them unchanged.
 * @returns whether there are any
 */
export function removeAll(
  elements: readonly TreeElement[],
  test: (element: TreeElement) => boolean = () => true,
): boolean {
  let isAny = false;
  for (const element of elements.toReversed()) {
    if (element.parentNode === null || !test(element)) continue;
    element.remove();
    isAny = true;
  }
  return isAny;
}

/** Replaces an element by one of another name, with its children and attributes. */
export function renamed(element: TreeElement, name: string): TreeElement {
  const replacement = element.ownerDocument!.createElement(name);
  while (element.firstChild !== null) replacement.appendChild(element.firstChild);
  element.parentNode!.replaceChild(replacement, element);
  replacement.takeAttributes(element);
  return replacement;
}

/** Whether a node contains no text except white space. */
export function hasNoText(root: TreeNode): boolean {
  let read = 0;
  let node = root.firstChild;
  while (node !== null) {
    read += node.nodeType === TEXT ? (node as TextNode).data.length : 1;
    if (node.nodeType === TEXT && (node as TextNode).data.trim() !== '') break;
    if (node.firstChild !== null) {
      node = node.firstChild;
      continue;
    }
    while (node !== root && node!.nextSibling === null) node = node!.parentNode;
    node = node === root ? null : node!.nextSibling;
  }
  root.ownerDocument?.budget?.spend(read);
  return node === null;
}

export const isBreak = (node: TreeNode): boolean => node.nodeName === 'BR' && node.nodeType === ELEMENT;

/** White space, or a line break. */
export const isBlankNode = (node: TreeNode): boolean =>
  node.nodeType === TEXT ? (node as TextNode).data.trim() === '' : isBreak(node);

/** This node, or the next sibling that is an element or has text. */
export function firstThatCounts(from: TreeNode | null): TreeNode | null {
  let node = from;
  while (node !== null && node.nodeType !== ELEMENT && node.textContent.trim() === '') node = node.nextSibling;
  return node;
}

/** Removes white space and line breaks from the end of an element. */
export function trimEnd(element: TreeElement): void {
  while (element.lastChild !== null && isBlankNode(element.lastChild)) element.lastChild.remove();
}

/** The only child element, if it has that name and no text beside it ends in a non-white-space character. */
export function onlyChild(element: TreeElement, name: string): TreeElement | null {
  const child = element.firstElementChild;
  if (child === null || child.tagName !== name || child.nextElementSibling !== null) return null;
  for (let node = element.firstChild; node !== null; node = node.nextSibling)
    if (node.nodeType === TEXT && /\S$/.test((node as TextNode).data)) return null;
  return child;
}

/** Whether an element has neither text nor elements, except line breaks and rules. */
export function isHollow(element: TreeElement): boolean {
  if (!hasNoText(element)) return false;
  const { length } = element.children;
  if (length === 0) return true;
  return length === element.getElementsByTagName('br').length + element.getElementsByTagName('hr').length;
}

const PHRASES = new Set(
  (
    'ABBR AUDIO B BDO BR BUTTON CITE CODE DATA DATALIST DFN EM EMBED I IMG INPUT KBD LABEL MARK MATH METER NOSCRIPT OBJECT ' +
    'OUTPUT PROGRESS Q RUBY SAMP SCRIPT SELECT SMALL SPAN STRONG SUB SUP TEXTAREA TIME VAR WBR'
  ).split(' '),
);
/** These are phrasing content if all of their content is. */
const LIKE_CONTENT = new Set(['A', 'DEL', 'INS']);

/** Whether a node is phrasing content: allowed in a paragraph. */
export function isPhrase(node: TreeNode): boolean {
  if (node.nodeType === TEXT || PHRASES.has(node.nodeName)) return true;
  return LIKE_CONTENT.has(node.nodeName) && arePhrases(node);
}

export function arePhrases(parent: TreeNode): boolean {
  for (let node = parent.firstChild; node !== null; node = node.nextSibling) if (!isPhrase(node)) return false;
  return true;
}

/** Whether one of the `max` nearest ancestors has a name and passes a test. */
export function standsIn(
  element: TreeElement,
  name: string,
  max: number = 4,
  isSuch: (element: TreeElement) => boolean = () => true,
): boolean {
  let above = element.parentNode;
  for (let n = 0; n < max && above !== null; n++, above = above.parentNode)
    if (above.nodeName === name && isSuch(above as TreeElement)) return true;
  return false;
}
