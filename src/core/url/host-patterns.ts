/**
 * Rules by host: `www.example.org` is one host, `*.example.org` is that domain and every host below it.
 *
 * The cost of a lookup does not depend on the number of rules: the host is looked up, then its domains, one per label.
 * Names are compared in ASCII form and lower case, so `bücher.de` matches the host of resolved links too.
 */
import { hostToAscii } from './idn.js';
import { RuleError, type Rule } from './linear-regex.js';
import { hasHostForm } from './url-components.js';

/** Which of several matching domains decides: the widest in Nutch's host rules, the narrowest in its protocol rules. */
export type DomainOrder = 'widest' | 'narrowest';

const ANY_BELOW = '*.';
/** Longest host name of DNS (RFC 1035 §3.1); rules have no longer ones, and longer hosts are not looked up. */
export const MAX_HOST_LENGTH = 253;

/** The ASCII form of a host name in a rule. */
export function ruleHost(name: string, rule: Rule): string {
  const ascii = hostToAscii(name.toLowerCase());
  if (ascii === null || ascii.length > MAX_HOST_LENGTH || !(ascii.startsWith('[') || hasHostForm(ascii))) {
    throw new RuleError(rule, null, `${JSON.stringify(name.slice(0, 80))} is no name of a host`);
  }
  return ascii;
}

export class HostPatterns<T> {
  private readonly hosts = new Map<string, T>();
  private readonly domains = new Map<string, T>();

  constructor(private readonly order: DomainOrder) {}

  /**
   * Adds a rule; the last one for a pattern counts.
   * @throws RuleError when the pattern is not a host name.
   */
  add(pattern: string, value: T, rule: Rule): void {
    if (pattern.startsWith(ANY_BELOW)) this.domains.set(ruleHost(pattern.slice(ANY_BELOW.length), rule), value);
    else this.hosts.set(ruleHost(pattern, rule), value);
  }

  /** The value for a host as written in a URL; the widest order never looks up a domain of one label. */
  match(host: string): T | undefined {
    const lower = host.toLowerCase();
    const name = hostToAscii(lower) ?? lower;
    if (name.length > MAX_HOST_LENGTH) return undefined;
    const exact = this.hosts.get(name);
    if (exact !== undefined || this.domains.size === 0) return exact;
    return this.order === 'widest' ? this.widest(name) : this.narrowest(name);
  }

  private widest(name: string): T | undefined {
    let dot = name.lastIndexOf('.');
    while (dot > 0) {
      dot = name.lastIndexOf('.', dot - 1);
      const value = this.domains.get(name.slice(dot + 1));
      if (value !== undefined) return value;
    }
    return undefined;
  }

  private narrowest(name: string): T | undefined {
    for (let start = 0; ;) {
      const value = this.domains.get(name.slice(start));
      const dot = name.indexOf('.', start);
      if (value !== undefined || dot < 0) return value;
      start = dot + 1;
    }
  }
}
