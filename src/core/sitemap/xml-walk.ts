/**
 * XML as a stream of elements and text, for documents whose writers may not know XML.
 *
 * A thin layer over htmlparser2's tokenizer, as in core/html/html-scanner. Names are given without prefix and in lower case:
 * sitemaps with wrong, missing or invented namespaces are common. Only the five entities of XML and character references are
 * decoded; a DOCTYPE with all that it declares is passed over, so no entity is ever expanded or fetched. Open elements are
 * kept as a stack of bounded depth; an end tag closes what is open inside of its element, one that matches nothing is passed
 * over. Time is linear in the length of the document.
 */
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';

/** Attributes by local name, of those that somebody asks for. */
export type XmlAttributes = Readonly<Record<string, string | undefined>>;

export interface XmlHandler {
  /** A start tag. `parent`: local name of the element around it, empty for the root. `prefix` as written, in lower case. */
  open(name: string, parent: string, attributes: XmlAttributes, prefix: string): void;
  /** The end of an element: each `open` has one, save those that the end of the document cuts off. */
  close(name: string): void;
  /** Text or a CDATA section directly inside of element `parent`; may come in pieces. */
  text(piece: string, parent: string): void;
}

export interface XmlWalked {
  /** The document ended inside of an element or tag. */
  truncated: boolean;
  /** Elements passed over because they stood deeper than the limit. */
  tooDeep: number;
}

export const DEEPEST_XML = 100;
const LONGEST_NAME = 64;
const LONGEST_VALUE = 8_192;
const KEPT_ATTRIBUTES: ReadonlySet<string> = new Set(['href', 'rel', 'type', 'hreflang', 'about', 'ispermalink']);
const NO_ATTRIBUTES: XmlAttributes = Object.freeze(Object.create(null) as Record<string, string>);

class Walk implements TokenizerCallbacks {
  readonly stack: string[] = [];
  tooDeep = 0;
  inTag = false;
  private tag = '';
  private prefix = '';
  private attribute = '';
  private value = '';
  private attributes: Record<string, string> | null = null;
  /** Elements open beyond the deepest level. */
  private beyond = 0;

  constructor(
    private readonly xml: string,
    private readonly handler: XmlHandler,
  ) {}

  ontext(start: number, end: number): void {
    // Behind an end tag that the document does not finish, the tokenizer tells of text that begins before the document.
    if (start >= 0 && this.beyond === 0) this.handler.text(this.xml.slice(start, end), this.stack.at(-1) ?? '');
  }

  ontextentity(codePoint: number): void {
    if (this.beyond === 0) this.handler.text(String.fromCodePoint(codePoint), this.stack.at(-1) ?? '');
  }

  oncdata(start: number, end: number, endOffset: number): void {
    this.ontext(start, end - endOffset);
  }

  onopentagname(start: number, end: number): void {
    this.inTag = true;
    this.tag = this.name(start, end);
    this.prefix = this.prefixOf(start, end);
    this.attributes = null;
  }

  onattribname(start: number, end: number): void {
    const name = this.name(start, end);
    this.attribute = KEPT_ATTRIBUTES.has(name) ? name : '';
    this.value = '';
  }

  onattribdata(start: number, end: number): void {
    if (this.attribute !== '' && this.value.length <= LONGEST_VALUE) this.value += this.xml.slice(start, end);
  }

  onattribentity(codePoint: number): void {
    if (this.attribute !== '' && this.value.length <= LONGEST_VALUE) this.value += String.fromCodePoint(codePoint);
  }

  onattribend(): void {
    if (this.attribute === '' || this.value.length > LONGEST_VALUE) return;
    this.attributes ??= Object.create(null) as Record<string, string>;
    this.attributes[this.attribute] ??= this.value;
  }

  onopentagend(): void {
    this.inTag = false;
    if (this.stack.length >= DEEPEST_XML) {
      this.beyond++;
      this.tooDeep++;
      return;
    }
    this.handler.open(this.tag, this.stack.at(-1) ?? '', this.attributes ?? NO_ATTRIBUTES, this.prefix);
    this.stack.push(this.tag);
  }

  onselfclosingtag(): void {
    this.onopentagend();
    this.leave(this.tag);
  }

  onclosetag(start: number, end: number): void {
    this.leave(this.name(start, end));
  }

  oncomment(): void {}

  ondeclaration(): void {}

  onprocessinginstruction(): void {}

  onend(): void {}

  private leave(name: string): void {
    if (this.beyond > 0) {
      this.beyond--;
      return;
    }
    const at = this.stack.lastIndexOf(name);
    if (at < 0) return;
    while (this.stack.length > at) this.handler.close(this.stack.pop()!);
  }

  private prefixOf(start: number, end: number): string {
    const name = this.xml.slice(start, Math.min(end, start + LONGEST_NAME));
    return name.slice(0, Math.max(0, name.lastIndexOf(':'))).toLowerCase();
  }

  /** Without prefix, in lower case. */
  private name(start: number, end: number): string {
    const name = this.xml.slice(start, Math.min(end, start + LONGEST_NAME));
    return name.slice(name.lastIndexOf(':') + 1).toLowerCase();
  }
}

/**
 * Tells `handlerOf(stop)` the elements and the text of `xml` in document order; after `stop` it hears nothing more.
 * Never throws by itself.
 */
export function walkXml(xml: string, handlerOf: (stop: () => void) => XmlHandler): XmlWalked {
  let tokenizer: Tokenizer | undefined;
  let stopped = false;
  const stop = (): void => {
    stopped = true;
    tokenizer?.pause();
  };
  const walk = new Walk(xml, handlerOf(stop));
  tokenizer = new Tokenizer({ xmlMode: true, decodeEntities: true }, walk);
  tokenizer.write(xml);
  if (!stopped) tokenizer.end();
  return { truncated: !stopped && (walk.stack.length > 0 || walk.inTag), tooDeep: walk.tooDeep };
}
