/**
 * URLs to exclude from the index: each line is a URL, a prefix of URLs followed by `*`, or an expression between slashes
 * that matches anywhere in a URL.
 */
import { type LinearRegex, type Rule, RuleError, compileLinear, ruleBudget } from '../url/linear-regex.js';

const MAX_LINES = 100_000;

/** The rule that matches a URL; null for none. */
export type Blacklist = (url: string) => Rule | null;

/** @throws RuleError for an invalid expression */
export function compileBlacklist(rules: string): Blacklist {
  const urls = new Map<string, Rule>();
  const beginnings: Rule[] = [];
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
    } else if (text.endsWith('*')) beginnings.push(rule);
    else urls.set(text, rule);
  });
  return (url) =>
    urls.get(url) ??
    beginnings.find(({ text }) => url.startsWith(text.slice(0, -1))) ??
    expressions.find(({ regex }) => regex.test(url))?.rule ??
    null;
}
