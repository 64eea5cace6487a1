/**
 * How much memory a parsed robots.txt takes: a file of the allowed size may take thirty times its own. The numbers are those
 * of V8's heap, a fifth too high rather than too low.
 */
import type { Group, Robots, RobotsRule } from './robots-file.js';

/** Bytes that each takes beside its text; a rule with its entries in its group and in the order of precedence. */
const WEIGHT = {
  file: 1000,
  rule: 240,
  piece: 40,
  group: 300,
  agent: 200,
  membership: 60,
  delay: 70,
  sitemap: 40,
} as const;

/** About how many bytes of memory it takes. */
export function weightOf({ agents, sitemaps, bytes }: Robots): number {
  const memberships = [...agents.values()].flat();
  const groups = new Set(memberships.map(({ group }) => group));
  return (
    WEIGHT.file +
    bytes +
    agents.size * WEIGHT.agent +
    memberships.length * WEIGHT.membership +
    sum([...groups], weightOfGroup) +
    sum(sitemaps, (sitemap) => WEIGHT.sitemap + weightOfText(sitemap))
  );
}

const weightOfGroup = ({ rules, delays }: Group): number =>
  WEIGHT.group + delays.length * WEIGHT.delay + sum(rules, weightOfRule);

const weightOfRule = ({ pattern, line }: RobotsRule): number =>
  WEIGHT.rule + WEIGHT.piece * pattern.pieces.length + pattern.literals + weightOfText(line.text);

/** One character outside Latin-1 makes all take two bytes. */
const weightOfText = (text: string): number => 2 * text.length;

const sum = <T>(values: readonly T[], weight: (value: T) => number): number =>
  values.reduce((whole, value) => whole + weight(value), 0);
