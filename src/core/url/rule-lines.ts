/** Reads rule files line by line and numbers the rules. */
import { linesOf } from '../lines.js';
import { RuleError, type Rule } from './linear-regex.js';

/** Limit of rules that cost only one entry of a set or map each. */
export const MAX_LISTED_RULES = 100_000;
const MAX_RULE_LENGTH = 2_048;

/** The lines of a text, trimmed, without empty ones and those that start with `#`; each with its number in the text. */
export const numberedLines = (text: string): Rule[] =>
  linesOf(text)
    .map((line, at) => ({ number: at + 1, text: line.trim() }))
    .filter((line) => line.text !== '' && !line.text.startsWith('#'));

/**
 * The rules of a text: its numbered lines, numbered from 1 without the lines between them.
 * @throws RuleError for a line of more than 2,048 characters and for more than 100,000 rules.
 */
export function readRuleLines(text: string): Rule[] {
  return numberedLines(text).map(({ text: line }, i) => {
    const rule = { number: i + 1, text: line };
    if (i >= MAX_LISTED_RULES) throw new RuleError(rule, null, `more than ${MAX_LISTED_RULES} rules`);
    if (line.length > MAX_RULE_LENGTH) throw new RuleError(rule, null, `longer than ${MAX_RULE_LENGTH} characters`);
    return rule;
  });
}
