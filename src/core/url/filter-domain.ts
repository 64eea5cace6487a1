/**
 * urlfilter-domain keeps URLs whose host, registered domain or public suffix is listed (Nutch `DomainURLFilter`);
 * urlfilter-domaindenylist drops them.
 *
 * One name per line; `#` begins a comment; a list without names accepts every URL (NUTCH-2189). Names are compared in
 * ASCII form, so `bücher.de` matches the host of resolved links too.
 */
import { linesOf } from '../lines.js';
import { namesForRules } from './domain.js';
import type { FilterUrl } from './url-filter.js';
import { MAX_HOST_LENGTH } from './host-patterns.js';
import { hostForRules } from './idn.js';
import { RuleError, type Rule } from './linear-regex.js';
import { hostOfUrl } from './url-components.js';

/** Higher than the limit of expressions: a name costs only one entry of a set. */
const MAX_NAMES = 100_000;

/** The rule that lists the host of a URL, or null. */
type ListedAs = (url: string) => Rule | null;

/**
 * Compiles a list of names to a filter that accepts listed hosts.
 * @throws RuleError for a name that is too long and for too many of them.
 */
export function compileDomainFilter(text: string): FilterUrl {
  const listedAs = compileNames(text);
  return (url) => {
    const rule = listedAs?.(url) ?? null;
    return { accepted: listedAs === null || rule !== null, rule };
  };
}

/**
 * Compiles a list of names to a filter that rejects listed hosts (Nutch `DomainDenylistURLFilter`).
 * @throws RuleError for a name that is too long and for too many of them.
 */
export function compileDomainDenyFilter(text: string): FilterUrl {
  const listedAs = compileNames(text);
  return (url) => {
    const rule = listedAs?.(url) ?? null;
    return { accepted: rule === null, rule };
  };
}

/** Null for a list without names. */
function compileNames(text: string): ListedAs | null {
  const names = readNames(text);
  if (names.size === 0) return null;
  return (url) => {
    const host = hostOfUrl(url);
    for (const name of namesForRules(hostForRules(host))) {
      const rule = names.get(name);
      if (rule) return rule;
    }
    return null;
  };
}

function readNames(text: string): Map<string, Rule> {
  const names = new Map<string, Rule>();
  let number = 0;
  for (const line of linesOf(text)) {
    const name = (line.split('#', 1)[0] ?? '').trim().toLowerCase();
    if (name === '') continue;
    const rule = { number: ++number, text: name };
    if (number > MAX_NAMES) throw new RuleError(rule, null, `more than ${MAX_NAMES} names`);
    if (name.length > MAX_HOST_LENGTH) throw new RuleError(rule, null, `longer than ${MAX_HOST_LENGTH} characters`);
    names.set(hostForRules(name), rule);
  }
  return names;
}
