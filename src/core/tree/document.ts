/** The document node of a page. */
import { HTML_NAMESPACE, TreeElement, type TreeFragment, TreeParent } from './element.js';
import { DOCUMENT, elementsIn, TEXT, TextNode } from './node.js';
import type { PageBudget } from './page-budget.js';

/** Parser and serializer of HTML, on which the tree does not depend. */
export interface Markup {
  parseFragment: (context: TreeElement, html: string) => TreeFragment;
  /** The content of a node as HTML. */
  serialize: (node: TreeElement) => string;
}

export class TreeDocument extends TreeParent {
  /** References are made absolute beforehand, so there is no base URL. */
  readonly baseURI = 'about:blank';
  readonly documentURI = 'about:blank';
  /** Quirks mode (no doctype, or an old one): class names and ids are compared case-insensitively. */
  isQuirks = false;
  /** Number of elements parsed. */
  elements = 0;
  /** Characters of text that its elements cache. */
  cachedText = 0;

  /** @param budget limit of all work on the page; null for none */
  constructor(
    readonly markup: Markup,
    readonly budget: PageBudget | null = null,
  ) {
    super(null, DOCUMENT, '#document');
  }

  get documentElement(): TreeElement | null {
    return this.firstElementChild;
  }

  get head(): TreeElement | null {
    return this.sectionOf(['head']);
  }

  get body(): TreeElement | null {
    return this.sectionOf(['body', 'frameset']);
  }

  get title(): string {
    const [title] = elementsIn(this, ({ localName, isHtml }) => localName === 'title' && isHtml, 1);
    let text = '';
    for (const node of title?.childNodes ?? []) if (node.nodeType === TEXT) text += node.nodeValue;
    return text.replaceAll(/[\t\n\f\r ]+/g, ' ').trim();
  }

  createElement(name: string): TreeElement {
    return new TreeElement(this, name.toLowerCase());
  }

  createTextNode(data: string): TextNode {
    return new TextNode(this, data);
  }

  /** The first element with an id. */
  getElementById(id: string): TreeElement | null {
    return this.getElementsByTagName('*').find((element) => element.getAttribute('id') === id) ?? null;
  }

  override copy(): TreeDocument {
    return new TreeDocument(this.markup, this.budget);
  }

  private sectionOf(names: readonly string[]): TreeElement | null {
    const root = this.documentElement;
    if (root === null || root.localName !== 'html' || root.namespaceURI !== HTML_NAMESPACE) return null;
    return root.children.find(({ localName, isHtml }) => isHtml && names.includes(localName)) ?? null;
  }
}
