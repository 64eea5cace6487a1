/** Tokenizes expressions, for the parser in expression.ts. */
import { parseDatetime } from '../w3c-datetime.js';

export type ExpressionTokenKind = 'number' | 'text' | 'name' | 'sign' | 'end';

export interface ExpressionToken {
  readonly kind: ExpressionTokenKind;
  /** A number or sign as written, a text without its quotes. */
  readonly text: string;
  /** Position of its first character, from 1. */
  readonly position: number;
}

/** An invalid expression. `position` is a character of it, from 1. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';

  constructor(
    readonly position: number,
    readonly reason: string,
  ) {
    super(`position ${position}: ${reason}`);
  }
}

export const MAX_EXPRESSION_CHARS = 4_000;
const MAX_TOKENS = 1_000;

/** One token at `lastIndex`; a timestamp (`2025-01-31T00:00:00Z`) means its ms since the epoch, as in Nutch. */
const WORD =
  /\s*(?:(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)|(\d{1,20}(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?)[dDfFlL]?(?![\w.])|('[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*")|([A-Za-z_]\w*(?:\.\w+)*)|(=~|!~|=\^|!\^|=\$|!\$|==|!=|<=|>=|&&|\|\||[-+*/%<>!()?:]))/y;

/**
 * The tokens of `source`, the last of kind `end`.
 * @throws ExpressionError
 */
export function tokenizeExpression(source: string): ExpressionToken[] {
  if (source.length > MAX_EXPRESSION_CHARS)
    throw new ExpressionError(MAX_EXPRESSION_CHARS + 1, `longer than ${MAX_EXPRESSION_CHARS} characters`);
  const tokens: ExpressionToken[] = [];
  const length = source.trimEnd().length;
  WORD.lastIndex = 0;
  while (WORD.lastIndex < length) {
    const from = WORD.lastIndex;
    const match = WORD.exec(source);
    const start = from + source.slice(from).search(/\S/);
    if (match === null)
      throw new ExpressionError(start + 1, `${JSON.stringify(source.charAt(start))} is not understood`);
    tokens.push(tokenOf(match, start + 1));
    if (tokens.length > MAX_TOKENS) throw new ExpressionError(start + 1, `more than ${MAX_TOKENS} tokens`);
  }
  return [...tokens, { kind: 'end', text: '', position: length + 1 }];
}

function tokenOf([, moment, number, text, name, sign]: RegExpExecArray, position: number): ExpressionToken {
  if (moment !== undefined) return { kind: 'number', text: String(msOf(moment, position)), position };
  if (number !== undefined) return { kind: 'number', text: number, position };
  if (text !== undefined) return { kind: 'text', text: text.slice(1, -1).replace(/\\(.)/gs, '$1'), position };
  if (name !== undefined) return { kind: 'name', text: name, position };
  return { kind: 'sign', text: sign!, position };
}

function msOf(moment: string, position: number): number {
  const ms = parseDatetime(moment);
  if (ms === null) throw new ExpressionError(position, `${moment} is not a valid time`);
  return ms;
}
