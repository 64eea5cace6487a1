/**
 * Nodes of a page's tree: the part of the DOM that main content, Markdown, selectors and XPath use (Readability and
 * Turndown too), without events, computed styles and live collections. Siblings are linked, so removing a node takes
 * constant time; nothing here is recursive, so elements may be nested to any depth.
 */
import type { TreeDocument } from './document.js';
import type { TreeElement } from './element.js';
import { NODE_STEPS } from './page-budget.js';

export const ELEMENT = 1;
export const TEXT = 3;
export const COMMENT = 8;
export const DOCUMENT = 9;
export const DOCTYPE = 10;
export const FRAGMENT = 11;

/**
 * Number of changes of all trees: the cached text of a node is valid until the next one. Not one number for each tree: a node
 * may be moved to another tree, and its text is then part of that one's.
 */
let changes = 0;
export const changesOfTrees = (): number => changes;

const NONE: readonly never[] = [];

export abstract class TreeNode {
  parentNode: TreeNode | null = null;
  previousSibling: TreeNode | null = null;
  nextSibling: TreeNode | null = null;
  firstChild: TreeNode | null = null;
  lastChild: TreeNode | null = null;
  constructor(
    readonly ownerDocument: TreeDocument | null,
    readonly nodeType: number,
    readonly nodeName: string,
  ) {
    ownerDocument?.budget?.spend(NODE_STEPS);
  }

  get childNodes(): readonly TreeNode[] {
    return NONE;
  }

  get children(): readonly TreeElement[] {
    return NONE;
  }

  get parentElement(): TreeElement | null {
    return this.parentNode?.nodeType === ELEMENT ? (this.parentNode as TreeElement) : null;
  }

  get firstElementChild(): TreeElement | null {
    return elementFrom(this.firstChild);
  }

  get lastElementChild(): TreeElement | null {
    let node = this.lastChild;
    while (node !== null && node.nodeType !== ELEMENT) node = node.previousSibling;
    return node as TreeElement | null;
  }

  get nextElementSibling(): TreeElement | null {
    return elementFrom(this.nextSibling);
  }

  get previousElementSibling(): TreeElement | null {
    let node = this.previousSibling;
    while (node !== null && node.nodeType !== ELEMENT) node = node.previousSibling;
    return node as TreeElement | null;
  }

  get nodeValue(): string | null {
    return null;
  }

  /** The text of the node's content, without comments. */
  abstract get textContent(): string;

  abstract set textContent(text: string);

  appendChild<T extends TreeNode>(node: T): T {
    return this.insertBefore(node, null);
  }

  /** Inserts a node, or the content of a fragment, before a child, or at the end. */
  insertBefore<T extends TreeNode>(node: T, before: TreeNode | null): T {
    if (node.nodeType === FRAGMENT) {
      while (node.firstChild !== null) this.insertBefore(node.firstChild, before);
      return node;
    }
    if (node === before) return node;
    node.remove();
    const previous = before === null ? this.lastChild : before.previousSibling;
    node.parentNode = this;
    node.previousSibling = previous;
    node.nextSibling = before;
    if (previous === null) this.firstChild = node;
    else previous.nextSibling = node;
    if (before === null) this.lastChild = node;
    else before.previousSibling = node;
    this.changed();
    return node;
  }

  removeChild<T extends TreeNode>(node: T): T {
    node.remove();
    return node;
  }

  replaceChild<T extends TreeNode>(node: TreeNode, old: T): T {
    if (node === old) return old;
    const before = old.nextSibling;
    old.remove();
    this.insertBefore(node, before);
    return old;
  }

  remove(): void {
    const { parentNode: parent, previousSibling: previous, nextSibling: next } = this;
    if (parent === null) return;
    if (previous === null) parent.firstChild = next;
    else previous.nextSibling = next;
    if (next === null) parent.lastChild = previous;
    else next.previousSibling = previous;
    this.parentNode = this.previousSibling = this.nextSibling = null;
    parent.changed();
  }

  /** A copy without a parent; `deep`: with its content. */
  cloneNode(deep = false): this {
    const copy = this.copy() as this;
    if (deep) copyNodes(this, copy);
    return copy;
  }

  /** The node alone. */
  abstract copy(): TreeNode;

  /** Called after children were inserted or removed, or text changed. */
  protected changed(): void {
    changes++;
  }

  protected textChanged(): void {
    this.parentNode?.changed();
  }
}

/** The next node in document order in the tree of `root`; null after the last. */
export function following(node: TreeNode, root: TreeNode): TreeNode | null {
  if (node.firstChild !== null) return node.firstChild;
  let at: TreeNode | null = node;
  while (at !== null && at !== root) {
    if (at.nextSibling !== null) return at.nextSibling;
    at = at.parentNode;
  }
  return null;
}

/** The elements in a node for which a test is true, in document order, at most `max`. */
export function elementsIn(
  root: TreeNode,
  test: (element: TreeElement) => boolean,
  max: number = Infinity,
): TreeElement[] {
  const elements: TreeElement[] = [];
  let visited = 0;
  let node = root.firstChild;
  // The loop of `following`, inlined: most of the time of a page is spent here.
  while (node !== null) {
    visited++;
    if (node.nodeType === ELEMENT) {
      if (test(node as TreeElement) && elements.push(node as TreeElement) >= max) break;
      if (node.firstChild !== null) {
        node = node.firstChild;
        continue;
      }
    }
    while (node !== root && node.nextSibling === null) node = node.parentNode!;
    node = node === root ? null : node.nextSibling;
  }
  budgetOf(root)?.spend(visited);
  return elements;
}

/** Calls a function with each element in a node, in document order. It does not change the tree. */
export function forEachElement(root: TreeNode, visit: (element: TreeElement) => void): void {
  elementsIn(root, (element) => {
    visit(element);
    return false;
  });
}

const budgetOf = (node: TreeNode) => (node.ownerDocument ?? (node as TreeDocument)).budget;

/** Copies the content of a node into a copy of the node. */
function copyNodes(root: TreeNode, copy: TreeNode): void {
  let from = root;
  let to = copy;
  for (;;) {
    if (from.firstChild !== null) {
      from = from.firstChild;
      to = to.appendChild(from.copy());
      continue;
    }
    while (from !== root && from.nextSibling === null) {
      from = from.parentNode!;
      to = to.parentNode!;
    }
    if (from === root) return;
    from = from.nextSibling!;
    to = to.parentNode!.appendChild(from.copy());
  }
}

function elementFrom(from: TreeNode | null): TreeElement | null {
  let node = from;
  while (node !== null && node.nodeType !== ELEMENT) node = node.nextSibling;
  return node as TreeElement | null;
}

abstract class CharacterNode extends TreeNode {
  private characters: string;

  constructor(document: TreeDocument | null, nodeType: number, nodeName: string, data: string) {
    super(document, nodeType, nodeName);
    this.characters = data;
  }

  get data(): string {
    return this.characters;
  }

  set data(data: string) {
    this.characters = data;
    this.textChanged();
  }

  override get nodeValue(): string {
    return this.characters;
  }

  override get textContent(): string {
    return this.characters;
  }

  override set textContent(text: string) {
    this.data = text;
  }
}

export class TextNode extends CharacterNode {
  constructor(document: TreeDocument | null, data: string) {
    super(document, TEXT, '#text', data);
  }

  override copy(): TextNode {
    return new TextNode(this.ownerDocument, this.data);
  }
}

export class CommentNode extends CharacterNode {
  constructor(document: TreeDocument | null, data: string) {
    super(document, COMMENT, '#comment', data);
  }

  override copy(): CommentNode {
    return new CommentNode(this.ownerDocument, this.data);
  }
}

export class DoctypeNode extends TreeNode {
  constructor(
    document: TreeDocument | null,
    readonly name: string,
    readonly publicId: string,
    readonly systemId: string,
  ) {
    super(document, DOCTYPE, name);
  }

  override get textContent(): string {
    return '';
  }

  override set textContent(_: string) {}

  override copy(): DoctypeNode {
    return new DoctypeNode(this.ownerDocument, this.name, this.publicId, this.systemId);
  }
}
