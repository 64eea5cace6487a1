/**
 * The text of a page with its white space squeezed, and the parts of it that are wanted by themselves: title, anchors, headings.
 *
 * What stands between words is at most one separator: a line where blocks begin or end, else a space. Words go as UTF-16 units into one
 * buffer, which becomes one string at the end; a part is where it begins and ends in there. Appended to strings instead, each
 * piece between two tags would be three objects for the garbage collector, and the whole would be copied once more to be read.
 */
import { cutText, isSpace } from './squeezed-text.js';

/** What stands before the next word: nothing, or the unit of a separator. */
const NOTHING = 0;
const SPACE = 0x20;
const LINE = 0x0a;

/** A part of the text, at most `limit` UTF-16 units long. */
export interface TextPart {
  readonly from: number;
  /** Infinity while it is open. */
  to: number;
  readonly limit: number;
}

/** Units that the buffer has at first, and at most when it is left to the next page. */
const INITIAL_UNITS = 65_536;
/** The buffer of the page before: pages are read one after another. */
let spare: Uint16Array | null = null;

export class PageText {
  private units = spare ?? new Uint16Array(INITIAL_UNITS);
  private length = 0;
  private gap = NOTHING;
  /** All units together: below 256 the text is Latin-1. */
  private bits = 0;
  /** No part wants a unit behind this one. */
  private wanted: number;
  private text = '';

  /** @param limit UTF-16 units of the whole that are kept; parts that begin behind it are kept nevertheless */
  constructor(private readonly limit: number) {
    spare = null;
    this.wanted = limit + 1;
  }

  /** What comes next is another word. */
  space(): void {
    if (this.gap === NOTHING) this.gap = SPACE;
  }

  /** What comes next is another line. */
  line(): void {
    this.gap = LINE;
  }

  /** A part begins with the next word. */
  begin(limit: number): TextPart {
    // Space for the separator before it, and for one unit more, by which it is seen to be too long.
    this.wanted = Math.max(this.wanted, this.length + limit + 2);
    return { from: this.length, to: Infinity, limit };
  }

  end(part: TextPart): void {
    part.to = this.length;
  }

  /** Takes the words of a part of `source`. Linear in its length. */
  write(source: string, from: number, to: number): void {
    const { wanted } = this;
    if (this.length >= wanted) return;
    // A word may bring a separator. Of a text without end no more is taken than is wanted.
    this.grow(Math.min(to - from, wanted - this.length) + 2);
    const { units } = this;
    let { length, gap, bits } = this;
    for (let at = from; at < to && length < wanted; at++) {
      const unit = source.charCodeAt(at);
      if (unit > SPACE && (unit < 0x7f || !isSpace(unit))) {
        if (gap !== NOTHING) {
          // At the beginning the word takes its place.
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

  /** The same for preformatted text: its lines stay lines. */
  writeLines(source: string, from: number, to: number): void {
    // Looked for in the part alone: each of many parts without a line break would search the rest of the document.
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

  /** Nothing more comes. Only now can the text and its parts be asked for. */
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

  /** The whole, never ending in half a character or a space. */
  toString(): string {
    return cutText(this.text, this.limit);
  }

  /** A part, likewise, without the separator before its first word. */
  of({ from, to, limit }: TextPart): string {
    const part = this.text.slice(from, Math.min(to, from + limit + 2));
    const first = part.charCodeAt(0);
    return cutText(first === SPACE || first === LINE ? part.slice(1) : part, limit);
  }

  private grow(more: number): void {
    const needed = this.length + more;
    if (needed <= this.units.length) return;
    const larger = new Uint16Array(Math.max(needed, 2 * this.units.length));
    larger.set(this.units.subarray(0, this.length));
    this.units = larger;
  }
}
