/** Elements of a page's tree with their attributes, and what selects among them. */
import type { Contents } from './contents.js';
import type { TreeDocument } from './document.js';
import { changesOfTrees, ELEMENT, elementsIn, following, FRAGMENT, TEXT, TextNode, TreeNode } from './node.js';
import { selectAll, selects } from './select.js';
import { InlineStyle } from './inline-style.js';
import { ATTRIBUTE_STEPS, TEXT_STEPS } from './page-budget.js';

export const HTML_NAMESPACE = 'http://www.w3.org/1999/xhtml';
/** Characters of text that the elements of a tree remember, together. */
const MAX_REMEMBERED = 16 << 20;

/** An attribute. Its class has this name because XPath as jsdom has it knows attributes by it. */
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

/** What a node remembers of what is in it. Most are never asked. */
class Memory {
  /** Lists of children, made when they are asked for, gone when one comes or goes. */
  nodes: TreeNode[] | null = null;
  elements: TreeElement[] | null = null;
  /** The text as it was at some change. */
  text = '';
  textAt = -1;
}

/** What elements, fragments and documents have in common: they hold nodes. */
export abstract class TreeParent extends TreeNode {
  private memory: Memory | null = null;
  /** What was counted in it (`contentsOf`); null since something in it has changed. */
  contents: Contents | null = null;

  /** Made anew after a change: whoever holds an older list sees it as it was. */
  override get childNodes(): readonly TreeNode[] {
    const memory = (this.memory ??= new Memory());
    if (memory.nodes !== null) return memory.nodes;
    const nodes: TreeNode[] = [];
    for (let child = this.firstChild; child !== null; child = child.nextSibling) nodes.push(child);
    return (memory.nodes = nodes);
  }

  override get children(): readonly TreeElement[] {
    const memory = (this.memory ??= new Memory());
    if (memory.elements !== null) return memory.elements;
    const elements: TreeElement[] = [];
    for (let child = this.firstChild; child !== null; child = child.nextSibling)
      if (child.nodeType === ELEMENT) elements.push(child as TreeElement);
    return (memory.elements = elements);
  }

  override get textContent(): string {
    const memory = (this.memory ??= new Memory());
    if (memory.textAt === changesOfTrees()) return memory.text;
    let text = '';
    let texts = 0;
    for (let node = following(this, this); node !== null; node = following(node, this)) {
      if (node.nodeType !== TEXT) continue;
      text += (node as TextNode).data;
      texts++;
    }
    // Deep in each other, elements have the same text again and again.
    const document = this.ownerDocument;
    document?.budget?.spend(text.length + texts * TEXT_STEPS);
    const remembered = (document?.remembered ?? Infinity) + text.length - memory.text.length;
    if (remembered > MAX_REMEMBERED) return text;
    document!.remembered = remembered;
    memory.text = text;
    memory.textAt = changesOfTrees();
    return text;
  }

  override set textContent(text: string) {
    while (this.firstChild !== null) this.removeChild(this.firstChild);
    if (text !== '') this.appendChild(new TextNode(this.ownerDocument, text));
  }

  /** Elements of a name, `*` for all, in document order: those that are there now. */
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
    if (this.memory !== null) this.memory.nodes = this.memory.elements = null;
    forgetContents(this);
  }
}

/** What is in it and above it is to be counted anew. Above the first that was not counted is none that was. */
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
  /** Never changed in place: those that have none share it. */
  attributes: readonly Attr[] = NO_ATTRIBUTES;
  /** What a template holds: it is not in the tree. */
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

  /** In capitals for elements of HTML. */
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
    if (!this.isHtml) return null;
    const lower = name.toLowerCase();
    return lower === name ? null : this.getAttributeNode(lower);
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

  removeAttribute(name: string): void {
    const attribute = this.getAttributeNode(name);
    if (attribute !== null) this.attributes = this.attributes.filter((one) => one !== attribute);
  }

  matches(selector: string): boolean {
    return selects(this, selector);
  }

  closest(selector: string): TreeElement | null {
    return closestTo(this, selector);
  }

  /** What is in the element as HTML. */
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

/** Names in capitals: pages use few, and most of them thousands of times. */
const capitals = new Map<string, string>();
const MAX_NAMES = 1_000;

function upperCase(name: string): string {
  const known = capitals.get(name);
  if (known !== undefined) return known;
  const upper = name.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase());
  // A part of the page would keep the whole of it.
  if (capitals.size < MAX_NAMES && name.length < 50) capitals.set(` ${name}`.slice(1), upper);
  return upper;
}
