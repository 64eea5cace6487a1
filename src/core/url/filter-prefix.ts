/**
 * urlfilter-prefix: accepts URLs that start with a listed prefix (Nutch `PrefixURLFilter`). One prefix per line; empty lines and
 * lines that start with `#` are ignored.
 */
import type { FilterUrl } from './url-filter.js';
import { prefixRules } from './prefix-rules.js';
import { readRuleLines } from './rule-lines.js';

/** The rules that apply when none are configured (Nutch's prefix-urlfilter.txt). */
export const shippedPrefixRules = ['http://', 'https://', 'ftp://', 'file://'].join('\n');

/**
 * Compiles prefixes to a filter; `''` selects the shipped ones.
 * @throws RuleError for a prefix that is too long and for too many of them.
 */
export function compilePrefixFilter(text: string): FilterUrl {
  const lines = readRuleLines(text.trim() === '' ? shippedPrefixRules : text);
  const ruleOf = prefixRules(lines.map((rule) => ({ prefix: rule.text, rule })));
  return (url) => {
    const rule = ruleOf(url);
    return rule === undefined ? { accepted: false, rule: null } : { accepted: true, rule };
  };
}
