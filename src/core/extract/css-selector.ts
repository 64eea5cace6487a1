/**
 * Is this a CSS selector (Selectors Level 4) that picks elements of a page?
 *
 * The selector is run by jsdom, in the capped process; this check reports errors where it is given, without
 * loading a document tree for that. Refused besides bad grammar: pseudo-elements and what only a live page has (`:hover`), as
 * they would never pick anything, and namespace prefixes, as a page of HTML has none.
 */
import { ExpressionFault } from './expression-fault.js';

const IDENT = /(?:--|-?(?:[A-Za-z_\u0080-\uffff]|\\[^\n]))(?:[\w\-\u0080-\uffff]|\\[^\n])*/y;
const NAME = /(?:[\w\-\u0080-\uffff]|\\[^\n])+/y;
const STRING = /"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'/y;
const SPACE = /[ \t\r\n\f]*/y;
const NTH = /(?:even|odd|[+-]?\d*n(?:[ \t]*[+-][ \t]*\d+)?|[+-]?\d+)(?=[ \t]*(?:\)|of[ \t]))/iy;
const LANGUAGES = /[\w\-*"', ]+/y;

const SIMPLE_PSEUDOS = new Set(
  (
    'root scope empty first-child last-child only-child first-of-type last-of-type only-of-type link any-link ' +
    'checked disabled enabled required optional read-only read-write default indeterminate placeholder-shown'
  ).split(' '),
);
const LIST_PSEUDOS = new Set(['is', 'where', 'not', 'has']);
const NTH_PSEUDOS = new Set(['nth-child', 'nth-last-child', 'nth-of-type', 'nth-last-of-type']);
/** Selectors inside selectors. */
const DEEPEST = 10;

/** @throws ExpressionFault with position and reason. Linear in the length of the selector. */
export function checkSelector(selector: string): void {
  const reader = new SelectorReader(selector);
  reader.list(0, false);
  if (!reader.done) reader.fault('a selector ends here');
}

class SelectorReader {
  private at = 0;

  constructor(private readonly text: string) {}

  get done(): boolean {
    return this.at >= this.text.length;
  }

  fault(reason: string): never {
    throw new ExpressionFault(this.at, reason);
  }

  /** Selectors divided by commas. `relative`: each may begin with a combinator, as in `:has(> a)`. */
  list(depth: number, relative: boolean): void {
    if (depth > DEEPEST) this.fault('too many selectors inside selectors');
    do {
      this.take(SPACE);
      if (relative && this.take(/[>+~]/y)) this.take(SPACE);
      this.complex(depth);
    } while (this.take(/,/y));
  }

  private complex(depth: number): void {
    for (;;) {
      this.compound(depth);
      const spaced = this.take(SPACE) !== '';
      const combined = this.take(/[>+~]/y) !== '';
      if (combined) this.take(SPACE);
      if (!combined && (!spaced || this.done || /[,)]/.test(this.text.charAt(this.at)))) return;
    }
  }

  private compound(depth: number): void {
    const start = this.at;
    if (this.take(IDENT) === '') this.take(/\*/y);
    if (this.text.charAt(this.at) === '|') this.fault('prefixes of namespaces mean nothing in a page of HTML');
    for (;;) {
      const begin = this.take(/[#.[:]/y);
      if (begin === '') break;
      if (begin === '#') this.need(NAME, 'an id is missing');
      else if (begin === '.') this.need(IDENT, 'the name of a class is missing');
      else if (begin === '[') this.attribute();
      else this.pseudo(depth);
    }
    if (this.at === start) this.fault('an element, an id, a class, an attribute or a pseudo-class is missing');
  }

  private attribute(): void {
    this.take(SPACE);
    this.need(IDENT, 'the name of an attribute is missing');
    this.take(SPACE);
    if (this.take(/[~|^$*]?=/y)) {
      this.take(SPACE);
      if (this.take(STRING) === '') this.need(IDENT, 'a value is missing: a name, or text in quotes');
      this.take(SPACE);
      if (this.take(/[is]/iy)) this.take(SPACE);
    }
    this.need(/\]/y, 'the attribute is not closed by ]');
  }

  private pseudo(depth: number): void {
    const from = this.at - 1;
    if (this.take(/:/y)) this.refuse(from, 'pseudo-elements are no elements of a page');
    const name = this.need(IDENT, 'the name of a pseudo-class is missing').toLowerCase();
    if (SIMPLE_PSEUDOS.has(name)) return;
    if (!LIST_PSEUDOS.has(name) && !NTH_PSEUDOS.has(name) && name !== 'lang')
      this.refuse(from, `there is no pseudo-class :${name} that could pick something`);
    this.need(/\(/y, `:${name} needs something in brackets`);
    this.take(SPACE);
    if (LIST_PSEUDOS.has(name)) this.list(depth + 1, name === 'has');
    else if (name === 'lang') this.need(LANGUAGES, 'a language is missing');
    else this.nth(depth);
    this.take(SPACE);
    this.need(/\)/y, `:${name} is not closed by )`);
  }

  private nth(depth: number): void {
    this.need(NTH, 'a position is missing, such as 2, odd or 2n+1');
    this.take(SPACE);
    if (this.take(/of(?=[ \t])/iy)) this.list(depth + 1, false);
  }

  private refuse(at: number, reason: string): never {
    this.at = at;
    this.fault(reason);
  }

  private need(shape: RegExp, missing: string): string {
    return this.take(shape) || this.fault(missing);
  }

  /** What the sticky expression finds here, `''` for nothing. */
  private take(shape: RegExp): string {
    shape.lastIndex = this.at;
    const found = shape.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }
}
