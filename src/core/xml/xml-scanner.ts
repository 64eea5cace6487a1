/**
 * XML as a stream of elements and text: feeds, sitemaps, and XML of an unknown vocabulary.
 *
 * A thin layer over htmlparser2's tokenizer. Only the five entities of XML and character references are decoded; a DOCTYPE
 * is skipped with all its declarations, so nothing is expanded or fetched. Open elements are kept in a stack of bounded
 * depth: deeper ones are skipped with their text. An end tag closes all elements that are open in its element; one that
 * matches no start tag is skipped. Time is linear.
 */
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import {
  NO_NAME,
  NO_NAMESPACES,
  type WrittenName,
  type XmlAttributes,
  type XmlName,
  type XmlScope,
  prologEnd,
  qualifiedName,
  scopeOf,
} from './xml-name.js';

export interface XmlListener {
  /** A start tag. `parent`: the element around it, without any name for the root. */
  open(name: XmlName, attributes: XmlAttributes, parent: XmlName): void;
  /** The end of an element that `open` was called for; not called for elements that the document leaves open. */
  close(name: XmlName): void;
  /** Text or CDATA directly inside of `parent`; may come in pieces. */
  text(piece: string, parent: XmlName): void;
  /** Whether to stop; called after each tag. Without it the whole document is read. */
  isDone?(): boolean;
}

/** How names are compared, and limits. Lengths in UTF-16 units. */
export interface XmlOptions {
  readonly naming: (written: string) => WrittenName;
  /** Attributes that are passed on, by name; null for all, which namespaces need. */
  readonly attributes: ReadonlySet<string> | null;
  readonly deepest: number;
  /** Longer names are truncated. */
  readonly maxNameLength: number;
  /** Attributes with a longer value are skipped. */
  readonly maxValueLength: number;
}

export const XML_OPTIONS: XmlOptions = {
  naming: qualifiedName,
  attributes: null,
  deepest: 200,
  maxNameLength: 100,
  maxValueLength: 16_384,
};

export interface XmlScanned {
  /** The document ended in an element, or in a start tag after its name. */
  readonly truncated: boolean;
  /** Elements skipped because they are deeper than the limit, their descendants included. */
  readonly tooDeep: number;
}

const MAX_ATTRIBUTES = 50;

interface OpenElement {
  readonly name: XmlName;
  readonly key: string;
  readonly scope: XmlScope;
}

class XmlScanner implements TokenizerCallbacks {
  private readonly tokenizer = new Tokenizer({ xmlMode: true, decodeEntities: true }, this);
  private readonly stack: OpenElement[] = [];
  /** Number of open elements by key. */
  private readonly opened = new Map<string, number>();
  /** Open elements deeper than the limit. */
  private beyond = 0;
  private tooDeep = 0;
  private inTag = false;
  private done = false;
  private tag: WrittenName = { key: '', prefix: '', local: '' };
  private attributes = new Map<string, string>();
  /** Key of the current attribute; null for one that is not passed on. */
  private attribute: string | null = null;
  private value = '';

  constructor(
    private readonly xml: string,
    private readonly listener: XmlListener,
    private readonly options: XmlOptions,
  ) {}

  scan(): XmlScanned {
    this.tokenizer.write(this.xml);
    if (!this.done) this.tokenizer.end();
    return { truncated: !this.done && (this.stack.length > 0 || this.inTag), tooDeep: this.tooDeep };
  }

  ontext(start: number, end: number): void {
    // After an unfinished end tag the tokenizer reports text with a negative start.
    if (start >= 0) this.emit(this.xml.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    this.emit(String.fromCodePoint(codePoint));
  }

  oncdata(start: number, end: number, endOffset: number): void {
    this.ontext(start, end - endOffset);
  }

  onopentagname(start: number, end: number): void {
    this.inTag = true;
    this.tag = this.name(start, end);
    if (this.attributes.size > 0) this.attributes = new Map();
  }

  onattribname(start: number, end: number): void {
    const { key } = this.name(start, end);
    this.attribute = this.options.attributes?.has(key) === false ? null : key;
    this.value = '';
  }

  onattribdata(start: number, end: number): void {
    if (this.isValueWanted()) this.value += this.xml.slice(start, end);
  }

  onattribentity(codePoint: number): void {
    if (this.isValueWanted()) this.value += String.fromCodePoint(codePoint);
  }

  onattribend(): void {
    const { attribute, attributes, value } = this;
    if (attribute === null || value.length > this.options.maxValueLength) return;
    if (attributes.size < MAX_ATTRIBUTES && !attributes.has(attribute)) attributes.set(attribute, value);
  }

  onopentagend(): void {
    this.inTag = false;
    if (this.stack.length < this.options.deepest) this.enter();
    else {
      this.beyond++;
      this.tooDeep++;
    }
    this.stopIfDone();
  }

  private enter(): void {
    const { key, prefix, local } = this.tag;
    const around = this.stack.at(-1);
    const scope = scopeOf(this.attributes, around?.scope ?? NO_NAMESPACES);
    const name = { namespace: scope.get(prefix) ?? '', prefix, local };
    this.stack.push({ name, key, scope });
    this.opened.set(key, (this.opened.get(key) ?? 0) + 1);
    this.listener.open(name, this.attributes, around?.name ?? NO_NAME);
  }

  onselfclosingtag(): void {
    this.onopentagend();
    this.leave(this.tag.key);
  }

  onclosetag(start: number, end: number): void {
    this.leave(this.name(start, end).key);
    this.stopIfDone();
  }

  oncomment(): void {}

  ondeclaration(): void {}

  onprocessinginstruction(): void {}

  onend(): void {}

  private emit(piece: string): void {
    if (this.beyond === 0) this.listener.text(piece, this.stack.at(-1)?.name ?? NO_NAME);
  }

  private leave(key: string): void {
    if (this.beyond > 0) {
      this.beyond--;
      return;
    }
    if (!this.opened.has(key)) return;
    for (let last = this.stack.pop(); last !== undefined; last = this.stack.pop()) {
      const others = (this.opened.get(last.key) ?? 1) - 1;
      if (others === 0) this.opened.delete(last.key);
      else this.opened.set(last.key, others);
      this.listener.close(last.name);
      if (last.key === key) return;
    }
  }

  private stopIfDone(): void {
    if (this.listener.isDone?.() !== true) return;
    this.done = true;
    this.tokenizer.pause();
  }

  /** Whether to append to the value: not once it is too long. */
  private isValueWanted(): boolean {
    return this.attribute !== null && this.value.length <= this.options.maxValueLength;
  }

  private name(start: number, end: number): WrittenName {
    const { maxNameLength, naming } = this.options;
    return naming(this.xml.slice(start, Math.min(end, start + maxNameLength)));
  }
}

/**
 * Calls `listener` with the elements and the text of `xml` in document order. Once `isDone` returns true, only the end of
 * a self-closing element may follow. Never throws unless the listener does.
 */
export function scanXml(xml: string, listener: XmlListener, options: XmlOptions = XML_OPTIONS): XmlScanned {
  // The tokenizer ends a DOCTYPE at its first `>`, and reports the rest of its declarations as text.
  return new XmlScanner(xml.slice(prologEnd(xml)), listener, options).scan();
}
