/**
 * URLs to exclude from the index: each line is a URL, a prefix of URLs followed by `*`, or an expression between slashes
 * that matches anywhere in a URL. A line that could match no URL, such as the name of a host, is refused.
 */
import { type PrefixRule, prefixRules } from '../url/prefix-rules.js';
import { type LinearRegex, type Rule, RuleError, compileLinear, ruleBudget } from '../url/linear-regex.js';
import { numberedLines } from '../url/rule-lines.js';

const MAX_LINES = 100_000;

/** The rule that matches a URL; null for none. */
export type Blacklist = (url: string) => Rule | null;

/** How a URL begins; also a part of that, for prefixes such as `http*`. */
const URL_START = /^[a-z][a-z\d+.-]*:\/\//i;
/** Scheme and host, or a part of them. */
const ORIGIN = /^[^/]*(?:\/\/[^/?#]*)?/;
/** What a path or a query has only percent-encoded. */
const NOT_IN_URLS = /[^\x21-\x7e]/gu;
const SCHEMES = ['http://', 'https://', 'ftp://', 'file://'];
const ALLOWED = 'must be a URL, the beginning of URLs followed by *, or an expression between slashes';

/** @throws RuleError for an invalid expression, and for a line that is in none of the three forms */
export function compileBlacklist(rules: string): Blacklist {
  const urls = new Map<string, Rule>();
  const prefixes: PrefixRule[] = [];
  const expressions: { rule: Rule; regex: LinearRegex }[] = [];
  const spend = ruleBudget();
  for (const rule of numberedLines(rules)) {
    const { text } = rule;
    if (rule.number > MAX_LINES) throw new RuleError(rule, null, `more than ${MAX_LINES} lines`);
    if (text.length > 2 && text.startsWith('/') && text.endsWith('/')) {
      const regex = compileLinear(text.slice(1, -1), { rule, offset: 1 });
      spend(rule, regex.instructions);
      expressions.push({ rule, regex });
      continue;
    }
    const isPrefix = text.endsWith('*');
    // Scheme and host of a page's URL are in lower case.
    const prefix = text.slice(0, -1).replace(ORIGIN, (origin) => origin.toLowerCase());
    if (!URL_START.test(text) && !(isPrefix && SCHEMES.some((scheme) => scheme.startsWith(prefix))))
      throw new RuleError(rule, null, ALLOWED);
    if (isPrefix) for (const form of new Set([prefix, encodedPath(prefix)])) prefixes.push({ prefix: form, rule });
    else for (const url of new Set([text, ...urlsOfPages(text)])) urls.set(url, rule);
  }
  const prefixRule = prefixRules(prefixes);
  return (url) => urls.get(url) ?? prefixRule(url) ?? expressions.find(({ regex }) => regex.test(url))?.rule ?? null;
}

/** A prefix as browsers show it, with the percent-encoding of the URLs of pages. */
function encodedPath(prefix: string): string {
  const origin = ORIGIN.exec(prefix)?.[0] ?? '';
  return origin + prefix.slice(origin.length).toWellFormed().replace(NOT_IN_URLS, encodeURIComponent);
}

/** The URL of a page has a slash after its host, percent-encoding, and mostly no fragment. */
function urlsOfPages(text: string): string[] {
  const href = URL.parse(text)?.href ?? text;
  return [href, href.replace(/#.*$/s, '')];
}
