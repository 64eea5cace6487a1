/** Reads rule files line by line and numbers the rules. */
import { RuleError, type Rule } from './linear-regex.js';

/** Limit of rules that cost only one entry of a set or map each. */
export const MAX_LISTED_RULES = 100_000;
const MAX_RULE_LENGTH = 2_048;

/** The lines of a text, without line ends: CR LF, CR or LF. */
export const linesOf = (text: string): string[] => text.split(/\r\n|\r|\n/);

/**
 * The rules of a text: its lines, trimmed, without empty ones and those that start with `#`; numbered from 1.
 * @throws RuleError for a line of more than 2,048 characters and for more than 100,000 rules.
 */
export function readRuleLines(text: string): Rule[] {
  const rules: Rule[] = [];
  for (const line of linesOf(text)) {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const rule = { number: rules.length + 1, text: trimmed };
    if (rule.number > MAX_LISTED_RULES) throw new RuleError(rule, null, `more than ${MAX_LISTED_RULES} rules`);
    if (trimmed.length > MAX_RULE_LENGTH) throw new RuleError(rule, null, `longer than ${MAX_RULE_LENGTH} characters`);
    rules.push(rule);
  }
  return rules;
}
