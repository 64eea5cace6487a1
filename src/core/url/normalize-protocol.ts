/**
 * urlnormalizer-protocol: one scheme for sites that serve both (Nutch `ProtocolURLNormalizer`).
 *
 * A rule is a line `host TAB scheme`, or `*.domain TAB scheme` for a domain and all below it; the narrowest pattern
 * decides. A URL with a port is unchanged: a port serves one scheme. Lines that are not rules are skipped, as in Nutch,
 * whose own test file has some.
 */
import { HostPatterns } from './host-patterns.js';
import { RuleError, type Rule } from './linear-regex.js';
import { type RewriteUrl, untouched } from './rewrite-result.js';
import { readRuleLines } from './rule-lines.js';
import { splitUrl } from './url-components.js';

interface ProtocolRule {
  readonly rule: Rule;
  readonly scheme: string;
}

const SCHEME_SHAPE = /^[a-z][a-z0-9+.-]*$/;

/** @throws RuleError for too many and too long lines only. */
export function compileProtocolRules(text: string): RewriteUrl {
  const patterns = new HostPatterns<ProtocolRule>('narrowest');
  for (const rule of readRuleLines(text)) addRule(patterns, rule);
  return (url) => {
    const components = splitUrl(url);
    if (!components?.host || components.port) return untouched(url);
    const protocolRule = patterns.match(components.host);
    if (protocolRule === undefined || protocolRule.scheme === components.scheme.toLowerCase()) return untouched(url);
    return { url: protocolRule.scheme + url.slice(components.scheme.length), rule: protocolRule.rule };
  };
}

function addRule(patterns: HostPatterns<ProtocolRule>, rule: Rule): void {
  const [pattern = '', scheme = '', ...more] = rule.text.split(/\s+/);
  if (more.length > 0 || !SCHEME_SHAPE.test(scheme)) return;
  try {
    patterns.add(pattern, { rule, scheme }, rule);
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
  }
}
