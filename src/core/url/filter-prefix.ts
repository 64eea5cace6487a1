/**
 * urlfilter-prefix: accepts URLs that start with a listed prefix (Nutch `PrefixURLFilter`).
 *
 * One prefix per line; empty lines and lines that start with `#` are ignored. The list is sorted, without the prefixes
 * that a shorter one covers. Then only one entry can be a prefix of a URL, the last one that sorts before it, so a
 * lookup among a hundred thousand prefixes takes seventeen comparisons.
 */
import type { FilterUrl } from './filter-regex.js';
import type { Rule } from './linear-regex.js';
import { readRuleLines } from './rule-lines.js';

/** The rules that apply when none are configured (Nutch's prefix-urlfilter.txt). */
export const shippedPrefixRules = ['http://', 'https://', 'ftp://', 'file://'].join('\n');

/**
 * Compiles prefixes to a filter; `''` selects the shipped ones.
 * @throws RuleError for a prefix that is too long and for too many of them.
 */
export function compilePrefixFilter(text: string): FilterUrl {
  const rules = withoutCovered(readRuleLines(text.trim() === '' ? shippedPrefixRules : text));
  return (url) => {
    const rule = lastBefore(rules, url);
    return rule !== undefined && url.startsWith(rule.text) ? { accepted: true, rule } : { accepted: false, rule: null };
  };
}

function withoutCovered(rules: Rule[]): Rule[] {
  // Of equal prefixes the first is kept: the sort is stable.
  const sorted = rules.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
  const kept: Rule[] = [];
  for (const rule of sorted) {
    const before = kept.at(-1);
    if (before === undefined || !rule.text.startsWith(before.text)) kept.push(rule);
  }
  return kept;
}

/** The last of the sorted rules that does not sort after `url` (binary search). */
function lastBefore(rules: readonly Rule[], url: string): Rule | undefined {
  let low = 0;
  let high = rules.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rules[middle]?.text ?? '') <= url) low = middle + 1;
    else high = middle;
  }
  return rules[low - 1];
}
