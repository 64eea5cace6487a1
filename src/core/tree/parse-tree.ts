/**
 * Parses HTML into a tree and serializes it, by parse5, as jsdom does: tree construction of the HTML standard (section
 * 13.2.6). Scripting is disabled: the content of noscript is markup.
 */
import {
  html,
  Parser,
  type ParserOptions,
  serialize,
  Token,
  TokenizerMode,
  type TreeAdapter,
  type TreeAdapterTypeMap,
} from 'parse5';
import { type Markup, TreeDocument } from './document.js';
import { Attr, TreeElement, TreeFragment, type TreeParent } from './element.js';
import { COMMENT, CommentNode, DOCTYPE, DoctypeNode, ELEMENT, TEXT, TextNode, type TreeNode } from './node.js';
import { ATTRIBUTE_STEPS, type PageBudget, PageLimitError, PIECE_STEPS } from './page-budget.js';
import { prologEnd } from '../xml/xml-name.js';
import { PageTokenizer, XhtmlTokenizer } from './page-tokenizer.js';

type Map = TreeAdapterTypeMap<
  TreeNode,
  TreeParent,
  TreeNode,
  TreeDocument,
  TreeFragment,
  TreeElement,
  CommentNode,
  TextNode,
  TreeElement,
  DoctypeNode
>;

/** Depth of nested elements, as the Markdown writer is recursive. Deeper ones become siblings, as in browsers. */
const MAX_DEPTH = 1_000;
/** Elements that are open at once: each tag may search all of them. */
const MAX_OPEN = 10_000;

/**
 * Parses a page into a tree.
 * @param budget limit of the tree and of all work on it
 * @param isXhtml as in XML every element can be self-closing, CDATA is text, and a DOCTYPE can contain declarations
 * @throws PageLimitError where MAX_OPEN elements are open, or with a budget MAX_DEPTH, and where the budget is spent
 */
export function parseTree(text: string, budget: PageBudget | null = null, isXhtml = false): TreeDocument {
  const parser = new (isXhtml ? XhtmlParser : PageParser)(optionsFor(new TreeDocument(markup, budget)));
  parser.tokenizer.write(withoutReturns(isXhtml ? afterProlog(text) : text), true);
  return parser.document;
}

const markup: Markup = {
  parseFragment: (context, text) => {
    const parser = PageParser.getFragmentParser<Map>(context, optionsFor(context.ownerDocument!));
    parser.tokenizer.write(withoutReturns(text), true);
    return parser.getFragment();
  },
  serialize: (node) => serialize<Map>(node, { treeAdapter: adapterFor(node.ownerDocument!), scriptingEnabled: false }),
};

const optionsFor = (document: TreeDocument): ParserOptions<Map> => ({
  treeAdapter: adapterFor(document),
  scriptingEnabled: false,
});

/** The page with a DOCTYPE of HTML: without one, tables would not end paragraphs. */
const afterProlog = (text: string): string => `<!doctype html>${text.slice(prologEnd(text))}`;

/** Normalizes line ends (HTML §13.2.3.5). */
const withoutReturns = (text: string): string => (text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text);

class PageParser extends Parser<Map> {
  constructor(...args: ConstructorParameters<typeof Parser<Map>>) {
    super(...args);
    const { inForeignNode } = this.tokenizer;
    this.tokenizer = new PageTokenizer(this.options, this);
    this.tokenizer.inForeignNode = inForeignNode;
  }

  override _getInsertionLocation(): ReturnType<Parser<Map>['_getInsertionLocation']> {
    const location = super._getInsertionLocation();
    return this.isTooDeep(location.parent)
      ? { ...location, parent: location.parent.parentNode as TreeParent }
      : location;
  }

  /** A text stays in its element, which may be a script, unless what was nested in that has become its sibling. */
  override _insertCharacters(token: Token.CharacterToken): void {
    const parent = this.openElements.currentTmplContentOrNode;
    const isAfterSibling = this.isTooDeep(parent) && parent.nextSibling !== null;
    if (isAfterSibling && !this._shouldFosterParentOnInsertion()) {
      this.treeAdapter.insertText(parent.parentNode as TreeParent, token.chars);
    } else super._insertCharacters(token);
  }

  private isTooDeep(parent: TreeParent): boolean {
    const { stackTop, current } = this.openElements;
    return stackTop >= MAX_DEPTH && parent === current && parent.parentNode !== null;
  }
}

class XhtmlParser extends PageParser {
  constructor(...args: ConstructorParameters<typeof Parser<Map>>) {
    super(...args);
    this.tokenizer = new XhtmlTokenizer(this.options, this);
  }

  override onStartTag(tag: Token.TagToken): void {
    super.onStartTag(tag);
    // Acknowledged: a void element, or one of SVG or MathML.
    if (!tag.selfClosing || tag.ackSelfClosing) return;
    this.tokenizer.state = TokenizerMode.DATA;
    this.onEndTag({ ...tag, type: Token.TokenType.END_TAG, selfClosing: false, attrs: [] });
  }
}

/** Accessors of nodes for parse5; source locations are not kept. */
const READING = {
  getFirstChild: (node) => node.firstChild,
  getChildNodes: (node) => node.childNodes as TreeNode[],
  getParentNode: (node) => node.parentNode as TreeParent | null,
  getTagName: (element) => element.localName,
  getNamespaceURI: (element) => element.namespaceURI as html.NS,
  getAttrList: ({ attributes }) =>
    attributes.every(({ namespaceURI }) => namespaceURI === null)
      ? (attributes as Attr[])
      : attributes.map(({ name, value, namespaceURI }) =>
          namespaceURI === null ? { name, value } : { name: localOf(name), value, namespace: namespaceURI },
        ),
  getTextNodeContent: (node) => node.data,
  getCommentNodeContent: (node) => node.data,
  getDocumentTypeNodeName: (node) => node.nodeName,
  getDocumentTypeNodePublicId: (node) => node.publicId,
  getDocumentTypeNodeSystemId: (node) => node.systemId,
  isTextNode: (node): node is TextNode => node.nodeType === TEXT,
  isCommentNode: (node): node is CommentNode => node.nodeType === COMMENT,
  isDocumentTypeNode: (node): node is DoctypeNode => node.nodeType === DOCTYPE,
  isElementNode: (node): node is TreeElement => node.nodeType === ELEMENT,
  getNodeSourceCodeLocation: () => null,
  setNodeSourceCodeLocation: () => undefined,
  updateNodeSourceCodeLocation: () => undefined,
} satisfies Partial<TreeAdapter<Map>>;

function adapterFor(document: TreeDocument): TreeAdapter<Map> {
  let mode = html.DOCUMENT_MODE.NO_QUIRKS;
  let open = 0;
  const insertText = (parent: TreeNode, text: string, before: TreeNode | null): void => {
    const previous = before === null ? parent.lastChild : before.previousSibling;
    if (previous?.nodeType === TEXT) {
      document.budget?.spend(PIECE_STEPS);
      (previous as TextNode).data += text;
    } else parent.insertBefore(new TextNode(document, text), before);
  };
  return {
    createDocument: () => document,
    createDocumentFragment: () => new TreeFragment(document),
    createElement: (name, namespace, attributes) => {
      const element = new TreeElement(document, name, namespace);
      document.elements++;
      // The cost is quadratic: parse5 searches the list once for each attribute.
      document.budget?.spend(attributes.length * (ATTRIBUTE_STEPS + attributes.length));
      addAttributes(element, attributes);
      return element;
    },
    createCommentNode: (data) => new CommentNode(document, data),
    createTextNode: (data) => new TextNode(document, data),
    setDocumentType: (_, name, publicId, systemId) => {
      document.appendChild(new DoctypeNode(document, name, publicId, systemId));
    },
    setDocumentMode: (to, documentMode) => {
      mode = documentMode;
      to.isQuirks = documentMode === html.DOCUMENT_MODE.QUIRKS;
    },
    getDocumentMode: () => mode,
    onItemPush: () => {
      const max = document.budget === null ? MAX_OPEN : MAX_DEPTH;
      if (++open > max) throw new PageLimitError(`more than ${max} elements are nested`);
    },
    onItemPop: () => void open--,
    adoptAttributes: (element, attributes) =>
      addAttributes(
        element,
        attributes.filter(({ name }) => !element.hasAttribute(name)),
      ),
    appendChild: (parent, node) => void parent.appendChild(node),
    insertBefore: (parent, node, before) => void parent.insertBefore(node, before),
    insertText: (parent, text) => insertText(parent, text, null),
    insertTextBefore: insertText,
    detachNode: (node) => node.remove(),
    setTemplateContent: (template, content) => void (template.content = content),
    getTemplateContent: (template) => template.content!,
    ...READING,
  };
}

const localOf = (name: string): string => name.slice(name.indexOf(':') + 1);

function addAttributes(element: TreeElement, attributes: Token.Attribute[]): void {
  if (attributes.length === 0) return;
  const added = attributes.every(isNew) ? attributes : attributes.map(attributeOf);
  for (const attribute of added) attribute.ownerElement = element;
  element.attributes = element.attributes.length === 0 ? added : [...element.attributes, ...added];
}

/** Whether the tokenizer made the attribute and no element has it yet: the parser may create several elements for a tag. */
const isNew = (attribute: Token.Attribute): attribute is Attr =>
  attribute instanceof Attr &&
  attribute.ownerElement === null &&
  (attribute as Token.Attribute).namespace === undefined;

const attributeOf = ({ name, value, prefix, namespace }: Token.Attribute): Attr =>
  new Attr(prefix ? `${prefix}:${name}` : name, value, namespace ?? null);
