/**
 * Bounds of the adaptive interval by host (Nutch 1.x `adaptive-host-specific-intervals.txt`).
 *
 * A line is `host min max`, in seconds, separated by white space; `default` or 0 stands for the bound of the property.
 * Empty lines and lines that start with `#` are ignored. Of two lines for one host the last counts.
 */
import { hostForRules } from '../url/idn.js';
import { RuleError, type Rule } from '../url/linear-regex.js';
import { readRuleLines } from '../url/rule-lines.js';

/** Seconds; null for the bound of the property. */
export interface IntervalBounds {
  readonly min: number | null;
  readonly max: number | null;
}

const HOST = /^[^\s/:?#@]{1,253}$/u;
const NUMBER = /^\d{1,10}(?:\.\d{1,6})?$/;

/**
 * Parses the lines; keys are the host names as `hostForRules` returns them.
 * @throws RuleError as `readRuleLines` does, for a line of another form, and for a minimum above its maximum
 */
export function readHostBounds(text: string): ReadonlyMap<string, IntervalBounds> {
  const bounds = new Map<string, IntervalBounds>();
  for (const rule of readRuleLines(text)) {
    const words = rule.text.split(/\s+/);
    const [host = '', min = '', max = ''] = words;
    if (words.length !== 3) throw new RuleError(rule, null, 'a line is a host, its minimum and its maximum');
    if (!HOST.test(host)) throw new RuleError(rule, 1, 'not the name of a host');
    const read = { min: boundOf(rule, min), max: boundOf(rule, max) };
    if (read.min !== null && read.max !== null && read.min > read.max) {
      throw new RuleError(rule, rule.text.lastIndexOf(max) + 1, 'the maximum is below the minimum');
    }
    bounds.set(hostForRules(host), read);
  }
  return bounds;
}

function boundOf(rule: Rule, word: string): number | null {
  if (word.toLowerCase() === 'default') return null;
  if (!NUMBER.test(word)) throw new RuleError(rule, rule.text.indexOf(word) + 1, 'not a number of seconds or default');
  return Number(word) === 0 ? null : Number(word);
}
