/**
 * Text with collapsed white space, built piece by piece.
 *
 * Markup splits text into pieces at every tag and every entity. A piece is split into runs of words once, and the runs are
 * added to all given collectors. Each collector keeps the separator before the next run: none, a space, or a line break.
 * Strings are only appended to and not sliced while they grow, because V8 copies (flattens) a growing string when it is sliced.
 */
import { startOf } from '../text-start.js';

const NOTHING = 0;
const SPACE = 1;
const LINE = 2;

/** Collects runs of words up to a number of characters (UTF-16 units). */
export class CollapsedText {
  private text = '';
  private gap = NOTHING;

  constructor(private readonly limit: number) {}

  get full(): boolean {
    return this.text.length >= this.limit;
  }

  /** Ends a word. */
  space(): void {
    if (this.gap === NOTHING) this.gap = SPACE;
  }

  /** Ends a line. */
  line(): void {
    this.gap = LINE;
  }

  /** Adds a run without white space at its ends and with single spaces only. */
  add(run: string): void {
    if (this.full) return;
    if (this.gap !== NOTHING && this.text !== '') this.text += this.gap === LINE ? '\n' : ' ';
    this.gap = NOTHING;
    this.text += run;
  }

  /** The text, at most `limit` long, never ending in half a character or a space. */
  toString(): string {
    return cutText(this.text, this.limit);
  }
}

/** At most `limit` UTF-16 units of `text`, without half a surrogate pair and without trailing space. */
export function cutText(text: string, limit: number): string {
  return text.length <= limit ? text : startOf(text, limit).trimEnd();
}

/** White space of HTML and Unicode, and the control characters. */
export function isSpace(code: number): boolean {
  if (code <= 0x20) return true;
  if (code < 0x7f) return false;
  if (code <= 0xa0) return true;
  if (code < 0x1680) return false;
  return (
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000 ||
    code === 0xfeff
  );
}

/** Adds the words of `text` (or of a range of it) to every collector. Linear in the length of the range. */
export function collect(text: string, collectors: readonly CollapsedText[], from = 0, to = text.length): void {
  let start = -1;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (!isSpace(code)) {
      if (start < 0) start = at;
    } else if (start < 0) {
      while (at + 1 < to && isSpace(text.charCodeAt(at + 1))) at++;
      for (const collector of collectors) collector.space();
    } else if (code !== 0x20 || at + 1 === to || isSpace(text.charCodeAt(at + 1))) {
      const run = text.slice(start, at);
      for (const collector of collectors) {
        collector.add(run);
        collector.space();
      }
      start = -1;
    }
  }
  if (start < 0) return;
  const run = text.slice(start, to);
  for (const collector of collectors) collector.add(run);
}

/** A string with collapsed white space, at most `limit` long. */
export function collapseSpace(text: string, limit: number): string {
  const collector = new CollapsedText(limit);
  collect(text, [collector]);
  return collector.toString();
}
