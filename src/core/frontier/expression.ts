/**
 * Expressions over a page, as in Nutch (`generate -expr`, `readdb -dump -expr`): comparisons and arithmetic over its
 * columns, joined by and, or, not.
 *
 * Nutch passes the text to JEXL, which can call Java. Here a recursive-descent parser compiles a small language with JEXL's
 * operators to a function: only the names of columns, no calls, no assignment, no loops. Types (number, text, boolean) are
 * checked at compile time, so evaluation cannot fail. Parsing is linear in the text, evaluation in the tokens.
 */
import { type LinearRegex, RuleError, type Spend, compileWhole, ruleBudget } from '../url/linear-regex.js';
import { PAGE_STATUS_CODES, statusCode, statusName } from '../page/page-status.js';
import { ExpressionError, type ExpressionToken, tokenizeExpression } from './expression-tokens.js';

/** The values of a page in expressions. Times in ms since the epoch, 0 for never; the interval in seconds. */
export interface PageVariables {
  readonly url: string;
  /** Not reversed. */
  readonly host: string;
  readonly domain: string;
  /** Name of the status (`db_fetched`). */
  readonly status: string;
  readonly statusCode: number;
  readonly score: number;
  readonly fetchTime: number;
  readonly modifiedTime: number;
  readonly fetchInterval: number;
  readonly retries: number;
  readonly distance: number;
  /** Hex digits, empty without one. */
  readonly signature: string;
}

/** A predicate over pages. */
export type PageTest = (page: PageVariables) => boolean;

export type ValueKind = 'number' | 'text' | 'boolean';
type Value = number | string | boolean;

interface Node {
  readonly kind: ValueKind;
  readonly at: number;
  readonly value: (facts: Facts) => Value;
  /** The text of a string literal. */
  readonly literal?: string;
  readonly variable?: string;
}

/** The values of variables, of a page or another object. A name without a value is 0, empty, or false. */
type Facts = Readonly<Record<string, Value | undefined>>;

/** The variables of expressions over one kind of object. */
export interface Vocabulary {
  /** The type of a variable; null for an unknown name. */
  kindOf(name: string): ValueKind | null;
  /** The names, for error messages. */
  readonly names: readonly string[];
  readonly aliases: Readonly<Record<string, string>>;
}

const KINDS: Readonly<Record<keyof PageVariables, ValueKind>> = {
  url: 'text',
  host: 'text',
  domain: 'text',
  status: 'text',
  statusCode: 'number',
  score: 'number',
  fetchTime: 'number',
  modifiedTime: 'number',
  fetchInterval: 'number',
  retries: 'number',
  distance: 'number',
  signature: 'text',
};

/** `interval` is Nutch's name. */
const ALIASES: Readonly<Record<string, keyof PageVariables>> = { interval: 'fetchInterval' };

const PAGES: Vocabulary = {
  kindOf: (name) => (Object.hasOwn(KINDS, name) ? KINDS[name as keyof PageVariables] : null),
  names: [...Object.keys(KINDS), ...Object.keys(ALIASES)],
  aliases: ALIASES,
};

/** Maximum depth of nested parentheses and operators. */
const MAX_DEPTH = 60;

/** JEXL's word forms of operators. */
const WORDS: Readonly<Record<string, string>> = {
  and: '&&',
  or: '||',
  not: '!',
  eq: '==',
  ne: '!=',
  lt: '<',
  le: '<=',
  gt: '>',
  ge: '>=',
  div: '/',
  mod: '%',
};

/**
 * Compiles an expression over a page.
 * @param maxInstructions limit of the compiled instructions of all its patterns
 * @throws ExpressionError naming the position (from 1) and the reason
 */
export function compileExpression(source: string, maxInstructions?: number): PageTest {
  const test = compileCondition(source, PAGES, maxInstructions);
  return (page) => test(page as unknown as Facts);
}

/**
 * Compiles an expression whose value is a number, over the variables of `vocabulary`.
 * @throws ExpressionError naming the position (from 1) and the reason
 */
export function compileNumber(source: string, vocabulary: Vocabulary): (facts: Facts) => number {
  const { kind, at, value } = new Parser(tokenizeExpression(source), vocabulary, ruleBudget()).whole();
  if (kind !== 'number') throw new ExpressionError(at, `this is a ${kind}; a number is required`);
  return (facts) => value(facts) as number;
}

/**
 * Compiles an expression whose value is a boolean, over the variables of `vocabulary`.
 * @throws ExpressionError naming the position (from 1) and the reason
 */
export function compileCondition(
  source: string,
  vocabulary: Vocabulary,
  maxInstructions?: number,
): (facts: Facts) => boolean {
  const { kind, at, value } = new Parser(tokenizeExpression(source), vocabulary, ruleBudget(maxInstructions)).whole();
  if (kind !== 'boolean') throw new ExpressionError(at, `this is a ${kind}; a condition is required`);
  return (facts) => value(facts) === true;
}

class Parser {
  private next = 0;
  private depth = 0;

  constructor(
    private readonly tokens: readonly ExpressionToken[],
    private readonly vocabulary: Vocabulary,
    private readonly spend: Spend,
  ) {}

  whole(): Node {
    const node = this.choice();
    const { kind, text, position } = this.token;
    if (kind !== 'end') throw new ExpressionError(position, `${JSON.stringify(text)} is not expected here`);
    return node;
  }

  private get token(): ExpressionToken {
    return this.tokens[this.next]!;
  }

  /** The next operator, in sign form; empty for any other token. */
  private get sign(): string {
    const { kind, text } = this.token;
    if (kind === 'sign') return text;
    return kind === 'name' && Object.hasOwn(WORDS, text) ? WORDS[text]! : '';
  }

  /** Consumes the next operator if it is one of these. */
  private takes(...signs: string[]): ExpressionToken | null {
    return signs.includes(this.sign) ? this.tokens[this.next++]! : null;
  }

  /** `condition ? this : that`, both of one type. */
  private choice(): Node {
    const test = this.or();
    if (this.takes('?') === null) return test;
    const { value: holds } = expect(test, 'boolean');
    const [yes, no] = this.deeper(() => {
      const first = this.choice();
      if (this.takes(':') === null) throw new ExpressionError(this.token.position, 'a : is missing');
      return [first, this.choice()] as const;
    });
    expect(no, yes.kind);
    return { kind: yes.kind, at: test.at, value: (facts) => (holds(facts) === true ? yes : no).value(facts) };
  }

  private or(): Node {
    let left = this.and();
    while (this.takes('||')) left = joined(left, this.and(), (a, b) => (page) => a(page) === true || b(page) === true);
    return left;
  }

  private and(): Node {
    let left = this.not();
    while (this.takes('&&')) left = joined(left, this.not(), (a, b) => (page) => a(page) === true && b(page) === true);
    return left;
  }

  private not(): Node {
    const token = this.takes('!');
    if (token === null) return this.comparison();
    const operand = this.deeper(() => expect(this.not(), 'boolean'));
    return { kind: 'boolean', at: token.position, value: (page) => operand.value(page) !== true };
  }

  private comparison(): Node {
    const left = this.sum();
    const sign = this.sign;
    const token = this.takes('==', '!=', '<', '<=', '>', '>=', '=~', '!~', '=^', '!^', '=$', '!$');
    if (token === null) return left;
    const right = this.sum();
    const value =
      sign === '=~' || sign === '!~'
        ? matched(sign === '=~', [left, right], this.spend)
        : compared(sign, left, right, token.position);
    return { kind: 'boolean', at: token.position, value };
  }

  private sum(): Node {
    let left = this.product();
    for (let token = this.takes('+', '-'); token !== null; token = this.takes('+', '-'))
      left = calculated(token, left, this.product());
    return left;
  }

  private product(): Node {
    let left = this.single();
    for (let token = this.takes('*', '/', '%'); token !== null; token = this.takes('*', '/', '%'))
      left = calculated(token, left, this.single());
    return left;
  }

  private single(): Node {
    const { kind, text, position: at } = this.token;
    const minus = this.takes('-');
    if (minus) {
      const operand = this.deeper(() => expect(this.single(), 'number'));
      return { kind: 'number', at, value: (page) => -(operand.value(page) as number) };
    }
    if (this.takes('(')) {
      const inner = this.deeper(() => this.choice());
      if (this.takes(')') === null) throw new ExpressionError(this.token.position, 'a ) is missing');
      return { ...inner, at };
    }
    if (kind === 'end') throw new ExpressionError(at, 'something is missing at the end');
    if (kind === 'sign') throw new ExpressionError(at, `${text} is not expected here`);
    this.next++;
    if (kind === 'number') {
      const number = Number(text);
      return { kind, at, value: () => number };
    }
    return kind === 'text' ? { kind, at, value: () => text, literal: text } : named(text, at, this.vocabulary);
  }

  private deeper<T>(read: () => T): T {
    if (++this.depth > MAX_DEPTH) throw new ExpressionError(this.token.position, `more than ${MAX_DEPTH} levels deep`);
    const value = read();
    this.depth--;
    return value;
  }
}

const NOTHING: Readonly<Record<ValueKind, Value>> = { number: 0, text: '', boolean: false };

function named(name: string, at: number, { aliases, kindOf, names }: Vocabulary): Node {
  if (name === 'true' || name === 'false') return { kind: 'boolean', at, value: () => name === 'true' };
  const variable = Object.hasOwn(aliases, name) ? aliases[name]! : name;
  const kind = kindOf(variable);
  if (kind === null) throw new ExpressionError(at, `${name} is not known; known: ${names.join(', ')}`);
  const nothing = NOTHING[kind];
  return { kind, at, value: (facts) => facts[variable] ?? nothing, variable };
}

function expect(node: Node, kind: ValueKind): Node {
  if (node.kind !== kind) throw new ExpressionError(node.at, `this is a ${node.kind}; a ${kind} is required`);
  return node;
}

type Both = (a: Node['value'], b: Node['value']) => Node['value'];

const joined = (left: Node, right: Node, both: Both): Node => ({
  kind: 'boolean',
  at: left.at,
  value: both(expect(left, 'boolean').value, expect(right, 'boolean').value),
});

const ARITHMETIC: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
};

function calculated({ text, position }: ExpressionToken, left: Node, right: Node): Node {
  const [a, b] = [expect(left, 'number').value, expect(right, 'number').value];
  const result = ARITHMETIC[WORDS[text] ?? text]!;
  return { kind: 'number', at: position, value: (page) => result(a(page) as number, b(page) as number) };
}

const ORDERED: Readonly<Record<string, (a: Value, b: Value) => boolean>> = {
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

const TEXTUAL: Readonly<Record<string, (a: string, b: string) => boolean>> = {
  '=^': (a, b) => a.startsWith(b),
  '!^': (a, b) => !a.startsWith(b),
  '=$': (a, b) => a.endsWith(b),
  '!$': (a, b) => !a.endsWith(b),
};

function compared(sign: string, left: Node, right: Node, at: number): Node['value'] {
  const isNamed = sign === '==' || sign === '!=';
  const [a, b] = isNamed
    ? [statusNamed(left, right), statusNamed(right, left)]
    : [coded(left, right), coded(right, left)];
  const textual = TEXTUAL[sign];
  if (textual) {
    const [text, contained] = [expect(a, 'text').value, expect(b, 'text').value];
    return (page) => textual(text(page) as string, contained(page) as string);
  }
  if (a.kind !== b.kind) throw new ExpressionError(at, `a ${a.kind} cannot be compared with a ${b.kind}`);
  if (a.kind === 'boolean' && sign !== '==' && sign !== '!=')
    throw new ExpressionError(at, `yes and no cannot be compared by ${sign}`);
  const holds = ORDERED[sign]!;
  return (page) => holds(a.value(page), b.value(page));
}

/** A literal compared with `status` must be the name of a status, in any letter case: no other could ever match. */
function statusNamed(node: Node, other: Node): Node {
  if (node.literal === undefined || other.variable !== 'status') return coded(node, other);
  const code = statusCode(node.literal);
  if (code === null) {
    const names = PAGE_STATUS_CODES.map(statusName).join(', ');
    throw new ExpressionError(node.at, `${JSON.stringify(node.literal)} is no status of a page; there are ${names}`);
  }
  const literal = statusName(code);
  return { ...node, literal, value: () => literal };
}

/** `status` compared with a number means its code. */
const coded = (node: Node, other: Node): Node =>
  node.variable === 'status' && other.kind === 'number' ? named('statusCode', node.at, PAGES) : node;

/** As in JEXL, the pattern must match the whole text. */
function matched(expected: boolean, [left, right]: [Node, Node], spend: Spend): Node['value'] {
  const text = expect(left, 'text').value;
  if (right.literal === undefined) throw new ExpressionError(right.at, 'the pattern must be a literal text');
  const pattern = wholePattern(right.literal, right.at, spend);
  return (page) => pattern.test(text(page) as string) === expected;
}

function wholePattern(source: string, at: number, spend: Spend): LinearRegex {
  try {
    return compileWhole(source, spend);
  } catch (error) {
    if (error instanceof RuleError) throw new ExpressionError(at, error.reason);
    throw error;
  }
}
