/**
 * A fast path of parse5's tokenizer for ordinary tags and texts: a text is emitted as a whole instead of word by word, a
 * tag is read without a call for each character. Everything else (references, comments, unusual attributes) is left to
 * parse5's own states, so that the tree is the same (test/core/tree/parse-tree.spec.ts).
 *
 * A tag that the fast path gives up is scanned again by parse5, so no character is read more than twice.
 */
import { html, InsertionMode, Token, type TokenHandler, Tokenizer, type TokenizerOptions } from 'parse5';
import { commonTags, Names } from '../html/names.js';
import { Attr } from './element.js';

const NUL = 0;
const SPACE = 0x20;
const QUOTATION = 0x22;
const AMPERSAND = 0x26;
const APOSTROPHE = 0x27;
const SOLIDUS = 0x2f;
const LESS_THAN = 0x3c;
const EQUALS = 0x3d;
const GREATER_THAN = 0x3e;
const GRAVE = 0x60;
/** Attributes of a tag that are read here: each name is compared with those before it. */
const MAX_ATTRIBUTES = 16;

/** Of all tags without attributes: parse5 changes attributes, not their list. */
const NO_ATTRIBUTES: Token.Attribute[] = [];

const commonAttributes = new Names(
  (
    'accesskey align alt aria-hidden aria-label border cellpadding cellspacing charset class colspan content data dir ' +
    'enctype height href hreflang id lang method name rel role rowspan src start style summary tabindex target title ' +
    'type valign value width'
  ).split(' '),
);

/** Modes in which white space is inserted like any other text. */
const TEXT_ALIKE = new Set([
  InsertionMode.IN_BODY,
  InsertionMode.IN_CAPTION,
  InsertionMode.IN_CELL,
  InsertionMode.IN_TEMPLATE,
  InsertionMode.IN_SELECT,
  InsertionMode.IN_SELECT_IN_TABLE,
  InsertionMode.TEXT,
]);

const isWhite = (code: number): boolean =>
  code === SPACE || code === 0x0a || code === 0x09 || code === 0x0c || code === 0x0d;

/** ASCII letters, digits and hyphens; false for NaN, beyond the end. */
const isOfName = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || code === 0x2d;

const isLetter = (code: number): boolean => (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);

/** Characters of attribute names: lower-case letters, digits, `-`, `_`, `.`, `:`. */
const isOfAttribute = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x2d && code <= 0x3a && code !== SOLIDUS) || code === 0x5f;

export class PageTokenizer extends Tokenizer {
  /** Offset in the page after the last attributes or the last value. */
  private at = 0;
  private isSelfClosing = false;
  /** Attributes of this tag, and then of earlier ones: V8 reserves more memory for an array that grows. */
  private readonly attributes: Attr[] = [];

  constructor(
    options: TokenizerOptions,
    private readonly parser: TokenHandler & {
      readonly insertionMode: InsertionMode;
      readonly skipNextNewLine: boolean;
    },
  ) {
    super(options, parser);
    // The page stays one string, of which texts and values are substrings.
    this.preprocessor.bufferWaterline = Infinity;
  }

  protected override _stateData(code: number): void {
    if (code === LESS_THAN ? !this.readTag() : !this.readText(code)) super._stateData(code);
  }

  protected override _stateRcdata(code: number): void {
    if (code === LESS_THAN || !this.readText(code)) super._stateRcdata(code);
  }

  protected override _stateRawtext(code: number): void {
    if (code === LESS_THAN || !this.readText(code)) super._stateRawtext(code);
  }

  protected override _stateScriptData(code: number): void {
    if (code === LESS_THAN || !this.readText(code)) super._stateScriptData(code);
  }

  /** Text up to a tag or a reference; where white space is separate, a run of one kind. @param first its first character */
  private readText(first: number): boolean {
    if (first === AMPERSAND || first <= NUL) return false;
    this._emitCurrentCharacterToken(null);
    const { parser, preprocessor } = this;
    const { html: page, codePointStart: start } = preprocessor;
    const areAlike = !parser.skipNextNewLine && (this.inForeignNode || TEXT_ALIKE.has(parser.insertionMode));
    let isSpace = isWhite(first);
    let end = preprocessor.pos + 1;
    for (; end < page.length; end++) {
      const code = page.charCodeAt(end);
      if (code === LESS_THAN || code === AMPERSAND || code === NUL) break;
      if (isWhite(code) === isSpace) continue;
      if (areAlike) isSpace = false;
      else break;
    }
    preprocessor.pos = end - 1;
    const chars = page.slice(start, end);
    if (isSpace)
      this.handler.onWhitespaceCharacter({ type: Token.TokenType.WHITESPACE_CHARACTER, chars, location: null });
    else this.handler.onCharacter({ type: Token.TokenType.CHARACTER, chars, location: null });
    return true;
  }

  private readTag(): boolean {
    const { html: page, pos } = this.preprocessor;
    const isEnd = page.charCodeAt(pos + 1) === SOLIDUS;
    const from = pos + (isEnd ? 2 : 1);
    if (!isLetter(page.charCodeAt(from))) return false;
    let at = from + 1;
    while (isOfName(page.charCodeAt(at))) at++;
    const name = nameIn(page, from, at);
    if (name === null) return false;
    this.at = at;
    const attrs = isEnd ? this.endOfTag(page) : this.readAttributes(page);
    if (attrs === null) return false;
    this._emitCurrentCharacterToken(null);
    this.preprocessor.pos = this.at;
    const tag: Token.TagToken = {
      type: isEnd ? Token.TokenType.END_TAG : Token.TokenType.START_TAG,
      tagName: name,
      tagID: html.getTagID(name),
      selfClosing: !isEnd && this.isSelfClosing,
      ackSelfClosing: false,
      attrs,
      location: null,
    };
    if (!isEnd) this.lastStartTagName = name;
    if (isEnd) this.handler.onEndTag(tag);
    else this.handler.onStartTag(tag);
    return true;
  }

  /** An empty list where only `>` follows the name; else null. */
  private endOfTag(page: string): Token.Attribute[] | null {
    while (isWhite(page.charCodeAt(this.at))) this.at++;
    return page.charCodeAt(this.at) === GREATER_THAN ? NO_ATTRIBUTES : null;
  }

  /** Null for attributes that are left to parse5. */
  private readAttributes(page: string): Token.Attribute[] | null {
    let count = 0;
    for (;;) {
      const before = this.at;
      while (isWhite(page.charCodeAt(this.at))) this.at++;
      const code = page.charCodeAt(this.at);
      if (code === GREATER_THAN || code === SOLIDUS) break;
      // White space must separate two attributes.
      if (this.at === before || count >= MAX_ATTRIBUTES) return null;
      const start = this.at;
      while (isOfAttribute(page.charCodeAt(this.at))) this.at++;
      if (this.at === start) return null;
      const name = commonAttributes.find(page, start, this.at) ?? page.slice(start, this.at);
      for (let earlier = 0; earlier < count; earlier++) if (this.attributes[earlier]!.name === name) return null;
      const value = this.readValue(page);
      if (value === null) return null;
      this.attributes[count++] = new Attr(name, value);
    }
    this.isSelfClosing = page.charCodeAt(this.at) === SOLIDUS;
    if (this.isSelfClosing && page.charCodeAt(++this.at) !== GREATER_THAN) return null;
    return count === 0 ? NO_ATTRIBUTES : this.attributes.slice(0, count);
  }

  private readValue(page: string): string | null {
    if (page.charCodeAt(this.at) !== EQUALS) return '';
    const start = this.at + 1;
    const quote = page.charCodeAt(start);
    const isQuoted = quote === QUOTATION || quote === APOSTROPHE;
    let end = isQuoted ? start + 1 : start;
    for (; ; end++) {
      const code = page.charCodeAt(end);
      if (isQuoted ? code === quote : isWhite(code) || code === GREATER_THAN) break;
      if (code === AMPERSAND || code === NUL || Number.isNaN(code)) return null;
      if (!isQuoted && isOdd(code)) return null;
    }
    this.at = isQuoted ? end + 1 : end;
    if (isQuoted) return page.slice(start + 1, end);
    return end === start ? null : page.slice(start, end);
  }
}

/** CDATA is text, as in foreign content of HTML. */
export class XhtmlTokenizer extends PageTokenizer {
  protected override _stateMarkupDeclarationOpen(code: number): void {
    const { inForeignNode } = this;
    this.inForeignNode = true;
    super._stateMarkupDeclarationOpen(code);
    this.inForeignNode = inForeignNode;
  }
}

/** Characters that are errors in an unquoted value. */
const isOdd = (code: number): boolean =>
  code === QUOTATION || code === APOSTROPHE || code === LESS_THAN || code === EQUALS || code === GRAVE;

/** Null for a name with upper-case letters. */
function nameIn(page: string, from: number, to: number): string | null {
  const known = commonTags.find(page, from, to);
  if (known !== null) return known;
  const name = page.slice(from, to);
  return /[A-Z]/.test(name) ? null : name;
}
