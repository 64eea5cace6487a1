/**
 * XML as a stream of elements and text, with namespaces.
 *
 * A thin layer over htmlparser2's tokenizer, as the HTML scanner is. Only the five entities of XML and character
 * references are decoded; a DOCTYPE and all it declares is passed over, so that nothing is expanded and nothing is
 * fetched. Open elements are kept in a stack of bounded depth: what stands deeper is passed over, with its text. An end
 * tag closes what is open inside its element; one that matches nothing is passed over. Time is linear.
 */
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';

/** The name of an element or attribute. */
export interface XmlName {
  /** URI of its namespace; empty without one, or for a prefix that nothing declares. */
  readonly namespace: string;
  /** As written; empty without one. */
  readonly prefix: string;
  /** In lower case. */
  readonly local: string;
}

/** Attributes by name as written, in lower case, with prefix (`rdf:about`); the first of a name wins. */
export type XmlAttributes = ReadonlyMap<string, string>;

export interface XmlListener {
  open(name: XmlName, attributes: XmlAttributes): void;
  /** The end of an element that `open` told of; elements that the document leaves open get none. */
  close(name: XmlName): void;
  /** Text or CDATA; may come in pieces. */
  text(piece: string): void;
}

const DEEPEST = 200;
const LONGEST_NAME = 100;
const LONGEST_VALUE = 16_384;
const MOST_ATTRIBUTES = 50;
/** Namespaces that hold at one place, and the length of their URIs. */
const MOST_PREFIXES = 50;
const LONGEST_URI = 200;

interface OpenElement {
  readonly name: XmlName;
  readonly written: string;
  /** Namespaces by prefix that hold here. */
  readonly scope: ReadonlyMap<string, string>;
}

const NO_NAMESPACES: ReadonlyMap<string, string> = new Map();

class XmlScanner implements TokenizerCallbacks {
  private readonly stack: OpenElement[] = [];
  /** How many elements of a name are open. */
  private readonly opened = new Map<string, number>();
  /** Elements that are open beyond the deepest level. */
  private beyond = 0;
  private tag = '';
  private attributes = new Map<string, string>();
  private attribute = '';
  private value = '';

  constructor(
    private readonly xml: string,
    private readonly listener: XmlListener,
  ) {}

  ontext(start: number, end: number): void {
    // Behind an end tag that the document does not finish, the tokenizer tells of text that begins before the document.
    if (start >= 0 && this.beyond === 0) this.listener.text(this.xml.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    if (this.beyond === 0) this.listener.text(String.fromCodePoint(codePoint));
  }

  oncdata(start: number, end: number, endOffset: number): void {
    this.ontext(start, end - endOffset);
  }

  onopentagname(start: number, end: number): void {
    this.tag = this.name(start, end);
    if (this.attributes.size > 0) this.attributes = new Map();
  }

  onattribname(start: number, end: number): void {
    this.attribute = this.name(start, end);
    this.value = '';
  }

  onattribdata(start: number, end: number): void {
    if (this.value.length <= LONGEST_VALUE) this.value += this.xml.slice(start, end);
  }

  onattribentity(codePoint: number): void {
    if (this.value.length <= LONGEST_VALUE) this.value += String.fromCodePoint(codePoint);
  }

  onattribend(): void {
    const { attribute, attributes, value } = this;
    if (value.length > LONGEST_VALUE || attributes.size >= MOST_ATTRIBUTES || attributes.has(attribute)) return;
    attributes.set(attribute, value);
  }

  onopentagend(): void {
    if (this.stack.length >= DEEPEST) {
      this.beyond++;
      return;
    }
    const scope = scopeOf(this.attributes, this.stack.at(-1)?.scope ?? NO_NAMESPACES);
    const name = nameOf(this.tag, scope);
    this.stack.push({ name, written: this.tag, scope });
    this.opened.set(this.tag, (this.opened.get(this.tag) ?? 0) + 1);
    this.listener.open(name, this.attributes);
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

  private leave(written: string): void {
    if (this.beyond > 0) {
      this.beyond--;
      return;
    }
    if (!this.opened.has(written)) return;
    for (let last = this.stack.pop(); last !== undefined; last = this.stack.pop()) {
      const others = (this.opened.get(last.written) ?? 1) - 1;
      if (others === 0) this.opened.delete(last.written);
      else this.opened.set(last.written, others);
      this.listener.close(last.name);
      if (last.written === written) return;
    }
  }

  private name(start: number, end: number): string {
    return this.xml.slice(start, Math.min(end, start + LONGEST_NAME)).toLowerCase();
  }
}

function nameOf(written: string, scope: ReadonlyMap<string, string>): XmlName {
  const colon = written.indexOf(':');
  const prefix = colon < 0 ? '' : written.slice(0, colon);
  return { namespace: scope.get(prefix) ?? '', prefix, local: written.slice(colon + 1) };
}

/** The namespaces that hold inside of an element: those around it, and those it declares. */
function scopeOf(attributes: XmlAttributes, around: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  let scope: Map<string, string> | null = null;
  for (const [name, uri] of attributes) {
    if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue;
    scope ??= new Map(around);
    const prefix = name.slice(6);
    if (uri.length <= LONGEST_URI && (scope.size < MOST_PREFIXES || scope.has(prefix))) scope.set(prefix, uri.trim());
  }
  return scope ?? around;
}

/** Tells `listener` the elements and the text of `xml` in document order. Never throws by itself. */
export function scanXml(xml: string, listener: XmlListener): void {
  const tokenizer = new Tokenizer({ xmlMode: true, decodeEntities: true }, new XmlScanner(xml, listener));
  tokenizer.write(xml);
  tokenizer.end();
}

const OF_PROLOG = /\s+|<\?[^>]*>|<!--[^]*?-->|<!doctype[^>[]*(?:\[[^\]]*\])?[^>]*>/iy;
const ROOT = /<([A-Za-z_][\w.:-]{0,99})/y;

/** The name of the root element as written, in lower case; empty where the first 8,192 characters show none. */
export function rootOf(xml: string): string {
  const head = xml.slice(0, 8_192);
  let at = head.startsWith('\ufeff') ? 1 : 0;
  for (;;) {
    OF_PROLOG.lastIndex = at;
    if (!OF_PROLOG.test(head)) break;
    at = OF_PROLOG.lastIndex;
  }
  ROOT.lastIndex = at;
  return ROOT.exec(head)?.[1]?.toLowerCase() ?? '';
}
