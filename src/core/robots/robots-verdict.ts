/**
 * Whether a robots.txt allows a crawler to fetch a URL (RFC 9309 §2.2.2).
 *
 * The rules for all names of the crawler are combined (Nutch 1.x: `http.agent.name`, then `http.robots.agents`); the
 * rules for `*` apply only if the file names none of them. The longest matching pattern decides, allow before disallow
 * where two are equally long; if none matches, the URL is allowed. /robots.txt itself is always allowed.
 */
import { fits, matchablePath } from './path-pattern.js';
import type { Membership, Robots, RobotsLine, RobotsRule } from './robots-file.js';

export interface RobotsVerdict {
  readonly allowed: boolean;
  /** The line that decided, null where no rule matches. */
  readonly line: RobotsLine | null;
  /** Seconds, null when the file contains none. */
  readonly crawlDelay: number | null;
  /** The agent names whose groups apply: those of the crawler, else `*`, or none. */
  readonly agents: readonly string[];
}

interface RulesForUs {
  /** In order of precedence. */
  readonly rules: readonly RobotsRule[];
  readonly crawlDelay: number | null;
  readonly agents: readonly string[];
}

/** Cache of rules by robots.txt and names, so that they are selected and sorted once for all pages of a host. */
const selections = new WeakMap<Robots, Map<string, RulesForUs>>();

/**
 * Whether a crawler with these names may fetch this URL. `agents` are product tokens (`orbweaver`); a version after a
 * slash is ignored. `urlOrPath` is a URL or a path with its query.
 */
export function judge(robots: Robots, agents: readonly string[], urlOrPath: string): RobotsVerdict {
  const { rules, crawlDelay, agents: names } = rulesFor(robots, agents);
  const path = matchablePath(urlOrPath);
  const decisive = path.text === '/robots.txt' ? undefined : rules.find((rule) => fits(rule.pattern, path));
  return { allowed: decisive?.allow ?? true, line: decisive?.line ?? null, crawlDelay, agents: names };
}

function rulesFor(robots: Robots, agents: readonly string[]): RulesForUs {
  const known = selections.get(robots) ?? new Map<string, RulesForUs>();
  selections.set(robots, known);
  const names = agents.join('\n');
  const rules = known.get(names) ?? select(robots, agents);
  known.set(names, rules);
  return rules;
}

/** The file without groups of other crawlers: verdicts for these names are the same. */
export function onlyFor(agents: readonly string[], robots: Robots): Robots {
  const names = groupNames(robots, agents);
  return { ...robots, agents: new Map(names.map((name) => [name, robots.agents.get(name) ?? []])) };
}

function groupNames(robots: Robots, agents: readonly string[]): string[] {
  const named = [...new Set(agents.flatMap(lookupNames))].filter((name) => robots.agents.has(name));
  return named.length > 0 ? named : ['*'].filter((name) => robots.agents.has(name));
}

function select(robots: Robots, agents: readonly string[]): RulesForUs {
  const names = groupNames(robots, agents);
  const chosen = names.flatMap((name) => robots.agents.get(name) ?? []);
  const groups = new Set(chosen.map(({ group }) => group));
  return {
    rules: [...groups].flatMap((group) => group.rules).sort(byPrecedence),
    crawlDelay: chosen.reduce(maxDelay, null),
    agents: names,
  };
}

/** Of several Crawl-delays the longest applies. */
function maxDelay(max: number | null, { group, index }: Membership): number | null {
  return group.delays.reduce((max, { agents, seconds }) => (agents > index ? Math.max(max ?? 0, seconds) : max), max);
}

function byPrecedence(a: RobotsRule, b: RobotsRule): number {
  return b.pattern.length - a.pattern.length || Number(b.allow) - Number(a.allow);
}

/** The names by which an agent is looked up: the whole name, and its product token. */
function lookupNames(agent: string): string[] {
  const name = agent.trim().toLowerCase();
  const token = (name.split('/', 1)[0] ?? '').trim();
  return [name, token].filter((each) => each !== '*');
}
