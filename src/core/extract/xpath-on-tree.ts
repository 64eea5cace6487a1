/** Runs XPath on a tree, by jsdom's implementation, which uses only members that our nodes have. */
import putXPathInto from 'jsdom/lib/jsdom/level3/xpath.js';
import type { TreeDocument } from '../tree/document.js';
import type { TreeNode } from '../tree/node.js';
import type { Attr } from '../tree/element.js';
import { comparedNodes, shortenXPath } from './xpath.js';

const classes: Parameters<typeof putXPathInto>[0] = { Document: class {}, DOMException };
putXPathInto(classes);

/** Result types (DOM XPathResult). */
const ANY = 0;
const NUMBER = 1;
const STRING = 2;
const BOOLEAN = 3;

/** The nodes that an expression selects, or its number, string or boolean. @throws Error for one that cannot be run */
export function* pickByXPath(document: TreeDocument, expression: string): Generator<TreeNode | Attr | string> {
  const result = new classes.XPathExpression!(comparedNodes(shortenXPath(expression))).evaluate(document, ANY);
  if (result.resultType === NUMBER) yield String(result.numberValue);
  else if (result.resultType === STRING) yield result.stringValue;
  else if (result.resultType === BOOLEAN) yield String(result.booleanValue);
  else for (let node = result.iterateNext(); node !== null; node = result.iterateNext()) yield node as TreeNode | Attr;
}
