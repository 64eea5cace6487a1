/**
 * Nodes of a page's tree: as much of the DOM as main content, Markdown, selectors and XPath ask for (Readability and Turndown, too), and nothing that lives
 * (no events, no styles, no collections that follow the tree). Siblings are linked, so that taking a node out costs the
 * same wherever it stands; nothing here calls itself, so that elements may be nested as deeply as a page likes.
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

/** Changes of all trees: what a node remembers of its text holds until the next one. */
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

  /** The text of all that is in the node, comments apart. */
  abstract get textContent(): string;

  abstract set textContent(text: string);

  appendChild<T extends TreeNode>(node: T): T {
    return this.insertBefore(node, null);
  }

  /** Puts a node, or what is in a fragment, before a child, or behind the last. */
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
    const before = old.nextSibling === node ? node.nextSibling : old.nextSibling;
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

  /** A copy that stands in no tree; `deep`: with all that is in it. */
  cloneNode(deep = false): this {
    const copy = this.copy() as this;
    if (deep) copyNodes(this, copy);
    return copy;
  }

  /** The node alone. */
  abstract copy(): TreeNode;

  /** Notes that children came or went, or text changed. */
  protected changed(): void {
    changes++;
  }

  protected textChanged(): void {
    changes++;
    this.parentNode?.changed();
  }
}

/** The next node in document order in the tree of `root`; null behind the last. */
export function following(node: TreeNode, root: TreeNode): TreeNode | null {
  if (node.firstChild !== null) return node.firstChild;
  let at: TreeNode | null = node;
  while (at !== null && at !== root) {
    if (at.nextSibling !== null) return at.nextSibling;
    at = at.parentNode;
  }
  return null;
}

/** The elements in a node, in document order, that a test takes: as many as `max`. */
export function elementsIn(
  root: TreeNode,
  test: (element: TreeElement) => boolean,
  max: number = Infinity,
): TreeElement[] {
  const found: TreeElement[] = [];
  let visited = 0;
  let node = root.firstChild;
  // What `following` does, written out: it is what most time of a page goes into.
  while (node !== null) {
    visited++;
    if (node.nodeType === ELEMENT) {
      if (test(node as TreeElement) && found.push(node as TreeElement) >= max) break;
      if (node.firstChild !== null) {
        node = node.firstChild;
        continue;
      }
    }
    while (node !== root && node.nextSibling === null) node = node.parentNode!;
    node = node === root ? null : node.nextSibling;
  }
  budgetOf(root)?.spend(visited);
  return found;
}

const budgetOf = (node: TreeNode) => (node.ownerDocument ?? (node as TreeDocument)).budget;

/** Puts copies of all that is in a node into a copy of it. */
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
