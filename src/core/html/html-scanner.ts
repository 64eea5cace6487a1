/**
 * HTML as a stream of tags and text, without a tree, in one pass.
 *
 * Handles tags, attributes, comments, raw text and entities like the tokenizer of the HTML standard, but reports tags and text
 * only: text is skipped by searching for the next `<`, a value by searching for its quote, and attributes that are not wanted
 * are not copied. A crawler needs no tree, so the only state is what is open of foreign content (SVG, MathML), and the cost is
 * linear in the length of any document.
 *
 * Source: HTML Living Standard §13.2.5 (tokenization).
 */
import { decodeHTML, decodeHTMLAttribute } from 'entities';
import { ForeignContent } from './foreign-content.js';
import { type Names, commonTags, keptAttributes } from './names.js';
import { RAW_TEXT, endOfRawText } from './raw-text.js';

/** Attributes of one tag: only those of `keptAttributes`, names in lower case, the first of a name wins. */
export type Attributes = Readonly<Record<string, string | undefined>>;

export interface ScanHandler {
  /** Whether attributes of this tag are wanted. Called once for each start tag, name in lower case. */
  wants(tag: string): boolean;
  /** A start tag. `attributes` is empty unless wanted. */
  open(tag: string, attributes: Attributes): void;
  /** An end tag as written in the document; it may not match a start tag. */
  close(tag: string): void;
  /**
   * A piece of text, entities decoded; also the content of script and style. It is the part of `source` from `from` to `to`:
   * mostly that is the document itself, whose characters are read faster than those of a copied substring.
   */
  text(source: string, from: number, to: number): void;
}

const MAX_NAME_LENGTH = 64;
const NO_ATTRIBUTES: Attributes = Object.freeze(Object.create(null) as Record<string, string>);

const SPACE = 0x20;
const BANG = 0x21;
const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const DASH = 0x2d;
const SLASH = 0x2f;
const EQUALS = 0x3d;
const GREATER = 0x3e;
const QUESTION = 0x3f;

const isHtmlSpace = (code: number): boolean =>
  code === SPACE || code === 0x0a || code === 0x09 || code === 0x0d || code === 0x0c;

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/**
 * Calls `handler` with the tags and the text of `html` in document order. Never throws itself; time is linear.
 * @param xhtml as in XML, every element can be self-closing, and CDATA is text
 */
export function scanHtml(html: string, handler: ScanHandler, xhtml = false): void {
  new Scanner(html, handler, xhtml).scan();
}

class Scanner {
  private readonly end: number;
  private readonly foreign: ForeignContent;
  /** Position of the next `&`, as far as the search has come. */
  private ampersand = -1;
  /** Wanted attributes of the current tag; null without any. */
  private attributes: Record<string, string> | null = null;
  /** Whether the last tag ends with a slash. */
  private selfClosing = false;

  constructor(
    private readonly html: string,
    private readonly handler: ScanHandler,
    private readonly xhtml: boolean,
  ) {
    this.end = html.length;
    this.foreign = new ForeignContent((root) => handler.close(root));
  }

  scan(): void {
    const { html, end } = this;
    for (let at = 0; at < end;) {
      const less = html.indexOf('<', at);
      if (less < 0) return this.text(at, end);
      const code = html.charCodeAt(less + 1);
      if (isLetter(code)) {
        if (less > at) this.text(at, less);
        at = this.startTag(less + 1);
      } else if (code === SLASH && less + 2 < end) {
        if (less > at) this.text(at, less);
        at = this.endTag(less + 2);
      } else if (code === BANG || code === QUESTION) {
        if (less > at) this.text(at, less);
        at = code === BANG ? this.declaration(less + 2) : this.after('>', less + 2);
      } else {
        this.text(at, less + 1);
        at = less + 1;
      }
    }
  }

  private text(from: number, to: number): void {
    const { html, handler } = this;
    if (this.ampersand < from) this.ampersand = html.indexOf('&', from);
    if (this.ampersand < 0) this.ampersand = this.end;
    if (this.ampersand >= to) return handler.text(html, from, to);
    const decoded = decodeHTML(html.slice(from, to));
    handler.text(decoded, 0, decoded.length);
  }

  /** The position after the next `delimiter`, or the end. */
  private after(delimiter: string, from: number): number {
    const at = this.html.indexOf(delimiter, from);
    return at < 0 ? this.end : at + delimiter.length;
  }

  /** Reads a start tag; one that is incomplete at the end of the document is ignored. Returns the position after it. */
  private startTag(from: number): number {
    const nameEnd = this.nameEnd(from);
    const tag = this.name(from, nameEnd, commonTags);
    const at = this.attributesFrom(nameEnd, this.handler.wants(tag));
    if (at < 0) return this.end;
    const isForeign = (this.foreign.isInside || tag === 'svg' || tag === 'math') && this.foreign.takes(tag);
    // Only elements of XHTML and of foreign content can be self-closing; in HTML the slash is ignored.
    const closed = this.selfClosing && (isForeign || this.xhtml);
    if (isForeign && !closed) this.foreign.open(tag);
    this.handler.open(tag, this.attributes ?? NO_ATTRIBUTES);
    if (closed) this.handler.close(tag);
    return closed || isForeign || !RAW_TEXT.has(tag) ? at : this.rawText(tag, at);
  }

  private endTag(from: number): number {
    const { html } = this;
    if (!isLetter(html.charCodeAt(from))) return this.after('>', from);
    const nameEnd = this.nameEnd(from);
    const tag = this.name(from, nameEnd, commonTags);
    const at = html.charCodeAt(nameEnd) === GREATER ? nameEnd + 1 : this.attributesFrom(nameEnd, false);
    if (at < 0) return this.end;
    if (this.foreign.isInside) this.foreign.end(tag);
    this.handler.close(tag);
    return at;
  }

  private rawText(tag: string, from: number): number {
    const to = endOfRawText(this.html, tag, from);
    if (to > from) {
      const isData = tag === 'title' || tag === 'textarea';
      if (isData) this.text(from, to);
      else this.handler.text(this.html, from, to);
    }
    return to;
  }

  /** Reads a comment, a doctype, CDATA of foreign content or XHTML, or a bogus comment, after `<!`. */
  private declaration(from: number): number {
    const { html } = this;
    if (html.charCodeAt(from) === DASH && html.charCodeAt(from + 1) === DASH) return this.commentEnd(from + 2);
    const canBeText = this.foreign.isInside || this.xhtml;
    if (!canBeText || !html.startsWith('[CDATA[', from)) return this.after('>', from);
    const end = this.after(']]>', from);
    const hasEnd = html.endsWith(']]>', end);
    this.handler.text(html, from + '[CDATA['.length, hasEnd ? end - ']]>'.length : end);
    return end;
  }

  private commentEnd(from: number): number {
    const { html } = this;
    if (html.startsWith('>', from)) return from + 1;
    if (html.startsWith('->', from)) return from + 2;
    for (let at = html.indexOf('--', from); at >= 0; at = html.indexOf('--', at + 1)) {
      const next = html.charCodeAt(at + 2);
      if (next === GREATER) return at + 3;
      if (next === BANG && html.charCodeAt(at + 3) === GREATER) return at + 4;
    }
    return this.end;
  }

  private nameEnd(from: number): number {
    const { html, end } = this;
    let at = from + 1;
    for (; at < end; at++) {
      const code = html.charCodeAt(at);
      if (code === GREATER || code === SLASH || isHtmlSpace(code)) break;
    }
    return at;
  }

  private name(from: number, to: number, names: Names): string {
    return names.find(this.html, from, to) ?? this.html.slice(from, Math.min(to, from + MAX_NAME_LENGTH)).toLowerCase();
  }

  /** Reads attributes up to the end of the tag. Returns the position after it; negative if the document ends before. */
  private attributesFrom(from: number, isWanted: boolean): number {
    const { html, end } = this;
    this.attributes = null;
    let slash = false;
    for (let at = from; at < end;) {
      const code = html.charCodeAt(at);
      if (code === GREATER) {
        this.selfClosing = slash;
        return at + 1;
      }
      slash = code === SLASH;
      if (slash || isHtmlSpace(code)) at++;
      else at = this.attribute(at, isWanted);
    }
    return -1;
  }

  /** Reads an attribute, whose name may begin with `=`. Returns its end. */
  private attribute(from: number, isWanted: boolean): number {
    const { html, end } = this;
    let nameEnd = from + 1;
    for (; nameEnd < end; nameEnd++) {
      const code = html.charCodeAt(nameEnd);
      if (code === EQUALS || code === GREATER || code === SLASH || isHtmlSpace(code)) break;
    }
    let at = this.afterSpace(nameEnd);
    let valueStart = at;
    let valueEnd = at;
    if (html.charCodeAt(at) === EQUALS) {
      at = this.afterSpace(at + 1);
      const quote = html.charCodeAt(at);
      const isQuoted = quote === QUOTE || quote === APOSTROPHE;
      valueStart = isQuoted ? at + 1 : at;
      valueEnd = isQuoted ? html.indexOf(quote === QUOTE ? '"' : "'", valueStart) : this.unquotedEnd(at);
      if (valueEnd < 0) return end;
      at = isQuoted ? valueEnd + 1 : valueEnd;
    }
    const name = isWanted ? keptAttributes.find(html, from, nameEnd) : null;
    if (name !== null) this.keep(name, html.slice(valueStart, valueEnd));
    return at;
  }

  private keep(name: string, value: string): void {
    // A plain object: no kept name is a property of Object.prototype, and an object without prototype is slow.
    this.attributes ??= {};
    this.attributes[name] ??= value.includes('&') ? decodeHTMLAttribute(value) : value;
  }

  private afterSpace(from: number): number {
    let at = from;
    while (isHtmlSpace(this.html.charCodeAt(at))) at++;
    return at;
  }

  private unquotedEnd(from: number): number {
    let at = from;
    for (; at < this.end; at++) {
      const code = this.html.charCodeAt(at);
      if (code === GREATER || isHtmlSpace(code)) break;
    }
    return at;
  }
}
