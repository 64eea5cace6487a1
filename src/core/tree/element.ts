/** Elements of a page's tree, with attributes and queries by selector. */
import type { Contents } from './contents.js';
import type { TreeDocument } from './document.js';
import { changesOfTrees, ELEMENT, elementsIn, following, FRAGMENT, TEXT, TextNode, TreeNode } from './node.js';
import { selectAll, selects } from './select.js';
import { InlineStyle } from './inline-style.js';
import { ATTRIBUTE_STEPS, TEXT_STEPS } from './page-budget.js';

export const HTML_NAMESPACE = 'http://www.w3.org/1999/xhtml';
/** Characters of text that the elements of a tree cache, in total. */
const MAX_CACHED = 16 << 20;

/** An attribute. The class must have this name: jsdom's XPath recognizes attributes by it. */
export class Attr {
  constructor(
    /** With its prefix, where it has one. */
    readonly name: string,
    public value: string,
    readonly namespaceURI: string | null = null,
    public ownerElement: TreeElement | null = null,
  ) {}

  get nodeType(): number {
    return 2;
  }

  get nodeName(): string {
    return this.name;
  }

  get nodeValue(): string {
    return this.value;
  }

  get textContent(): string {
    return this.value;
  }

  cloneNode(): Attr {
    return new Attr(this.name, this.value, this.namespaceURI);
  }
}

/** Cached values of a node's content; most nodes need none. */
class NodeCache {
  /** Lists of children, built on first use, deleted when a child is inserted or removed. */
  nodes: TreeNode[] | null = null;
  elements: TreeElement[] | null = null;
  /** The text, and the number of the change at which it was read. */
  text = '';
  textAt = -1;
}

/** Base class of elements, fragments and documents: nodes with children. */
export abstract class TreeParent extends TreeNode {
  private cache: NodeCache | null = null;
  /** The counts of its content (`contentsOf`); null after a change. */
  contents: Contents | null = null;

  /** Rebuilt after a change; an older list keeps the older state. */
  override get childNodes(): readonly TreeNode[] {
    const cache = (this.cache ??= new NodeCache());
    if (cache.nodes !== null) return cache.nodes;
    const nodes: TreeNode[] = [];
    for (let child = this.firstChild; child !== null; child = child.nextSibling) nodes.push(child);
    return (cache.nodes = nodes);
  }

  override get children(): readonly TreeElement[] {
    const cache = (this.cache ??= new NodeCache());
    if (cache.elements !== null) return cache.elements;
    const elements: TreeElement[] = [];
    for (let child = this.firstChild; child !== null; child = child.nextSibling)
      if (child.nodeType === ELEMENT) elements.push(child as TreeElement);
    return (cache.elements = elements);
  }

  override get textContent(): string {
    const cache = (this.cache ??= new NodeCache());
    if (cache.textAt === changesOfTrees()) return cache.text;
    let text = '';
    let texts = 0;
    for (let node = following(this, this); node !== null; node = following(node, this)) {
      if (node.nodeType !== TEXT) continue;
      text += (node as TextNode).data;
      texts++;
    }
    // Deeply nested elements contain the same text many times.
    const document = this.ownerDocument;
    document?.budget?.spend(text.length + texts * TEXT_STEPS);
    const cached = (document?.cachedText ?? Infinity) + text.length - cache.text.length;
    if (cached > MAX_CACHED) return text;
    document!.cachedText = cached;
    cache.text = text;
    cache.textAt = changesOfTrees();
    return text;
  }

  override set textContent(text: string) {
    while (this.firstChild !== null) this.removeChild(this.firstChild);
    if (text !== '') this.appendChild(new TextNode(this.ownerDocument, text));
  }

  /** Elements with a name, `*` for all, in document order. The list is not live. */
  getElementsByTagName(name: string): TreeElement[] {
    if (name === '*') return elementsIn(this, () => true);
    const lower = name.toLowerCase();
    return elementsIn(this, ({ localName, isHtml }) => localName === (isHtml ? lower : name));
  }

  querySelectorAll(selector: string): TreeElement[] {
    return selectAll(this, selector);
  }

  querySelector(selector: string): TreeElement | null {
    return selectAll(this, selector, 1)[0] ?? null;
  }

  protected override changed(): void {
    super.changed();
    if (this.cache !== null) this.cache.nodes = this.cache.elements = null;
    forgetContents(this);
  }
}

/** Drops the counts of a node and of its ancestors. Ancestors of a node without counts have none either. */
function forgetContents(from: TreeParent): void {
  let at: TreeParent | null = from;
  while (at !== null && at.contents !== null) {
    at.contents = null;
    at = at.parentNode as TreeParent | null;
  }
}

const NO_ATTRIBUTES: readonly Attr[] = [];

export class TreeElement extends TreeParent {
  readonly isHtml: boolean;
  /** Never changed in place: elements without attributes share one list. */
  attributes: readonly Attr[] = NO_ATTRIBUTES;
  /** The content of a template, which is not part of the tree. */
  content: TreeFragment | null = null;

  constructor(
    document: TreeDocument | null,
    readonly localName: string,
    readonly namespaceURI: string = HTML_NAMESPACE,
  ) {
    const isHtml = namespaceURI === HTML_NAMESPACE;
    super(document, ELEMENT, isHtml ? upperCase(localName) : localName);
    this.isHtml = isHtml;
  }

  /** For the functions `name()` and `local-name()` of jsdom's XPath. */
  get name(): string {
    return this.localName;
  }

  /** In upper case for HTML elements. */
  get tagName(): string {
    return this.nodeName;
  }

  get id(): string {
    return this.getAttribute('id') ?? '';
  }

  set id(value: string) {
    this.setAttribute('id', value);
  }

  get className(): string {
    return this.getAttribute('class') ?? '';
  }

  set className(value: string) {
    this.setAttribute('class', value);
  }

  get src(): string {
    return this.getAttribute('src') ?? '';
  }

  get srcset(): string {
    return this.getAttribute('srcset') ?? '';
  }

  get style(): InlineStyle {
    return new InlineStyle(this);
  }

  getAttributeNode(name: string): Attr | null {
    const { attributes } = this;
    if (attributes.length === 0) return null;
    for (const attribute of attributes) if (attribute.name === name) return attribute;
    return this.isHtml && hasCapital(name) ? this.getAttributeNode(name.toLowerCase()) : null;
  }

  getAttribute(name: string): string | null {
    return this.getAttributeNode(name)?.value ?? null;
  }

  hasAttribute(name: string): boolean {
    return this.getAttributeNode(name) !== null;
  }

  setAttribute(name: string, value: string): void {
    const attribute = this.getAttributeNode(name);
    if (attribute === null) this.setAttributeNode(new Attr(this.isHtml ? name.toLowerCase() : name, value));
    else attribute.value = value;
  }

  setAttributeNode(attribute: Attr): void {
    this.removeAttribute(attribute.name);
    attribute.ownerElement = this;
    this.attributes = [...this.attributes, attribute];
  }

  /** Moves the attributes of an element that is replaced by this one, which has none. */
  takeAttributes(from: TreeElement): void {
    this.attributes = from.attributes;
    from.attributes = NO_ATTRIBUTES;
    for (const attribute of this.attributes) attribute.ownerElement = this;
  }

  removeAttribute(name: string): void {
    const attribute = this.getAttributeNode(name);
    if (attribute !== null) this.attributes = this.attributes.filter((other) => other !== attribute);
  }

  matches(selector: string): boolean {
    return selects(this, selector);
  }

  closest(selector: string): TreeElement | null {
    return closestTo(this, selector);
  }

  /** The content of the element as HTML. */
  get innerHTML(): string {
    return this.ownerDocument?.markup.serialize(this) ?? '';
  }

  set innerHTML(html: string) {
    this.textContent = '';
    const content = this.ownerDocument?.markup.parseFragment(this, html);
    if (content !== undefined) this.appendChild(content);
  }

  override copy(): TreeElement {
    const copy = new TreeElement(this.ownerDocument, this.localName, this.namespaceURI);
    copy.content = this.content;
    this.ownerDocument?.budget?.spend(this.attributes.length * ATTRIBUTE_STEPS);
    if (this.attributes.length > 0)
      copy.attributes = this.attributes.map(
        ({ name, value, namespaceURI }) => new Attr(name, value, namespaceURI, copy),
      );
    return copy;
  }
}

/** Faster than `toLowerCase`, which allocates memory even for a name that it returns. */
function hasCapital(name: string): boolean {
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at);
    if ((code >= 0x41 && code <= 0x5a) || code > 0x7f) return true;
  }
  return false;
}

function closestTo(start: TreeElement, selector: string): TreeElement | null {
  let element: TreeElement | null = start;
  while (element !== null && !element.matches(selector)) element = element.parentElement;
  return element;
}

export class TreeFragment extends TreeParent {
  constructor(document: TreeDocument | null) {
    super(document, FRAGMENT, '#document-fragment');
  }

  override copy(): TreeFragment {
    return new TreeFragment(this.ownerDocument);
  }
}

/** Names in upper case: pages use few, most of them thousands of times. */
const capitals = new Map<string, string>();
const MAX_NAMES = 1_000;

function upperCase(name: string): string {
  const known = capitals.get(name);
  if (known !== undefined) return known;
  const upper = name.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase());
  // Copied, as a substring would keep the whole page in memory.
  if (capitals.size < MAX_NAMES && name.length < 50) capitals.set(` ${name}`.slice(1), upper);
  return upper;
}
