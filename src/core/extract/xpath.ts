/**
 * Checks whether an XPath 1.0 expression can be run on a page.
 *
 * The expression is run by jsdom, in the capped process; this check, a parser of the grammar of XPath 1.0 §3,
 * reports errors when a rule is set. Besides syntax errors it rejects variables and prefixes, as nothing binds them,
 * unknown functions, and functions with a wrong number of arguments.
 */
import { SelectorError } from './selector-error.js';
import { counted } from '../counted.js';

/** Core functions (XPath 1.0 §4): minimum and maximum number of arguments. */
const FUNCTIONS: Readonly<Record<string, readonly [number, number]>> = {
  last: [0, 0],
  position: [0, 0],
  count: [1, 1],
  id: [1, 1],
  'local-name': [0, 1],
  name: [0, 1],
  string: [0, 1],
  concat: [2, 100],
  'starts-with': [2, 2],
  contains: [2, 2],
  'substring-before': [2, 2],
  'substring-after': [2, 2],
  substring: [2, 3],
  'string-length': [0, 1],
  'normalize-space': [0, 1],
  translate: [3, 3],
  boolean: [1, 1],
  not: [1, 1],
  true: [0, 0],
  false: [0, 0],
  number: [0, 1],
  sum: [1, 1],
  floor: [1, 1],
  ceiling: [1, 1],
  round: [1, 1],
};

/** Functions that jsdom lacks, and what to use instead. */
const NOT_RUN: Readonly<Record<string, string>> = { lang: '@lang', 'namespace-uri': 'local-name()' };

const AXES = new Set(
  (
    'ancestor ancestor-or-self attribute child descendant descendant-or-self following following-sibling namespace ' +
    'parent preceding preceding-sibling self'
  ).split(' '),
);
const NODE_TYPES = new Set(['comment', 'text', 'processing-instruction', 'node']);
const WORD_OPERATORS = new Set(['and', 'or', 'mod', 'div']);
const SIGN_OPERATORS = new Set(['|', '+', '-', '=', '!=', '<', '<=', '>', '>=']);
/** Depth of nested expressions. */
const MAX_DEPTH = 30;

type Kind = 'name' | 'number' | 'literal' | 'sign' | 'operator' | 'end';

interface Token {
  readonly kind: Kind;
  readonly text: string;
  readonly at: number;
}

const TOKEN =
  /[ \t\r\n]*(?:(\d+(?:\.\d*)?|\.\d+)|("[^"]*"|'[^']*')|(::|\.\.|\/\/|!=|<=|>=|[()[\].@,/|+\-=<>*$:])|([A-Za-z_\u0080-\uffff][\w.\-\u0080-\uffff]*))/y;

/** @throws SelectorError with position and reason. Linear in the length of the expression. */
export function checkXPath(expression: string): void {
  const reader = new XPathReader(tokensOf(expression));
  reader.expression(0);
  reader.end();
}

function tokensOf(expression: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  let at = 0;
  for (let match = TOKEN.exec(expression); match !== null; match = TOKEN.exec(expression)) {
    const [all, number, literal, sign, name] = match;
    const text = number ?? literal ?? sign ?? name ?? '';
    const start = at + all.length - text.length;
    const kind =
      number !== undefined ? 'number' : literal !== undefined ? 'literal' : sign !== undefined ? 'sign' : 'name';
    tokens.push({ kind: operatorHere(tokens.at(-1), text) ? 'operator' : kind, text, at: start });
    at = TOKEN.lastIndex;
  }
  const rest = expression.slice(at).trimStart();
  if (rest !== '') throw new SelectorError(expression.length - rest.length + 1, 'this is no word of XPath');
  return [...tokens, { kind: 'end', text: '', at: expression.length }];
}

/** XPath 1.0 §3.7: `*`, `and` and the like are operators after a token that may end an operand, else names. */
function operatorHere(before: Token | undefined, text: string): boolean {
  if (SIGN_OPERATORS.has(text)) return true;
  if (text !== '*' && !WORD_OPERATORS.has(text)) return false;
  return (
    before !== undefined && before.kind !== 'operator' && !['@', '::', '(', '[', ',', '/', '//'].includes(before.text)
  );
}

class XPathReader {
  private next = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  private get token(): Token {
    return this.tokens[this.next]!;
  }

  end(): void {
    if (this.token.kind !== 'end') this.fault('the expression ends before this');
  }

  /** Operands with operators between them. Precedence does not affect validity. */
  expression(depth: number): void {
    if (depth > MAX_DEPTH) this.fault('too many expressions inside expressions');
    do {
      while (this.token.kind === 'operator' && this.token.text === '-') this.next++;
      this.operand(depth);
    } while (this.takeKind('operator'));
  }

  private operand(depth: number): void {
    const { kind, text } = this.token;
    if (text === '$') this.fault('variables have no value here');
    const isCall = kind === 'name' && !NODE_TYPES.has(text) && this.tokens[this.next + 1]?.text === '(';
    if (kind !== 'number' && kind !== 'literal' && text !== '(' && !isCall) return this.path(depth);
    if (isCall) this.call(depth);
    else if (this.take('(')) this.closed(depth);
    else this.next++;
    this.predicates(depth);
    if (this.take('/') || this.take('//')) this.steps(depth);
  }

  private closed(depth: number): void {
    this.expression(depth + 1);
    this.need(')', 'a bracket is not closed by )');
  }

  private call(depth: number): void {
    const { text: name, at } = this.token;
    const bounds = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
    if (Object.hasOwn(NOT_RUN, name)) this.fault(`${name}() cannot be run here: use ${NOT_RUN[name]}`);
    if (bounds === undefined) this.fault(`there is no function ${name}() in XPath 1.0`);
    this.next += 2;
    let count = 0;
    if (!this.take(')')) {
      do {
        this.expression(depth + 1);
        count++;
      } while (this.take(','));
      this.need(')', `${name}( is not closed by )`);
    }
    const [min, max] = bounds!;
    if (count < min || count > max) throw new SelectorError(at + 1, `${name}() takes ${argumentCount(min, max)}`);
  }

  private path(depth: number): void {
    const root = this.take('/');
    if (root && !this.beginsStep()) return;
    if (!root) this.take('//');
    this.steps(depth);
  }

  private beginsStep(): boolean {
    const { kind, text } = this.token;
    return kind === 'name' || ['*', '@', '.', '..'].includes(text);
  }

  private steps(depth: number): void {
    do {
      this.step(depth);
    } while (this.take('/') || this.take('//'));
  }

  private step(depth: number): void {
    if (this.take('.') || this.take('..')) return;
    if (!this.take('@') && this.tokens[this.next + 1]?.text === '::') {
      if (!AXES.has(this.token.text)) this.fault(`there is no axis ${this.token.text}::`);
      this.next += 2;
    }
    this.nodeTest();
    this.predicates(depth);
  }

  private nodeTest(): void {
    if (this.take('*')) return;
    const { kind, text } = this.token;
    if (kind !== 'name') this.fault('the name of an element or attribute is missing');
    this.next++;
    if (this.token.text === ':') this.fault('prefixes of namespaces mean nothing in a page of HTML');
    if (!NODE_TYPES.has(text) || !this.take('(')) return;
    if (text === 'processing-instruction') this.takeKind('literal');
    this.need(')', `${text}( is not closed by )`);
  }

  private predicates(depth: number): void {
    while (this.take('[')) {
      this.expression(depth + 1);
      this.need(']', 'a condition is not closed by ]');
    }
  }

  private take(text: string): boolean {
    if (this.token.text !== text || this.token.kind === 'literal' || this.token.kind === 'end') return false;
    this.next++;
    return true;
  }

  private takeKind(kind: Kind): boolean {
    if (this.token.kind !== kind) return false;
    this.next++;
    return true;
  }

  private need(text: string, missing: string): void {
    if (!this.take(text)) this.fault(missing);
  }

  private fault(reason: string): never {
    throw new SelectorError(this.token.at + 1, reason);
  }
}

/** Functions that return a boolean. */
const BOOLEAN_FUNCTIONS = new Set(['contains', 'starts-with', 'not', 'boolean', 'true', 'false']);
const COMPARING = new Set(['=', '!=', '<', '<=', '>', '>=', 'and', 'or']);
const PATH_SIGNS = new Set(['@', '/', '//', '.', '..', '::', '*']);

/**
 * Rewrites `//name` to `/descendant::name` where that is equivalent: where no predicate after it uses a position. `//`
 * means a step to every node of the page, which jsdom would execute.
 * @param expression one that `checkXPath` accepts
 */
export function shortenXPath(expression: string): string {
  const tokens = tokensOf(expression);
  let shortened = '';
  let from = 0;
  tokens.forEach(({ text, kind, at }, i) => {
    if (text !== '//' || kind !== 'sign' || !isShortenable(tokens, i + 1)) return;
    shortened += `${expression.slice(from, at)}/descendant::`;
    from = at + 2;
  });
  return shortened + expression.slice(from);
}

/** Whether this is a node test on the child axis with boolean predicates only. */
function isShortenable(tokens: readonly Token[], start: number): boolean {
  const { kind, text } = tokens[start]!;
  if ((kind !== 'name' && text !== '*') || tokens[start + 1]?.text === '::') return false;
  let i = start + 1;
  if (tokens[i]?.text === '(') i = tokens.findIndex((token, at) => at > i && token.text === ')') + 1;
  while (tokens[i]?.text === '[' && tokens[i]?.kind === 'sign') {
    const end = closing(tokens, i);
    if (!isTruth(tokens.slice(i + 1, end))) return false;
    i = end + 1;
  }
  return true;
}

/** Index of the token that closes the bracket at `open`. */
function closing(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let i = open; i < tokens.length; i++) {
    const { kind, text } = tokens[i]!;
    if (kind !== 'sign') continue;
    if (text === '[' || text === '(') depth++;
    else if ((text === ']' || text === ')') && --depth === 0) return i;
  }
  return tokens.length;
}

/** Whether a predicate is always a boolean, and does not depend on the position. */
function isTruth(condition: readonly Token[]): boolean {
  if (condition.some(({ kind, text }) => kind === 'name' && (text === 'position' || text === 'last'))) return false;
  const [first, second] = condition;
  if (first?.kind === 'name' && second?.text === '(' && BOOLEAN_FUNCTIONS.has(first.text))
    if (closing(condition, 1) === condition.length - 1) return true;
  let depth = 0;
  for (const { kind, text } of condition) {
    if (kind === 'sign' && (text === '[' || text === '(')) depth++;
    if (kind === 'sign' && (text === ']' || text === ')')) depth--;
    if (depth === 0 && kind === 'operator' && COMPARING.has(text)) return true;
  }
  return condition.every(({ kind, text }) => kind === 'name' || (kind === 'sign' && PATH_SIGNS.has(text)));
}

function argumentCount(min: number, max: number): string {
  if (min !== max) return `${min} to ${max} arguments`;
  return counted(max, 'argument');
}

const ENDS_TERM = new Set(['[', '(', ',', 'and', 'or', ']', ')', '']);

/**
 * Rewrites `path != 'a'` to `(path and path != 'a')`, and `path = ''` likewise: jsdom compares a path that selects nothing like
 * an empty text, where it is false by XPath 1.0 §3.4.
 * @param expression one that `checkXPath` accepts
 */
export function comparedNodes(expression: string): string {
  const tokens = tokensOf(expression);
  let rewritten = '';
  let from = 0;
  tokens.forEach(({ text, kind }, i) => {
    if (kind !== 'operator' || !/^!?=$/.test(text)) return;
    const value = tokens[i + 1]!;
    if (text === '=' && !/^(?:""|'')$/.test(value.text)) return;
    if ((value.kind !== 'literal' && value.kind !== 'number') || !ENDS_TERM.has(tokens[i + 2]!.text)) return;
    const start = startOfPath(tokens, i);
    if (start === i) return;
    const { at } = tokens[start]!;
    const end = value.at + value.text.length;
    rewritten += `${expression.slice(from, at)}(${expression.slice(at, tokens[i]!.at)} and ${expression.slice(at, end)})`;
    from = end;
  });
  return rewritten + expression.slice(from);
}

/** Index of the first token of the path without predicates that ends before `end`; `end` where another operand does. */
function startOfPath(tokens: readonly Token[], end: number): number {
  let start = end;
  while (start > 0 && isOfPath(tokens, start - 1)) start--;
  const before = tokens[start - 1];
  const isWhole = before === undefined || (ENDS_TERM.has(before.text) && before.text !== ']' && before.text !== ')');
  return isWhole && start < end ? start : end;
}

/** Whether it is part of a path: a name or a sign, or the brackets of `text()`. */
function isOfPath(tokens: readonly Token[], at: number): boolean {
  const { kind, text } = tokens[at]!;
  if (kind === 'name' || (kind === 'sign' && PATH_SIGNS.has(text))) return true;
  if (kind !== 'sign') return false;
  const name = text === ')' ? at - 2 : at - 1;
  return NODE_TYPES.has(tokens[name]?.text ?? '') && tokens[name + 1]?.text === '(' && tokens[name + 2]?.text === ')';
}
