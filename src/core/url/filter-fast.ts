/**
 * urlfilter-fast: rules by host and domain, so that a URL is matched against few of many rules (Nutch `FastURLFilter`).
 *
 * A line `Host name` or `Domain name` opens a block; `DenyPath expression` and `DenyPathQuery expression` in it reject
 * URLs whose path, or path and query, contains a match. A URL is matched against the block of its host, then against
 * those of its domains from the whole name to the last label, then against `Domain .`; it is accepted if no rule
 * matches. Lengths are checked first, so that expressions never read a text that is too long anyway.
 */
import { linesOf } from '../lines.js';
import { compileFilterRegex } from './filter-regex.js';
import type { FilterVerdict, FilterUrl } from './url-filter.js';
import { MAX_HOST_LENGTH, ruleHost } from './host-patterns.js';
import { hostForRules } from './idn.js';
import { RuleError, ruleBudget, type Rule } from './linear-regex.js';
import { MAX_LISTED_RULES } from './rule-lines.js';
import { splitUrl } from './url-components.js';

/** Longest URL, path and query (without `?`) in UTF-16 units; -1: any length. */
export interface FastLimits {
  readonly 'urlfilter.fast.url.max.length': number;
  readonly 'urlfilter.fast.url.path.max.length': number;
  readonly 'urlfilter.fast.url.query.max.length': number;
}

interface DenyRule {
  readonly verdict: FilterVerdict;
  readonly withQuery: boolean;
  readonly matches: (text: string) => boolean;
}

type Blocks = Map<string, DenyRule[]>;

interface FastRules {
  readonly hosts: Blocks;
  readonly domains: Blocks;
}

const EVERYWHERE = '.';
const accepted: FilterVerdict = { accepted: true, rule: null };
const malformed: FilterVerdict = { accepted: false, rule: null };

/**
 * Compiles rules to a filter; `''` rejects only URLs that are too long.
 * @throws RuleError for a line that is not a rule, a rule outside a block, and an expression that cannot run in linear time.
 */
export function compileFastFilter(text: string, limits: FastLimits): FilterUrl {
  const { hosts, domains } = readBlocks(text);
  const tooLong = lengthCheck(limits);
  return (url) => {
    const components = splitUrl(url);
    if (components === null) return malformed;
    const { path, query } = components;
    const long = tooLong(url, path, query);
    if (long) return long;
    const file = path + query;
    const host = hostForRules(components.host ?? '');
    const deny = (rules: DenyRule[] | undefined) => rules?.find((rule) => rule.matches(rule.withQuery ? file : path));
    return (
      (deny(hosts.get(host)) ?? denyByDomain(domains, host, deny) ?? deny(domains.get(EVERYWHERE)))?.verdict ?? accepted
    );
  };
}

type Deny = (rules: DenyRule[] | undefined) => DenyRule | undefined;

function denyByDomain(domains: Blocks, host: string, deny: Deny): DenyRule | undefined {
  if (domains.size === 0) return undefined;
  for (let start = 0; start < host.length;) {
    const rule = host.length - start > MAX_HOST_LENGTH ? undefined : deny(domains.get(host.slice(start)));
    if (rule) return rule;
    const dot = host.indexOf('.', start);
    start = dot < 0 ? host.length : dot + 1;
  }
  return undefined;
}

/** A violated limit is returned as a rule with number 0. */
function lengthCheck(
  limits: FastLimits,
): (...measured: [url: string, path: string, query: string]) => FilterVerdict | undefined {
  const names = [
    'urlfilter.fast.url.max.length',
    'urlfilter.fast.url.path.max.length',
    'urlfilter.fast.url.query.max.length',
  ] as const;
  const verdicts = names.map((name) => ({ accepted: false, rule: { number: 0, text: `${name}=${limits[name]}` } }));
  const maxLengths = names.map((name) => (limits[name] < 0 ? Number.POSITIVE_INFINITY : limits[name]));
  return (...[url, path, query]) => {
    const lengths = [url.length, path.length, Math.max(query.length - 1, 0)];
    const at = lengths.findIndex((length, i) => length > (maxLengths[i] ?? 0));
    return verdicts[at];
  };
}

function readBlocks(text: string): FastRules {
  const rules: FastRules = { hosts: new Map(), domains: new Map() };
  const compile = sharedTests();
  let block: DenyRule[] | null = null;
  let number = 0;
  for (const line of linesOf(text)) {
    const words = line.replace(/(?:^|\s)#.*$/s, '').trim();
    if (words === '') continue;
    const rule = { number: ++number, text: words };
    if (number > MAX_LISTED_RULES) throw new RuleError(rule, null, `more than ${MAX_LISTED_RULES} lines`);
    const [, keyword = '', value = ''] = /^(\S+)\s*(.*)$/s.exec(words) ?? [];
    if (keyword === 'Host') block = blockOf(rules.hosts, value, rule);
    else if (keyword === 'Domain') block = blockOf(rules.domains, value, rule);
    else if (keyword !== 'DenyPath' && keyword !== 'DenyPathQuery') {
      throw new RuleError(rule, 1, 'a line starts with Host, Domain, DenyPath or DenyPathQuery');
    } else if (block === null) throw new RuleError(rule, 1, 'no Host or Domain precedes it');
    else {
      const verdict = { accepted: false, rule };
      block.push({ verdict, withQuery: keyword === 'DenyPathQuery', matches: compile(value, rule) });
    }
  }
  return rules;
}

/** The rules of a host or domain, which may have several blocks. */
function blockOf(blocks: Blocks, name: string, rule: Rule): DenyRule[] {
  const key = name === EVERYWHERE ? EVERYWHERE : ruleHost(name, rule);
  const block = blocks.get(key) ?? [];
  blocks.set(key, block);
  return block;
}

/** Many blocks repeat the same few expressions: each is compiled once. */
function sharedTests(): (pattern: string, rule: Rule) => (text: string) => boolean {
  const tests = new Map<string, (text: string) => boolean>();
  const spend = ruleBudget();
  return (pattern, rule) => {
    const known = tests.get(pattern);
    if (known) return known;
    if (pattern === '') throw new RuleError(rule, null, 'an expression is missing');
    const { matches, instructions } = compileFilterRegex(pattern, {
      rule,
      offset: rule.text.indexOf(pattern, 'DenyPath'.length),
    });
    spend(rule, instructions);
    tests.set(pattern, matches);
    return matches;
  };
}
