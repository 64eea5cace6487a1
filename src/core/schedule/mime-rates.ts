/**
 * Adaptive rates by content type (Nutch 1.x `adaptive-mimetypes.txt`): HTML changes often, PDFs hardly ever.
 *
 * A line is `type TAB inc TAB dec` (any white space separates): the fraction added to the interval of an unmodified page,
 * and the fraction subtracted for a modified one. Empty lines and lines that start with `#` are ignored.
 */
import { RuleError, type Rule } from '../url/linear-regex.js';
import { readRuleLines } from '../url/rule-lines.js';

export interface Rates {
  readonly inc: number;
  readonly dec: number;
}

const MAX_TYPES = 10_000;
const TYPE = /^[^\s/;]{1,127}\/[^\s/;]{1,127}$/;
const NUMBER = /^\d{1,4}(?:\.\d{1,9})?$/;

/**
 * Parses the lines; types in lower case.
 * @throws RuleError for a line of another form, a rate outside of 0 to 1, and for more than 10,000 types
 */
export function readMimeRates(text: string): ReadonlyMap<string, Rates> {
  const rates = new Map<string, Rates>();
  for (const rule of readRuleLines(text)) {
    const words = rule.text.split(/\s+/);
    const [type = '', inc = '', dec = ''] = words;
    if (words.length !== 3) throw new RuleError(rule, null, 'a line is a content type, its inc rate and its dec rate');
    if (!TYPE.test(type)) throw new RuleError(rule, 1, 'not a content type such as text/html');
    rates.set(type.toLowerCase(), { inc: rateOf(rule, inc), dec: rateOf(rule, dec) });
    if (rates.size > MAX_TYPES) throw new RuleError(rule, null, `more than ${MAX_TYPES} types`);
  }
  return rates;
}

function rateOf(rule: Rule, word: string): number {
  const value = NUMBER.test(word) ? Number(word) : NaN;
  if (value >= 0 && value <= 1) return value;
  throw new RuleError(rule, rule.text.indexOf(word) + 1, 'not a rate from 0 to 1');
}
