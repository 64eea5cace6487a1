/** Runs XPath on a tree, by jsdom's implementation, which uses only members that our nodes have. */
import putXPathInto, { type XPathAnswer, type XPathExpression } from 'jsdom/lib/jsdom/level3/xpath.js';
import type { TreeDocument } from '../tree/document.js';
import type { TreeNode } from '../tree/node.js';
import type { Attr } from '../tree/element.js';
import { comparedNodes, shortenXPath } from './xpath.js';

const classes: Parameters<typeof putXPathInto>[0] = { Document: class {}, DOMException };
putXPathInto(classes);

/** Result types (DOM XPathResult). A snapshot is of nodes only; an iterator would need the version of a document of jsdom's. */
const ANY = 0;
const NUMBER = 1;
const STRING = 2;
const ORDERED_NODE_SNAPSHOT = 7;

/** The nodes that an expression selects, or its number, string or boolean. @throws Error for one that cannot be run */
export function* pickByXPath(document: TreeDocument, expression: string): Generator<TreeNode | Attr | string> {
  const xpath = new classes.XPathExpression!(comparedNodes(shortenXPath(expression)));
  const nodes = nodesOf(xpath, document);
  if (nodes === null) yield valueOf(xpath.evaluate(document, ANY));
  else for (let i = 0; i < nodes.snapshotLength; i++) yield nodes.snapshotItem(i) as TreeNode | Attr;
}

/** Null: the expression has another value. */
function nodesOf(xpath: XPathExpression, document: TreeDocument): XPathAnswer | null {
  try {
    return xpath.evaluate(document, ORDERED_NODE_SNAPSHOT);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function valueOf(result: XPathAnswer): string {
  if (result.resultType === NUMBER) return String(result.numberValue);
  return result.resultType === STRING ? result.stringValue : String(result.booleanValue);
}
