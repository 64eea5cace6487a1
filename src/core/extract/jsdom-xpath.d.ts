/** jsdom's XPath 1.0, which is installed into the given classes. */
declare module 'jsdom/lib/jsdom/level3/xpath.js' {
  export interface XPathAnswer {
    readonly resultType: number;
    readonly numberValue: number;
    readonly stringValue: string;
    readonly booleanValue: boolean;
    readonly snapshotLength: number;
    snapshotItem(index: number): unknown;
  }
  export interface XPathExpression {
    /** @throws TypeError if the value is not of this type */
    evaluate(node: object, type: number): XPathAnswer;
  }
  interface XPathClasses {
    Document: { prototype: object };
    DOMException: unknown;
    /** Set by the call. */
    XPathExpression?: new (expression: string) => XPathExpression;
  }
  export default function putXPathInto(classes: XPathClasses): void;
}
