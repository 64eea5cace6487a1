/**
 * Parses CSS selectors (Selectors Level 4).
 *
 * The parser reports errors when a rule is set; the capped process runs its result (core/tree/select.ts). Besides syntax
 * errors it rejects pseudo-elements and states of a displayed page (`:hover`), as they would never match, and namespace
 * prefixes, as HTML pages declare none.
 */
import { SelectorError } from './selector-error.js';
import type { Combinator, Compound, Condition, Selector } from './selector.js';

/** An escaped character: its hexadecimal number, which a white space may end, or the character. */
const ESCAPE = String.raw`\\(?:[\dA-Fa-f]{1,6}(?:\r\n|[ \t\r\n\f])?|[^\n\dA-Fa-f])`;
const IDENT = new RegExp(`(?:--|-?(?:[A-Za-z_\u0080-\uffff]|${ESCAPE}))(?:[\\w\\-\u0080-\uffff]|${ESCAPE})*`, 'y');
const NAME = new RegExp(`(?:[\\w\\-\u0080-\uffff]|${ESCAPE})+`, 'y');
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
/** Depth of nested selectors. */
const MAX_DEPTH = 10;

/** @throws SelectorError with position and reason. Linear in the length of the selector. */
export function readSelector(selector: string): readonly Selector[] {
  const reader = new SelectorReader(selector);
  const selectors = reader.list(0, false);
  if (!reader.done) reader.fault('a selector ends here');
  return selectors;
}

class SelectorReader {
  private at = 0;

  constructor(private readonly text: string) {}

  get done(): boolean {
    return this.at >= this.text.length;
  }

  fault(reason: string): never {
    throw new SelectorError(this.at + 1, reason);
  }

  /** Selectors separated by commas. `relative`: each may begin with a combinator, as in `:has(> a)`. */
  list(depth: number, relative: boolean): Selector[] {
    if (depth > MAX_DEPTH) this.fault('too many selectors inside selectors');
    const selectors: Selector[] = [];
    do {
      this.take(SPACE);
      const first = relative ? this.take(/[>+~]/y) : '';
      if (first !== '') this.take(SPACE);
      selectors.push(this.complex(depth, (first || ' ') as Combinator));
    } while (this.take(/,/y));
    return selectors;
  }

  private complex(depth: number, first: Combinator): Selector {
    const selector: Compound[] = [];
    for (let combinator = first; ;) {
      selector.push({ combinator, conditions: this.compound(depth) });
      const spaced = this.take(SPACE) !== '';
      const sign = this.take(/[>+~]/y);
      if (sign !== '') this.take(SPACE);
      if (sign === '' && (!spaced || this.done || /[,)]/.test(this.text.charAt(this.at)))) return selector;
      combinator = (sign || ' ') as Combinator;
    }
  }

  private compound(depth: number): Condition[] {
    const start = this.at;
    const conditions: Condition[] = [];
    const type = this.take(IDENT);
    if (type !== '') conditions.push({ kind: 'type', name: type });
    else this.take(/\*/y);
    if (this.text.charAt(this.at) === '|') this.fault('prefixes of namespaces mean nothing in a page of HTML');
    for (;;) {
      const begin = this.take(/[#.[:]/y);
      if (begin === '') break;
      if (begin === '#') conditions.push({ kind: 'id', name: this.need(NAME, 'an id is missing') });
      else if (begin === '.')
        conditions.push({ kind: 'class', name: this.need(IDENT, 'the name of a class is missing') });
      else conditions.push(begin === '[' ? this.attribute() : this.pseudo(depth));
    }
    if (this.at === start) this.fault('an element, an id, a class, an attribute or a pseudo-class is missing');
    return conditions;
  }

  private attribute(): Condition {
    this.take(SPACE);
    const name = this.need(IDENT, 'the name of an attribute is missing');
    let value = '';
    let flag = '';
    this.take(SPACE);
    const operator = this.take(/[~|^$*]?=/y);
    if (operator !== '') {
      this.take(SPACE);
      const quoted = this.take(STRING);
      value = quoted === '' ? this.need(IDENT, 'a value is missing: a name, or text in quotes') : quoted.slice(1, -1);
      this.take(SPACE);
      flag = this.take(/[is]/iy).toLowerCase();
      if (flag !== '') this.take(SPACE);
    }
    this.need(/\]/y, 'the attribute is not closed by ]');
    return { kind: 'attribute', name, operator, value, flag } as Condition;
  }

  private pseudo(depth: number): Condition {
    const from = this.at - 1;
    if (this.take(/:/y)) this.refuse(from, 'pseudo-elements are no elements of a page');
    const name = this.need(IDENT, 'the name of a pseudo-class is missing').toLowerCase();
    if (SIMPLE_PSEUDOS.has(name)) return { kind: 'pseudo', name };
    if (!LIST_PSEUDOS.has(name) && !NTH_PSEUDOS.has(name) && name !== 'lang')
      this.refuse(from, `there is no pseudo-class :${name} that could pick something`);
    this.need(/\(/y, `:${name} needs something in brackets`);
    this.take(SPACE);
    let condition: Condition = { kind: 'lang' };
    if (LIST_PSEUDOS.has(name))
      condition = { kind: 'list', name, selectors: this.list(depth + 1, name === 'has') } as Condition;
    else if (name === 'lang') this.need(LANGUAGES, 'a language is missing');
    else condition = this.nth(name, depth);
    this.take(SPACE);
    this.need(/\)/y, `:${name} is not closed by )`);
    return condition;
  }

  private nth(name: string, depth: number): Condition {
    const position = this.need(NTH, 'a position is missing, such as 2, odd or 2n+1');
    this.take(SPACE);
    const of = this.take(/of(?=[ \t])/iy) === '' ? null : this.list(depth + 1, false);
    return { kind: 'nth', name, ...positionOf(position), of };
  }

  private refuse(at: number, reason: string): never {
    this.at = at;
    this.fault(reason);
  }

  private need(shape: RegExp, missing: string): string {
    return this.take(shape) || this.fault(missing);
  }

  /** Consumes a match of the sticky expression; `''` for none. */
  private take(shape: RegExp): string {
    shape.lastIndex = this.at;
    const match = shape.exec(this.text)?.[0] ?? '';
    this.at += match.length;
    return match;
  }
}

/** `even`, `odd`, `3`, `-n + 2` as a·n + b. */
function positionOf(text: string): { a: number; b: number } {
  const position = text.toLowerCase().replaceAll(/[ \t]/g, '');
  if (position === 'even') return { a: 2, b: 0 };
  if (position === 'odd') return { a: 2, b: 1 };
  const [step, offset = '0'] = position.split('n');
  if (!position.includes('n')) return { a: 0, b: Number(position) };
  return { a: /^[+-]?$/.test(step!) ? Number(`${step}1`) : Number(step), b: Number(offset || '0') };
}
