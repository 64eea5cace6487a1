/**
 * Rules by prefixes of URLs. The list is sorted, without the prefixes that a shorter one covers. Then only one entry can be a
 * prefix of a URL, the last one that sorts before it, so a look-up among a hundred thousand prefixes takes seventeen comparisons.
 */
import type { Rule } from './linear-regex.js';

export interface PrefixRule {
  readonly prefix: string;
  readonly rule: Rule;
}

/** The rule of the shortest prefix that a URL has, the first one of equal prefixes; undefined: none. */
export function prefixRules(rules: readonly PrefixRule[]): (url: string) => Rule | undefined {
  const uncovered = withoutCovered(rules);
  return (url) => {
    const last = lastBefore(uncovered, url);
    return last !== undefined && url.startsWith(last.prefix) ? last.rule : undefined;
  };
}

function withoutCovered(rules: readonly PrefixRule[]): PrefixRule[] {
  // Of equal prefixes the first is kept: the sort is stable.
  const sorted = rules.toSorted((a, b) => (a.prefix < b.prefix ? -1 : a.prefix > b.prefix ? 1 : 0));
  const kept: PrefixRule[] = [];
  for (const rule of sorted) {
    const before = kept.at(-1);
    if (before === undefined || !rule.prefix.startsWith(before.prefix)) kept.push(rule);
  }
  return kept;
}

/** The last of the sorted rules that does not sort after `url` (binary search). */
function lastBefore(rules: readonly PrefixRule[], url: string): PrefixRule | undefined {
  let low = 0;
  let high = rules.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rules[middle]?.prefix ?? '') <= url) low = middle + 1;
    else high = middle;
  }
  return rules[low - 1];
}
