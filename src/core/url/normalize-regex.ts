/**
 * urlnormalizer-regex: expressions and their substitutions, applied in order (Nutch `RegexURLNormalizer`).
 *
 * The shipped rules remove session ids and fragments, clean up `?&`, `&&`, a trailing `?`, `&` or `.`, and collapse
 * slashes. They are built in, with a quick test whether any of them could apply to a URL. User rules are lines
 * `expression TAB substitution` (lines that start with `#` and have no TAB are comments) or the XML of
 * regex-normalize.xml, and run in linear time.
 */
import { linesOf } from '../lines.js';
import { checkSubstitution, compileLinear, MAX_RULE_CHARS, ruleBudget, RuleError, type Rule } from './linear-regex.js';
import { readRegexNormalizeXml, type RewritePair } from './regex-normalize-xml.js';

/** A compiled rule: an expression and the substitution of its matches. */
export interface Rewrite {
  readonly rule: Rule;
  apply(url: string): string;
}

/** Rules can make a URL longer; one beyond this length is dropped. */
const MAX_RESULT_LENGTH = 16_384;

/** The shipped rules apply only to URLs that match this. */
const MAY_APPLY = /s(?:ess(?:ion)?)?id=|#|\?&|&&|[?&.]$|^file:|\/\//i;
/** The `//` after the scheme is the only one in most URLs, and is kept. */
const schemeSlashes = '://'.length;

const shipped: readonly Rewrite[] = [
  shippedRewrite(1, /;?\b_?(?:l|j|bv_)?(?:sid|phpsessid|sessionid)=[^?&#]*/gi, ''),
  shippedRewrite(2, /#[^?&]*/g, ''),
  shippedRewrite(3, /\?&/g, '?'),
  shippedRewrite(4, /&{2,}/g, '&'),
  shippedRewrite(5, /[?&.]$/g, ''),
  shippedRewrite(6, /^file:\/{2,}/g, 'file:/'),
  shippedRewrite(7, /(?<!:)\/{2,}/g, '/'),
];

function shippedRewrite(number: number, pattern: RegExp, substitution: string): Rewrite {
  return { rule: { number, text: pattern.source }, apply: (url) => url.replace(pattern, substitution) };
}

/**
 * The rewrites of a rule text; `''` selects the shipped ones.
 * @throws RuleError for a line without a TAB, a bad or too long expression or substitution, and XML that is not as documented.
 */
export function compileRewrites(text: string): readonly Rewrite[] {
  if (text.trim() === '') return shipped;
  const pairs = text.trimStart().startsWith('<') ? readRegexNormalizeXml(text) : readPairs(text);
  const spend = ruleBudget();
  return pairs.map(({ pattern, substitution }, index) => {
    const rule = { number: index + 1, text: pattern };
    const regex = compileLinear(pattern, { rule, offset: 0 });
    spend(rule, regex.instructions);
    const offset = pattern.length + 1;
    // If every character of a long URL matched, a longer substitution could exceed the maximum length of a string.
    if (substitution.length > MAX_RULE_CHARS) {
      throw new RuleError(rule, MAX_RULE_CHARS + offset, `longer than ${MAX_RULE_CHARS} characters`);
    }
    checkSubstitution(substitution, regex.groupCount, { rule, offset });
    return { rule, apply: (url) => (regex.test(url) ? regex.replaceAll(url, substitution) : url) };
  });
}

/** `url` rewritten by all rules in order; null when it became too long. */
export function normalizeRegex(url: string, rewrites: readonly Rewrite[]): string | null {
  if (rewrites === shipped && !shippedMayApply(url)) return url;
  let result = url;
  for (const rewrite of rewrites) {
    result = rewrite.apply(result);
    if (result.length > MAX_RESULT_LENGTH) return null;
  }
  return result;
}

/** The rules that change `url`, in order. */
export function appliedRewrites(url: string, rewrites: readonly Rewrite[]): Rule[] {
  const applied: Rule[] = [];
  let result = url;
  for (const { rule, apply } of rewrites) {
    const before = result;
    result = apply(before);
    if (result !== before) applied.push(rule);
    if (result.length > MAX_RESULT_LENGTH) break;
  }
  return applied;
}

function shippedMayApply(url: string): boolean {
  const colon = url.indexOf('://');
  return MAY_APPLY.test(colon < 0 || url.startsWith('file') ? url : url.slice(colon + schemeSlashes));
}

function readPairs(text: string): RewritePair[] {
  const pairs: RewritePair[] = [];
  for (const line of linesOf(text)) {
    const tab = line.indexOf('\t');
    if (line.trim() === '' || (tab < 0 && line.startsWith('#'))) continue;
    if (tab < 0) {
      throw new RuleError({ number: pairs.length + 1, text: line }, null, 'no TAB between expression and substitution');
    }
    pairs.push({ pattern: line.slice(0, tab), substitution: line.slice(tab + 1) });
  }
  return pairs;
}
