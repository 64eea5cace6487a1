/** jsdom's XPath 1.0, which is installed into the given classes. */
declare module 'jsdom/lib/jsdom/level3/xpath.js' {
  interface XPathAnswer {
    readonly resultType: number;
    readonly numberValue: number;
    readonly stringValue: string;
    readonly booleanValue: boolean;
    iterateNext(): unknown;
  }
  interface XPathClasses {
    Document: { prototype: object };
    DOMException: unknown;
    /** Set by the call. */
    XPathExpression?: new (expression: string) => { evaluate(node: object, type: number): XPathAnswer };
  }
  export default function putXPathInto(classes: XPathClasses): void;
}
