/**
 * urlfilter-automaton: the first rule that matches a whole URL decides (Nutch `AutomatonURLFilter`).
 *
 * Lines as those of urlfilter-regex, but an expression must match the whole URL, and has the syntax of
 * dk.brics.automaton: `.` is any character, `"…"` is literal, `@` is any text, `^` and `$` are literal, and a backslash
 * makes any character literal. It is translated to the syntax of the linear engine here; `\d \s \w` are the usual
 * classes. Operators that this engine does not support (`&`, `~`, `#`, `<…>`) are rejected by name, because a user who
 * writes `&` usually means the character, not an intersection.
 */
import { linesOf } from '../lines.js';
import type { FilterVerdict, FilterUrl } from './url-filter.js';
import { compileLinear, ruleBudget, RuleError, type LinearRegex, type Rule } from './linear-regex.js';

const SKIPPED_SUFFIXES =
  'gif|GIF|jpg|JPG|png|PNG|ico|ICO|css|CSS|sit|SIT|eps|EPS|wmf|WMF|zip|ZIP|ppt|PPT|mpg|MPG|xls|XLS|gz|GZ|rpm|RPM|' +
  'tgz|TGZ|mov|MOV|exe|EXE|jpeg|JPEG|bmp|BMP|js|JS';

/** The rules that apply when none are configured (Nutch's automaton-urlfilter.txt). */
export const shippedAutomatonRules = [
  '-(file|ftp|mailto):.*',
  `-.*\\.(${SKIPPED_SUFFIXES})`,
  '-.*[?*!@=].*',
  '+.*',
].join('\n');

const noRule: FilterVerdict = { accepted: false, rule: null };

interface AutomatonRule {
  readonly verdict: FilterVerdict;
  readonly matches: (url: string) => boolean;
}

/**
 * Compiles rules to a filter; `''` selects the shipped ones.
 * @throws RuleError for a line that is not a rule and for an invalid or unsupported expression.
 */
export function compileAutomatonFilter(text: string): FilterUrl {
  const rules = readRules(text.trim() === '' ? shippedAutomatonRules : text);
  return (url) => {
    for (const { verdict, matches } of rules) if (matches(url)) return verdict;
    return noRule;
  };
}

function readRules(text: string): AutomatonRule[] {
  const rules: AutomatonRule[] = [];
  const spend = ruleBudget();
  for (const line of linesOf(text)) {
    if (line === '' || line.startsWith('#') || line.startsWith(' ')) continue;
    const rule: Rule = { number: rules.length + 1, text: line };
    const sign = line[0];
    if (sign !== '+' && sign !== '-') throw new RuleError(rule, 1, 'a rule starts with + or -');
    const regex = compileWhole(rule);
    spend(rule, regex.instructions);
    rules.push({ verdict: { accepted: sign === '+', rule }, matches: regex.test });
  }
  return rules;
}

function compileWhole(rule: Rule): LinearRegex {
  const { pattern, origins } = translate(rule);
  const wrapped = `^(?s:${pattern})$`;
  try {
    // Compiled alone first: an unbalanced bracket must not pair with the added ones.
    compileLinear(pattern, { rule, offset: 0 });
    return compileLinear(wrapped, { rule, offset: 0 });
  } catch (error) {
    if (!(error instanceof RuleError) || error.position === null) throw error;
    throw new RuleError(rule, (origins[error.position - 1] ?? 0) + 1, error.reason);
  }
}

/** An expression of the linear engine, and where in the rule each of its characters comes from. */
interface Translation {
  readonly pattern: string;
  readonly origins: readonly number[];
}

/** Translates the expression of a rule for the linear engine; repetitions and groups are the same in both. */
function translate(rule: Rule): Translation {
  let pattern = '';
  const origins: number[] = [];
  for (let at = 1; at < rule.text.length;) {
    const piece = readPiece(rule, at);
    for (let i = 0; i < piece.pattern.length; i++) origins.push(at);
    pattern += piece.pattern;
    at = piece.end;
  }
  return { pattern, origins };
}

/** The token that starts at `at`: a class, a quoted text, an escape or one character. */
function readPiece(rule: Rule, at: number): { pattern: string; end: number } {
  const text = rule.text;
  if (text[at] === '[') {
    const end = classEnd(rule, at) + 1;
    return { pattern: readClass(text.slice(at, end)), end };
  }
  if (text[at] === '\\') return { pattern: readEscape(rule, at), end: at + 2 };
  if (text[at] !== '"') return { pattern: readSign(rule, at), end: at + 1 };
  const end = text.indexOf('"', at + 1);
  if (end < 0) throw new RuleError(rule, at + 1, 'the quotation mark is not closed');
  return { pattern: Array.from(text.slice(at + 1, end), escapedSign).join(''), end: end + 1 };
}

function classEnd(rule: Rule, start: number): number {
  let i = start + (rule.text[start + 1] === '^' ? 2 : 1);
  for (; i < rule.text.length; i++) {
    if (rule.text[i] === '\\') i++;
    else if (rule.text[i] === ']') return i;
  }
  throw new RuleError(rule, start + 1, 'the class of characters is not closed');
}

/** A class; a bracket inside it is literal there, but might open a named class here. */
const readClass = (text: string): string =>
  `[${text.slice(1, -1).replace(/\\.|\[/gs, (c) => (c === '[' ? '\\[' : c))}]`;

function readEscape(rule: Rule, at: number): string {
  const next = rule.text[at + 1];
  if (next === undefined) throw new RuleError(rule, at + 1, 'nothing follows the backslash');
  if (/[dswDSW]/.test(next)) return `\\${next}`;
  if (/[1-9]/.test(next)) throw new RuleError(rule, at + 1, `back-reference \\${next} cannot run in linear time`);
  return escapedSign(next);
}

function readSign(rule: Rule, at: number): string {
  const c = rule.text.charAt(at);
  if (c === '@') return '.*';
  if (c === '^' || c === '$') return `\\${c}`;
  if ('&~#<>'.includes(c)) {
    throw new RuleError(rule, at + 1, `the operator ${c} is not supported; write \\${c} for the character`);
  }
  if (c === '(' && rule.text[at + 1] === '?') {
    throw new RuleError(rule, at + 1, '(? is nothing that an automaton knows: groups cannot look around or have flags');
  }
  return c;
}

const escapedSign = (c: string): string => (/[A-Za-z0-9\u0080-\uffff]/.test(c) ? c : `\\${c}`);
