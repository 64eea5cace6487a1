/**
 * The content of an element as a tree of elements and texts, without comments. White space is collapsed across element
 * boundaries as browsers do, except in preformatted text. The DOM tree is not changed.
 */
import type { TreeElement } from '../tree/element.js';
import { ELEMENT, elementsIn, TEXT, type TextNode } from '../tree/node.js';

const BLOCKS = new Set(
  (
    'ADDRESS ARTICLE ASIDE AUDIO BLOCKQUOTE BODY CANVAS CENTER DD DIR DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM ' +
    'FRAMESET H1 H2 H3 H4 H5 H6 HEADER HGROUP HR HTML ISINDEX LI MAIN MENU NAV NOFRAMES NOSCRIPT OL OUTPUT P PRE SECTION ' +
    'TABLE TBODY TD TFOOT TH THEAD TR UL'
  ).split(' '),
);
const VOID = new Set('AREA BASE BR COL COMMAND EMBED HR IMG INPUT KEYGEN LINK META PARAM SOURCE TRACK WBR'.split(' '));
/** Elements that are not blank even without text. */
const MEANINGFUL = new Set([...VOID, ...'A TABLE THEAD TBODY TFOOT TH TD IFRAME SCRIPT AUDIO VIDEO'.split(' ')]);

export interface ContentText {
  readonly element: null;
  text: string;
}

export interface ContentElement {
  readonly element: TreeElement;
  /** In upper case for HTML elements. */
  readonly name: string;
  readonly isBlock: boolean;
  /** In the order of the page. */
  children: ContentNode[];
  /** The number of list items among its children. */
  items: number;
  /** The number of list items before it in its parent. */
  index: number;
  /** Of a numbered list: what the `value` of an item has added to the numbers of those that follow; of an item: to its own. */
  shift: number;
  /** Whether it has neither text nor a meaningful element. */
  isBlank: boolean;
}

export type ContentNode = ContentText | ContentElement;

/** The element with its content. */
export function contentOfElement(root: TreeElement): ContentElement {
  const collapser = new Collapser();
  const whole = collapser.read(root);
  collapser.end();
  return whole;
}

/** The number in an attribute, if Markdown can begin an item with it: it has neither negative ones nor longer ones. */
function numberIn(element: TreeElement, attribute: string): number | null {
  const digits = /^\s*\+?(\d{1,9})(?!\d)/.exec(element.getAttribute(attribute) ?? '')?.[1];
  return digits === undefined ? null : Number(digits);
}

const startOf = (list: TreeElement): number => numberIn(list, 'start') ?? 1;

/** The number of an item of a numbered list. */
export const numberOf = (item: ContentElement, list: ContentElement): number =>
  startOf(list.element) + item.index + item.shift;

const NONE: ContentNode[] = [];

/** Most elements have one child: V8 reserves more memory for an array that grows from empty. */
function append(parent: ContentElement, child: ContentNode): void {
  if (parent.children.length === 0) parent.children = [child];
  else parent.children.push(child);
}

class Collapser {
  /** The last text of this line; null where there is none, or the next text keeps its white space. */
  private previous: ContentText | null = null;
  /** White space after an image is kept. */
  private keepsSpace = false;
  private last: ContentText | null = null;
  private lastParent: ContentElement | null = null;

  read(element: TreeElement): ContentElement {
    const name = element.nodeName;
    const isBlank = !MEANINGFUL.has(name);
    const child: ContentElement = {
      element,
      name,
      isBlock: BLOCKS.has(name),
      children: NONE,
      items: 0,
      index: 0,
      shift: 0,
      isBlank,
    };
    if (name === 'PRE') {
      readPreformatted(child);
      return child;
    }
    for (let node = element.firstChild; node !== null; node = node.nextSibling) {
      if (node.nodeType === TEXT) this.addText(child, (node as TextNode).data);
      else if (node.nodeType === ELEMENT) this.addElement(child, node as TreeElement);
    }
    return child;
  }

  /** Removes the white space at the end of the last text. */
  end(): void {
    if (this.previous === null) return;
    this.endLine();
    if (this.last!.text === '')
      this.lastParent!.children = this.lastParent!.children.filter((child) => child !== this.last);
  }

  private addElement(parent: ContentElement, element: TreeElement): void {
    this.meet(element.nodeName);
    const child = this.read(element);
    if (child.name !== 'PRE') this.meet(child.name);
    child.index = parent.items;
    if (child.name === 'LI') {
      const value = parent.name === 'OL' ? numberIn(element, 'value') : null;
      if (value !== null) parent.shift = value - startOf(parent.element) - child.index;
      child.shift = parent.shift;
      parent.items++;
    }
    append(parent, child);
    if (!child.isBlank) parent.isBlank = false;
  }

  private addText(parent: ContentElement, data: string): void {
    let text = data.replaceAll(/[\t\n\r ]{2,}|[\t\n\r]/g, ' ');
    const isAfterSpace = this.previous === null || this.previous.text.endsWith(' ');
    if (isAfterSpace && !this.keepsSpace && text.startsWith(' ')) text = text.slice(1);
    if (text === '') return;
    const child = { element: null, text };
    this.previous = child;
    this.last = child;
    this.lastParent = parent;
    append(parent, child);
    if (parent.isBlank && text.trim() !== '') parent.isBlank = false;
  }

  /** Called where an element begins or ends. */
  private meet(name: string): void {
    if (BLOCKS.has(name) || name === 'BR') {
      this.endLine();
      this.previous = null;
      this.keepsSpace = false;
    } else if (VOID.has(name)) {
      this.previous = null;
      this.keepsSpace = true;
    } else if (this.previous !== null) this.keepsSpace = false;
  }

  private endLine(): void {
    if (this.previous?.text.endsWith(' ')) this.previous.text = this.previous.text.slice(0, -1);
  }
}

/** The content as one text, unchanged. */
function readPreformatted(child: ContentElement): void {
  const text = child.element.textContent;
  append(child, { element: null, text });
  child.isBlank =
    text.trim() === '' && elementsIn(child.element, ({ nodeName }) => MEANINGFUL.has(nodeName), 1).length === 0;
}

/** Preformatted content as text, with a line break where an element breaks the line: many pages write a line as an element. */
export function preformatted(element: TreeElement): string {
  const pieces: string[] = [];
  let isLineStart = true;
  const add = (text: string): void => {
    if (text === '') return;
    pieces.push(text);
    isLineStart = text.endsWith('\n');
  };
  const read = (from: TreeElement): void => {
    for (let node = from.firstChild; node !== null; node = node.nextSibling) {
      if (node.nodeType === TEXT) add((node as TextNode).data);
      else if (node.nodeName === 'BR') add('\n');
      else if (node.nodeType === ELEMENT) {
        const isBlock = BLOCKS.has(node.nodeName);
        if (isBlock && !isLineStart) add('\n');
        read(node as TreeElement);
        if (isBlock && !isLineStart) add('\n');
      }
    }
  };
  read(element);
  return pieces.join('');
}
