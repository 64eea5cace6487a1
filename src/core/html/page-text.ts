/**
 * The text of a page with collapsed white space, and the parts that are needed separately: title, anchors, headings.
 *
 * Words are separated by one line break where blocks begin or end, else by one space. They are written as UTF-16 units into one
 * buffer, which becomes one string at the end; a span is a range of it. With appended strings each piece between two tags would
 * be three objects for the garbage collector, and the whole would be copied once more on the first read.
 */
import { cutText, isSpace } from './collapsed-text.js';

/** Separator before the next word: none, or its unit. */
const NOTHING = 0;
const SPACE = 0x20;
const LINE = 0x0a;

/** A span of the text, at most `limit` UTF-16 units long. */
export interface TextSpan {
  readonly from: number;
  /** Infinity while it is open. */
  to: number;
  readonly limit: number;
}

/** Initial size of the buffer; only a buffer of this size is reused. */
const INITIAL_UNITS = 65_536;
/**
 * The buffer of the previous page: pages are parsed one after another. Its content never outlives a page, so it is no state
 * of the parser, and is not passed from page to page.
 */
let spare: Uint16Array | null = null;

export class PageText {
  private units = spare ?? new Uint16Array(INITIAL_UNITS);
  private length = 0;
  private gap = NOTHING;
  /** Bitwise OR of all units: below 256 the text is Latin-1. */
  private bits = 0;
  /** Units needed by the whole and all parts so far: writes stop there. */
  private wanted: number;
  private text = '';

  /** @param limit maximum of UTF-16 units of the whole; parts that begin after it are still kept */
  constructor(private readonly limit: number) {
    spare = null;
    this.wanted = limit + 1;
  }

  /** UTF-16 units written so far. */
  get position(): number {
    return this.length;
  }

  /** Ends a word. */
  space(): void {
    if (this.gap === NOTHING) this.gap = SPACE;
  }

  /** Ends a line. */
  line(): void {
    this.gap = LINE;
  }

  /** Begins a span with the next word. */
  begin(limit: number): TextSpan {
    // Includes the separator before it, and one more unit, which shows that it is too long.
    this.wanted = Math.max(this.wanted, this.length + limit + 2);
    return { from: this.length, to: Infinity, limit };
  }

  end(span: TextSpan): void {
    span.to = this.length;
  }

  /** Appends the words of a range of `source`. Linear in its length. */
  write(source: string, from: number, to: number): void {
    const { wanted } = this;
    if (this.length >= wanted) return;
    // One more for a separator. The growth for an endless text is limited to the units needed.
    this.grow(Math.min(to - from, wanted - this.length) + 2);
    const { units } = this;
    let { length, gap, bits } = this;
    for (let at = from; at < to && length < wanted; at++) {
      const unit = source.charCodeAt(at);
      if (unit > SPACE && (unit < 0x7f || !isSpace(unit))) {
        if (gap !== NOTHING) {
          // At the beginning the word overwrites it.
          units[length] = gap;
          length += length > 0 ? 1 : 0;
          gap = NOTHING;
        }
        units[length++] = unit;
        bits |= unit;
      } else if (gap === NOTHING) gap = SPACE;
    }
    this.length = length;
    this.gap = gap;
    this.bits = bits;
  }

  /** Writes preformatted text: its line breaks are kept. */
  writeLines(source: string, from: number, to: number): void {
    // Searches the range only: each of many ranges without a line break would search the rest of the document.
    const last = from + source.slice(from, to).lastIndexOf('\n');
    let start = from;
    while (start <= last) {
      const end = source.indexOf('\n', start);
      this.write(source, start, end);
      this.line();
      start = end + 1;
    }
    this.write(source, start, to);
  }

  /** Ends writing. Only then can the text and its parts be read. */
  finish(): void {
    const { units, length } = this;
    if (this.bits < 0x100) {
      const latin1 = Buffer.allocUnsafe(length);
      for (let at = 0; at < length; at++) latin1[at] = units[at]!;
      this.text = latin1.toString('latin1');
    } else this.text = Buffer.from(units.buffer, 0, 2 * length).toString('utf16le');
    if (units.length === INITIAL_UNITS) spare = units;
    this.units = new Uint16Array(0);
  }

  /** The whole text, never ending in half a character or a space. */
  toString(): string {
    return cutText(this.text, this.limit);
  }

  /** A span, likewise, without the separator before its first word. */
  textOf({ from, to, limit }: TextSpan): string {
    const span = this.text.slice(from, Math.min(to, from + limit + 2));
    const first = span.charCodeAt(0);
    return cutText(first === SPACE || first === LINE ? span.slice(1) : span, limit);
  }

  /** A span with spaces for its line breaks. */
  lineOf(span: TextSpan): string {
    const text = this.textOf(span);
    return text.includes('\n') ? text.replaceAll('\n', ' ') : text;
  }

  private grow(more: number): void {
    const needed = this.length + more;
    if (needed <= this.units.length) return;
    const larger = new Uint16Array(Math.max(needed, 2 * this.units.length));
    larger.set(this.units.subarray(0, this.length));
    this.units = larger;
  }
}
