/** Removes elements from the content that do not belong to it. */
import { contentsOf } from '../tree/contents.js';
import type { TreeElement } from '../tree/element.js';
import { TEXT } from '../tree/node.js';
import { saysShare, classWeight } from './class-names.js';
import { looksLikeNone, VIDEO } from './conditional.js';
import { dataTables } from './table-kinds.js';
import {
  arePhrases,
  firstThatCounts,
  elementAfter,
  nextElement,
  onlyChild,
  removeAll,
  removeAndGoOn,
  renamed,
} from './elements.js';
import { fixLazyImage } from './lazy-images.js';

/** The steps of an attempt to find content; each attempt omits one more. */
export interface AttemptSteps {
  readonly stripsUnlikely: boolean;
  readonly weighsClasses: boolean;
  readonly cleansConditionally: boolean;
}

/** Elements for sharing are removed if they have less text. */
const MIN_SHARE = 500;

/** @returns whether elements were removed by their classes and content */
export function clean(content: TreeElement, { weighsClasses, cleansConditionally }: AttemptSteps): boolean {
  const named = cleanStyles(content);
  // Elements are only removed and renamed below, so the lists stay complete.
  const elementsNamed = (...names: string[]) =>
    names.flatMap((name) => (named.get(name) ?? []).filter((element) => isIn(content, element)));
  const rules = { dataTables: dataTables(elementsNamed('table')), weighsClasses };
  let isCleaned = false;
  const cleanSome = (name: string) => {
    if (cleansConditionally && removeAll(elementsNamed(name), (element) => looksLikeNone(element, rules)))
      isCleaned = true;
  };

  for (const element of elementsNamed('img', 'picture', 'figure')) fixLazyImage(element);
  cleanSome('form');
  cleanSome('fieldset');
  removeAll(elementsNamed('object'), hasNoVideo);
  removeAll(elementsNamed('embed'), hasNoVideo);
  removeAll(elementsNamed('footer', 'link', 'aside'));
  for (const child of content.children) removeShares(child);
  removeAll(elementsNamed('iframe'), hasNoVideo);
  removeAll(elementsNamed('input', 'textarea', 'select', 'button'));
  if (weighsClasses) removeAll(elementsNamed('h1', 'h2'), (heading) => classWeight(heading) < 0);
  for (const name of ['table', 'ul', 'div']) cleanSome(name);
  for (const heading of elementsNamed('h1')) renamed(heading, 'h2');
  removeAll(elementsNamed('p'), isEmptyParagraph);
  for (const line of elementsNamed('br')) if (firstThatCounts(line.nextSibling)?.nodeName === 'P') line.remove();
  for (const table of elementsNamed('table')) unwrapCell(table);
  for (const link of elementsNamed('a')) if (link.getAttribute('href')?.startsWith('javascript:')) unlink(link);
  return isCleaned;
}

/** Whether an element is still in the content. */
function isIn(content: TreeElement, element: TreeElement): boolean {
  let steps = 0;
  let above = element.parentNode;
  while (above !== null && above !== content) {
    above = above.parentNode;
    steps++;
  }
  content.ownerDocument?.budget?.spend(steps);
  return above === content;
}

/** Replaces a link that would run a script by its content. */
function unlink(link: TreeElement): void {
  const document = link.ownerDocument!;
  const isText = link.firstChild !== null && link.firstChild === link.lastChild && link.firstChild.nodeType === TEXT;
  const plain = isText ? document.createTextNode(link.textContent) : document.createElement('span');
  if (!isText) while (link.firstChild !== null) plain.appendChild(link.firstChild);
  link.parentNode!.replaceChild(plain, link);
}

const PRESENTATION = new Set(
  'align background bgcolor border cellpadding cellspacing frame hspace rules style valign vspace'.split(' '),
);
const SIZED = new Set('TABLE TH TD HR PRE'.split(' '));

/** Removes presentational attributes. @returns all elements in the content, by name */
function cleanStyles(content: TreeElement): ReadonlyMap<string, readonly TreeElement[]> {
  const named = new Map<string, TreeElement[]>();
  let drawingEnd: TreeElement | null = null;
  let isInDrawing = false;
  for (let element: TreeElement | null = content; element !== null; element = nextElement(element)) {
    const others = named.get(element.localName);
    if (others !== undefined) others.push(element);
    else if (element !== content) named.set(element.localName, [element]);
    if (element === drawingEnd) isInDrawing = false;
    if (!isInDrawing && element.localName === 'svg') {
      isInDrawing = true;
      drawingEnd = elementAfter(element);
    }
    if (!isInDrawing && element.attributes.length > 0) cleanAttributes(element);
  }
  return named;
}

function cleanAttributes(element: TreeElement): void {
  const { attributes } = element;
  for (const { name } of attributes) {
    if (!isPresentation(element, name)) continue;
    element.attributes = attributes.filter((attribute) => !isPresentation(element, attribute.name));
    return;
  }
}

const isPresentation = (element: TreeElement, name: string): boolean =>
  PRESENTATION.has(name) || ((name === 'width' || name === 'height') && SIZED.has(element.tagName));

const hasNoVideo = ({ attributes }: TreeElement): boolean => !attributes.some(({ value }) => VIDEO.test(value));

function removeShares(top: TreeElement): void {
  const end = elementAfter(top);
  let element = nextElement(top);
  while (element !== null && element !== end) {
    const goes = element.attributes.length > 0 && saysShare(element) && element.textContent.length < MIN_SHARE;
    element = goes ? removeAndGoOn(element) : nextElement(element);
  }
}

function isEmptyParagraph(paragraph: TreeElement): boolean {
  const { kinds, length } = contentsOf(paragraph);
  return kinds.images === 0 && kinds.embedded === 0 && length === 0;
}

/** Replaces a table of a single cell by the content of the cell. */
function unwrapCell(table: TreeElement): void {
  const body = onlyChild(table, 'TBODY') ?? table;
  const row = onlyChild(body, 'TR');
  const cell = row === null ? null : onlyChild(row, 'TD');
  if (cell === null) return;
  table.parentNode!.replaceChild(renamed(cell, arePhrases(cell) ? 'p' : 'div'), table);
}
