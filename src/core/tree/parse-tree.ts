/**
 * HTML into a tree and back, by parse5: the tree construction of the HTML standard (section 13.2.6), the one that jsdom uses too.
 * No scripting: what is in a noscript is markup.
 */
import { html, parse, parseFragment, serialize, type Token, type TreeAdapter, type TreeAdapterTypeMap } from 'parse5';
import { type Markup, TreeDocument } from './document.js';
import { Attr, TreeElement, TreeFragment, type TreeParent } from './element.js';
import { COMMENT, CommentNode, DOCTYPE, DoctypeNode, ELEMENT, TEXT, TextNode, type TreeNode } from './node.js';
import { ATTRIBUTE_STEPS, type PageBudget } from './page-budget.js';

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

/** Elements inside of elements. Each open one may be asked at each tag, and Markdown is written by a function that calls itself for each. */
const MAX_DEPTH = 1_000;

/**
 * A page as a tree.
 * @param budget what it may take, the tree and all that is done with it
 * @throws Error where more than MAX_DEPTH elements stand in each other, or the budget is spent
 */
export const parseTree = (text: string, budget: PageBudget | null = null): TreeDocument =>
  parse<Map>(text, { treeAdapter: adapterFor(new TreeDocument(markup, budget)), scriptingEnabled: false });

const markup: Markup = {
  parseFragment: (context, text) =>
    parseFragment<Map>(context, text, {
      treeAdapter: adapterFor(context.ownerDocument!),
      scriptingEnabled: false,
    }),
  serialize: (node) => serialize<Map>(node, { treeAdapter: adapterFor(node.ownerDocument!), scriptingEnabled: false }),
};

/** What parse5 asks of nodes; it needs no place in a source. */
const READING = {
  getFirstChild: (node) => node.firstChild,
  getChildNodes: (node) => node.childNodes as TreeNode[],
  getParentNode: (node) => node.parentNode as TreeParent | null,
  getTagName: (element) => element.localName,
  getNamespaceURI: (element) => element.namespaceURI as html.NS,
  getAttrList: (element) =>
    element.attributes.map(({ name, value, namespaceURI }) =>
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
  let depth = 0;
  const insertText = (parent: TreeNode, text: string, before: TreeNode | null): void => {
    const previous = before === null ? parent.lastChild : before.previousSibling;
    if (previous?.nodeType === TEXT) (previous as TextNode).data += text;
    else parent.insertBefore(new TextNode(document, text), before);
  };
  return {
    createDocument: () => document,
    createDocumentFragment: () => new TreeFragment(document),
    createElement: (name, namespace, attributes) => {
      const element = new TreeElement(document, name, namespace);
      // One that has thousands is asked for each of them again and again.
      document.budget?.spend(attributes.length * (ATTRIBUTE_STEPS + attributes.length));
      addAttributes(element, attributes);
      return element;
    },
    createCommentNode: (data) => new CommentNode(document, data),
    createTextNode: (data) => new TextNode(document, data),
    setDocumentType: (_, name, publicId, systemId) => {
      document.appendChild(new DoctypeNode(document, name, publicId, systemId));
    },
    setDocumentMode: (to, found) => {
      mode = found;
      to.isQuirks = found === html.DOCUMENT_MODE.QUIRKS;
    },
    getDocumentMode: () => mode,
    onItemPush: () => {
      if (++depth > MAX_DEPTH) throw new Error(`more than ${MAX_DEPTH} elements stand in each other`);
    },
    onItemPop: () => void depth--,
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

function addAttributes(element: TreeElement, attributes: readonly Token.Attribute[]): void {
  for (const { name, value, prefix, namespace } of attributes) {
    const qualified = prefix ? `${prefix}:${name}` : name;
    element.attributes.push(new Attr(qualified, value, namespace ?? null, element));
  }
}
