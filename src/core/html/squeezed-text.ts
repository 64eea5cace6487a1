/**
 * Text with its white space squeezed, built piece by piece.
 *
 * Markup cuts text into pieces at every tag and every entity. A piece is cut into runs of words once and the runs go to
 * everyone who collects at that place: the page's text, the title, an anchor. Each collector keeps what separates it from
 * the next run: nothing, a space, or a line. Strings are only appended to and never cut while they grow, because V8
 * copies the whole of a growing string when it is cut.
 */

const NOTHING = 0;
const SPACE = 1;
const LINE = 2;

/** Collects runs of words up to a number of characters (UTF-16 units). */
export class SqueezedText {
  private text = '';
  private gap = NOTHING;

  constructor(private readonly limit: number) {}

  get full(): boolean {
    return this.text.length >= this.limit;
  }

  /** What comes next is another word. */
  space(): void {
    if (this.gap === NOTHING) this.gap = SPACE;
  }

  /** What comes next is another line. */
  line(): void {
    this.gap = LINE;
  }

  /** Adds a run that neither starts nor ends with white space and holds single spaces only. */
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
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  const whole = last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit;
  return text.slice(0, whole).trimEnd();
}

/** White space of HTML and Unicode, and the control characters, which nobody wants in a text. */
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

/** Gives the words of `text` (or of its part) to every collector. Linear in the length of the part. */
export function collect(text: string, collectors: readonly SqueezedText[], from = 0, to = text.length): void {
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

/** One string squeezed, at most `limit` long. */
export function squeezed(text: string, limit: number): string {
  const collector = new SqueezedText(limit);
  collect(text, [collector]);
  return collector.toString();
}
