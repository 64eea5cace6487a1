/**
 * Runs user-supplied expressions in linear time.
 *
 * With a backtracking engine one rule and one hostile URL could stop a crawl, so every user-supplied expression runs on
 * re2js (RE2 semantics): time is linear in the length of the URL, whatever the rule. Expressions that do not allow this
 * (back-references, look-ahead, possessive quantifiers) are rejected when they are set, with the number of the rule, the
 * position and the reason. Fixed look-behind, which Nutch's shipped rules use, is linear in re2js and allowed.
 */
import { RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js';

/** Limits of a set of rules: their number, the length of one, and the compiled instructions of one and of all. */
export const MAX_RULES = 1000;
export const MAX_RULE_CHARS = 1000;
const MAX_RULE_INSTRUCTIONS = 20_000;
const MAX_INSTRUCTIONS = 500_000;
/** Memory of one rule's automaton; the default of re2js is 8 MiB per rule, and no faster. */
const MAX_AUTOMATON_BYTES = 262_144;

/** A rule: its number (from 1, comments not counted; 0: a limit or a check, not a line) and its text as given. */
export interface Rule {
  readonly number: number;
  readonly text: string;
}

export const ruleName = ({ number, text }: Rule): string => (number === 0 ? text : `rule ${number}: ${text}`);

/** The end of a sentence that says what a plugin did: by which rule, if one decided. */
export function byRule(rule: Rule | null | undefined): string {
  if (!rule) return '';
  return rule.number === 0 ? `: ${rule.text}` : ` by ${ruleName(rule)}`;
}

/** Where an error is, before its reason; nothing for one that is in no rule, such as an XML file that ends too early. */
function positionIn({ number }: Rule, position: number | null): string {
  if (number === 0) return '';
  return position === null ? `rule ${number}: ` : `rule ${number}, position ${position}: `;
}

/** An invalid rule. `position` is a character of the rule, from 1; null where no single one is wrong. */
export class RuleError extends Error {
  override readonly name = 'RuleError';

  constructor(
    readonly rule: Rule,
    readonly position: number | null,
    readonly reason: string,
  ) {
    super(`${positionIn(rule, position)}${reason} (${rule.text.slice(0, 80)})`);
  }

  /** The message without the text of the rule. */
  get withoutText(): string {
    return `${positionIn(this.rule, this.position)}${this.reason}`;
  }
}

export interface LinearRegex {
  /** Whether the expression is found anywhere in `text`. */
  test(text: string): boolean;
  /** `text` with every match replaced; `substitution` in Java's form, checked by `checkSubstitution`. */
  replaceAll(text: string, substitution: string): string;
  readonly groupCount: number;
  readonly instructions: number;
}

/** The position of an expression in its rule, for errors of `compileLinear`. */
export interface RulePosition {
  readonly rule: Rule;
  /** Characters of the rule before the expression (the `+` or `-` of a filter rule). */
  readonly offset: number;
}

/** @throws RuleError naming the rule, the position and the reason. */
export function compileLinear(pattern: string, rulePosition: RulePosition): LinearRegex {
  const { rule, offset } = rulePosition;
  if (pattern.length > MAX_RULE_CHARS) {
    throw new RuleError(rule, MAX_RULE_CHARS + offset, `longer than ${MAX_RULE_CHARS} characters`);
  }
  refuseSetOperators(pattern, rulePosition);
  const compiled = compileOrRefuse(pattern, rulePosition);
  const instructions = compiled.programSize();
  if (instructions > MAX_RULE_INSTRUCTIONS) throw new RuleError(rule, null, 'repeats too much: write smaller counts');
  const automaton = compiled.re2Input.dfa;
  automaton.stateBudget = MAX_AUTOMATON_BYTES;
  automaton.memBudget = MAX_AUTOMATON_BYTES;
  return {
    test: (text) => compiled.test(text),
    replaceAll: (text, substitution) => compiled.matcher(text).replaceAll(substitution, true),
    groupCount: compiled.groupCount(),
    instructions,
  };
}

function compileOrRefuse(pattern: string, { rule, offset }: RulePosition): RE2JS {
  try {
    return RE2JS.compile(pattern, RE2JS.LOOKBEHINDS);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw new RuleError(rule, null, 'cannot be compiled');
    if (!(error instanceof RE2JSSyntaxException)) throw new RuleError(rule, null, error.message);
    const fragment = error.getPattern() ?? '';
    const description = error.getDescription();
    // Of an unpaired parenthesis, re2js names the whole expression.
    const at = fragment === '' || description.endsWith(')') ? -1 : pattern.indexOf(fragment);
    throw new RuleError(rule, at < 0 ? null : at + offset + 1, syntaxFault(description, fragment, pattern));
  }
}

function syntaxFault(description: string, fragment: string, pattern: string): string {
  const quoted = fragment.slice(0, 40);
  if (/^\\[1-9]/.test(fragment)) return `back-reference ${quoted} cannot run in linear time`;
  if (/^\(\?(?:=|!|>)/.test(fragment)) return `${quoted} (look-ahead or atomic group) cannot run in linear time`;
  if (/^[*+?}]\+$/.test(fragment)) return `possessive quantifier ${quoted} is not supported`;
  // The whole expression is at the end of the error.
  return fragment === '' || fragment === pattern ? description : `${description}: ${quoted}`;
}

/** Java reads `[a&&b]` as an intersection, RE2 as four characters: an error is better than a wrong match. */
function refuseSetOperators(pattern: string, { rule, offset }: RulePosition): void {
  let inClass = false;
  for (let i = 0; i < pattern.length; i++) {
    const c = pattern[i];
    if (c === '\\') i++;
    else if (c === '[') inClass = true;
    else if (c === ']') inClass = false;
    else if (inClass && c === '&' && pattern[i + 1] === '&') {
      throw new RuleError(rule, i + offset + 1, 'intersection of character classes (&&) is not supported');
    }
  }
}

/**
 * Checks a substitution in Java's syntax: `$1` is a group, a backslash escapes the next character.
 * @throws RuleError for a group that the expression does not have, and for a `$` or backslash at the end.
 */
export function checkSubstitution(substitution: string, groupCount: number, rulePosition: RulePosition): void {
  const refuse = (index: number, reason: string) => {
    throw new RuleError(rulePosition.rule, index + rulePosition.offset + 1, reason);
  };
  for (let i = 0; i < substitution.length; i++) {
    const c = substitution[i];
    const next = substitution[i + 1] ?? '';
    if (c === '\\' && next === '') refuse(i, 'nothing follows the backslash');
    if (c === '\\') i++;
    if (c !== '$') continue;
    if (!/\d/.test(next)) refuse(i, 'a $ must name a group by number; write \\$ for the character');
    if (Number(next) > groupCount) refuse(i, `there is no group ${next}`);
  }
}

/**
 * An expression that must match the whole text, as in Java's `matches` and JEXL's `=~`.
 * @param spend called with the number of its instructions
 * @throws RuleError with the position in `source`
 */
export function compileWhole(source: string, spend?: Spend): LinearRegex {
  const rule = { number: 1, text: source };
  // Compiled alone first: an unbalanced bracket must not pair with the added ones.
  compileLinear(source, { rule, offset: 0 });
  const whole = compileLinear(`^(?:${source})$`, { rule, offset: -'^(?:'.length });
  spend?.(rule, whole.instructions);
  return whole;
}

export type Spend = (rule: Rule, instructions: number) => void;

/** Adds up the instructions of compiled rules, one call per rule, and rejects a set that is too large in total. */
export function ruleBudget(max = MAX_INSTRUCTIONS): Spend {
  let count = 0;
  let spent = 0;
  return (rule, instructions) => {
    spent += instructions;
    if (++count > MAX_RULES) throw new RuleError(rule, null, `more than ${MAX_RULES} rules`);
    if (spent > max) {
      throw new RuleError(rule, null, `too large together: ${spent} instructions where ${max} are allowed`);
    }
  };
}
