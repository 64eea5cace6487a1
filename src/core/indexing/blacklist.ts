/**
 * URLs to exclude from the index: each line is a URL, a prefix of URLs followed by `*`, or an expression between slashes
 * that matches anywhere in a URL. A line that could match no URL, such as the name of a host, is refused.
 */
import { type LinearRegex, type Rule, RuleError, compileLinear, ruleBudget } from '../url/linear-regex.js';

const MAX_LINES = 100_000;

/** The rule that matches a URL; null for none. */
export type Blacklist = (url: string) => Rule | null;

/** How a URL begins; also a part of that, for prefixes such as `http*`. */
const URL_START = /^[a-z][a-z\d+.-]*:\/\//i;
/** Scheme and host, or a part of them. */
const ORIGIN = /^[^/]*(?:\/\/[^/?#]*)?/;
const SCHEMES = ['http://', 'https://', 'ftp://', 'file://'];
const ALLOWED = 'must be a URL, the beginning of URLs followed by *, or an expression between slashes';

/** @throws RuleError for an invalid expression, and for a line that is in none of the three forms */
export function compileBlacklist(rules: string): Blacklist {
  const urls = new Map<string, Rule>();
  const prefixes = new Prefixes();
  const expressions: { rule: Rule; regex: LinearRegex }[] = [];
  const spend = ruleBudget();
  rules.split(/\r?\n/).forEach((line, at) => {
    const text = line.trim();
    const rule: Rule = { number: at + 1, text };
    if (at >= MAX_LINES) throw new RuleError(rule, null, `more than ${MAX_LINES} lines`);
    if (text === '' || text.startsWith('#')) return;
    if (text.length > 2 && text.startsWith('/') && text.endsWith('/')) {
      const regex = compileLinear(text.slice(1, -1), { rule, offset: 1 });
      spend(rule, regex.instructions);
      expressions.push({ rule, regex });
      return;
    }
    const isPrefix = text.endsWith('*');
    const prefix = text.slice(0, -1).toLowerCase();
    if (!URL_START.test(text) && !(isPrefix && SCHEMES.some((scheme) => scheme.startsWith(prefix))))
      throw new RuleError(rule, null, ALLOWED);
    if (isPrefix) prefixes.add(rule);
    // The URL of a page has its host in lower case, and a slash after it.
    else for (const url of [text, URL.parse(text)?.href ?? text]) urls.set(url, rule);
  });
  return (url) =>
    urls.get(url) ?? prefixes.first(url) ?? expressions.find(({ regex }) => regex.test(url))?.rule ?? null;
}

/** Prefixes of URLs. A look-up costs as much as there are different lengths of prefixes, not as there are prefixes. */
class Prefixes {
  private readonly rules = new Map<string, Rule>();
  private readonly lengths: number[] = [];

  /** Scheme and host of a page's URL are in lower case. */
  add(rule: Rule): void {
    const prefix = rule.text.slice(0, -1).replace(ORIGIN, (origin) => origin.toLowerCase());
    if (this.rules.has(prefix)) return;
    this.rules.set(prefix, rule);
    if (!this.lengths.includes(prefix.length)) this.lengths.push(prefix.length);
  }

  /** The first rule whose prefix a URL has. */
  first(url: string): Rule | undefined {
    let first: Rule | undefined;
    for (const length of this.lengths) {
      const rule = this.rules.get(url.slice(0, length));
      if (rule !== undefined && (first === undefined || rule.number < first.number)) first = rule;
    }
    return first;
  }
}
