/**
 * urlnormalizer-host: one host name for sites that have several (Nutch `HostURLNormalizer`).
 *
 * A rule is a line `host target`: the host, or `*.domain` for a domain and all below it, and the host that replaces it.
 * A rule for the host takes precedence, then those for its domains, the widest first. Only the host name is replaced:
 * user info, port, path and the rest stay as written.
 */
import { HostPatterns, ruleHost } from './host-patterns.js';
import { RuleError, type Rule } from './linear-regex.js';
import { type RewriteUrl, untouched } from './rewrite-result.js';
import { readRuleLines } from './rule-lines.js';
import { splitUrl } from './url-components.js';

interface HostRule {
  readonly rule: Rule;
  readonly target: string;
}

/** @throws RuleError for a line that is not two host names. */
export function compileHostRules(text: string): RewriteUrl {
  const patterns = new HostPatterns<HostRule>('widest');
  for (const rule of readRuleLines(text)) {
    const [pattern = '', target = '', ...more] = rule.text.split(/\s+/);
    if (target === '' || more.length > 0)
      throw new RuleError(rule, null, 'a rule is a host or *.domain, and its target');
    patterns.add(pattern, { rule, target: ruleHost(target, rule) }, rule);
  }
  return (url) => {
    const components = splitUrl(url);
    if (!components?.host) return untouched(url);
    const hostRule = patterns.match(components.host);
    if (hostRule === undefined || hostRule.target === components.host) return untouched(url);
    const start =
      components.scheme.length + '://'.length + (components.userInfo === null ? 0 : components.userInfo.length + 1);
    const renamed = url.slice(0, start) + hostRule.target + url.slice(start + components.host.length);
    return { url: renamed, rule: hostRule.rule };
  };
}
