/**
 * urlfilter-regex: the first rule that matches anywhere in a URL decides (Nutch `RegexURLFilter`).
 *
 * A rule is a line `+expression` (accept) or `-expression` (reject); a URL that no rule matches is rejected. Lines that
 * are empty or start with `#` or a space are ignored. Rules between `> host` and `<` apply only to URLs of that host or
 * registered domain, both in ASCII form. Expressions run in linear time; those that Nutch ships have a native test,
 * because the filter runs for each link of each page.
 */
import { linesOf } from '../lines.js';
import { domainOf } from './domain.js';
import { hostForRules } from './idn.js';
import { compileLinear, ruleBudget, RuleError, type Rule, type RulePosition, type Spend } from './linear-regex.js';
import {
  ALTERNATING_SEGMENTS_RULE,
  hasAlternatingSegments,
  hasRecurringSegments,
  RECURRING_SEGMENTS_RULE,
} from './repeated-segments.js';
import type { FilterUrl, FilterVerdict } from './url-filter.js';
import { hostOfUrl } from './url-components.js';

const SKIPPED_SUFFIXES = 'gif|jpg|png|ico|css|sit|eps|wmf|zip|ppt|mpg|xls|gz|rpm|tgz|mov|exe|jpeg|bmp|js';

/** The rules that apply when none are configured (Nutch's regex-urlfilter.txt). */
export const shippedRegexRules = [
  '-^(?:file|ftp|mailto):',
  `-(?i)\\.(?:${SKIPPED_SUFFIXES})$`,
  '-[?*!@=]',
  `-${ALTERNATING_SEGMENTS_RULE}`,
  '+.',
].join('\n');

const suffixes = new Set(SKIPPED_SUFFIXES.split('|'));
const MAX_SUFFIX_LENGTH = 4;

function hasSkippedSuffix(url: string): boolean {
  const dot = url.lastIndexOf('.');
  return dot >= 0 && url.length - dot - 1 <= MAX_SUFFIX_LENGTH && suffixes.has(url.slice(dot + 1).toLowerCase());
}

/** Native tests of expressions that Nutch ships, by their exact text. */
const nativeTests = new Map<string, (url: string) => boolean>([
  ['^(?:file|ftp|mailto):', (url) => /^(?:file|ftp|mailto):/.test(url)],
  [`(?i)\\.(?:${SKIPPED_SUFFIXES})$`, hasSkippedSuffix],
  ['[?*!@=]', (url) => /[?*!@=]/.test(url)],
  [ALTERNATING_SEGMENTS_RULE, hasAlternatingSegments],
  [RECURRING_SEGMENTS_RULE, hasRecurringSegments],
  // The same two without `.*` at the start, which an unanchored search does not need.
  [ALTERNATING_SEGMENTS_RULE.slice('.*'.length), hasAlternatingSegments],
  [RECURRING_SEGMENTS_RULE.slice('.*'.length), hasRecurringSegments],
  ['.', (url) => url !== ''],
  ['.*', () => true],
  ['.?', () => true],
]);

/** A test for an expression, and its number of instructions. */
export interface CompiledTest {
  readonly matches: (text: string) => boolean;
  readonly instructions: number;
}

/** @throws RuleError for an expression that cannot run in linear time. */
export function compileFilterRegex(pattern: string, position: RulePosition): CompiledTest {
  const native = nativeTests.get(pattern);
  if (native) return { matches: native, instructions: 1 };
  const { test, instructions } = compileLinear(pattern, position);
  return { matches: test, instructions };
}

interface FilterRule {
  readonly verdict: FilterVerdict;
  readonly matches: (url: string) => boolean;
  /** Host or domain the rule is for, in ASCII form; null for all. */
  readonly site: string | null;
}

const noRule: FilterVerdict = { accepted: false, rule: null };

/**
 * Compiles rules to a filter; `''` selects `shipped`.
 * @throws RuleError for a line that is not a rule and for an expression that cannot run in linear time.
 */
export function compileRegexFilter(text: string, shipped = shippedRegexRules): FilterUrl {
  const rules = readRules(text.trim() === '' ? shipped : text);
  const hasSites = rules.some((rule) => rule.site !== null);
  return hasSites ? (url) => decideBySite(rules, url) : (url) => decide(rules, url);
}

function decide(rules: readonly FilterRule[], url: string): FilterVerdict {
  for (const rule of rules) if (rule.matches(url)) return rule.verdict;
  return noRule;
}

function decideBySite(rules: readonly FilterRule[], url: string): FilterVerdict {
  const host = hostForRules(hostOfUrl(url));
  const domain = domainOf(host);
  for (const rule of rules) {
    const applies = rule.site === null || rule.site === host || rule.site === domain;
    if (applies && rule.matches(url)) return rule.verdict;
  }
  return noRule;
}

function readRules(text: string): FilterRule[] {
  const rules: FilterRule[] = [];
  const spend = ruleBudget();
  let site: string | null = null;
  for (const line of linesOf(text)) {
    const first = line[0];
    if (first === undefined || first === '#' || first === ' ') continue;
    if (first === '>') site = hostForRules(line.slice(1).trim());
    else if (first === '<') site = null;
    else rules.push({ ...readRule({ number: rules.length + 1, text: line }, spend), site });
  }
  return rules;
}

function readRule(rule: Rule, spend: Spend): Omit<FilterRule, 'site'> {
  const sign = rule.text[0];
  if (sign !== '+' && sign !== '-') throw new RuleError(rule, 1, 'a rule starts with + or -');
  const verdict = { accepted: sign === '+', rule };
  const { matches, instructions } = compileFilterRegex(rule.text.slice(1), { rule, offset: 1 });
  spend(rule, instructions);
  return { verdict, matches };
}
