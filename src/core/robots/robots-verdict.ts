/**
 * What a robots.txt allows a crawler (RFC 9309 section 2.2.2).
 *
 * The rules of all the crawler's own names count together (Nutch 1.x: `http.agent.name`, then `http.robots.agents`);
 * only when the file names none of them do the rules for `*` apply. The longest pattern that fits decides, allow
 * before disallow where two are equally long; none allows. /robots.txt itself is always allowed.
 */
import { fits, matchablePath } from './path-pattern.js';
import type { Membership, Robots, RobotsLine, RobotsRule } from './robots-file.js';

export interface RobotsVerdict {
  readonly allowed: boolean;
  /** The line that decided, null where no rule fits. */
  readonly line: RobotsLine | null;
  /** Seconds, null when the file asks for none. */
  readonly crawlDelay: number | null;
  /** The names whose groups count, as the file is asked for them: the crawler's own, else `*`, or none. */
  readonly agents: readonly string[];
}

interface RulesForUs {
  /** The rule that wins comes first. */
  readonly rules: readonly RobotsRule[];
  readonly crawlDelay: number | null;
  readonly agents: readonly string[];
}

/** Rules by robots.txt and names, so that the pages of a host share one selection and one sort. */
const selections = new WeakMap<Robots, Map<string, RulesForUs>>();

/**
 * May a crawler of these names fetch this URL? `agents` are product tokens (`orbweaver`); a version behind a slash is
 * ignored. `urlOrPath` is a URL or a path with its query.
 */
export function judge(robots: Robots, agents: readonly string[], urlOrPath: string): RobotsVerdict {
  const { rules, crawlDelay, agents: found } = rulesFor(robots, agents);
  const path = matchablePath(urlOrPath);
  const decisive = path.text === '/robots.txt' ? undefined : rules.find((rule) => fits(rule.pattern, path));
  return { allowed: decisive?.allow ?? true, line: decisive?.line ?? null, crawlDelay, agents: found };
}

function rulesFor(robots: Robots, agents: readonly string[]): RulesForUs {
  const known = selections.get(robots) ?? new Map<string, RulesForUs>();
  selections.set(robots, known);
  const names = agents.join('\n');
  const rules = known.get(names) ?? select(robots, agents);
  known.set(names, rules);
  return rules;
}

/** The file without what is for other crawlers: these names are judged as by the whole of it. */
export function onlyFor(agents: readonly string[], robots: Robots): Robots {
  const found = groupNames(robots, agents);
  return { ...robots, agents: new Map(found.map((name) => [name, robots.agents.get(name) ?? []])) };
}

function groupNames(robots: Robots, agents: readonly string[]): string[] {
  const own = [...new Set(agents.flatMap(namesOf))].filter((name) => robots.agents.has(name));
  return own.length > 0 ? own : ['*'].filter((name) => robots.agents.has(name));
}

function select(robots: Robots, agents: readonly string[]): RulesForUs {
  const found = groupNames(robots, agents);
  const chosen = found.flatMap((name) => robots.agents.get(name) ?? []);
  const groups = new Set(chosen.map(({ group }) => group));
  return {
    rules: [...groups].flatMap((group) => group.rules).sort(byPrecedence),
    crawlDelay: chosen.reduce(maxDelay, null),
    agents: found,
  };
}

/** The longest Crawl-delay given is the polite one. */
function maxDelay(max: number | null, { group, index }: Membership): number | null {
  return group.delays.reduce((max, { agents, seconds }) => (agents > index ? Math.max(max ?? 0, seconds) : max), max);
}

function byPrecedence(a: RobotsRule, b: RobotsRule): number {
  return b.pattern.length - a.pattern.length || Number(b.allow) - Number(a.allow);
}

/** The names that an agent is looked up by: as it is, and its product token. */
function namesOf(agent: string): string[] {
  const name = agent.trim().toLowerCase();
  const token = (name.split('/', 1)[0] ?? '').trim();
  return [name, token].filter((each) => each !== '*');
}
