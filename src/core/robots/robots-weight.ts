/**
 * Estimates the memory of a parsed robots.txt: it may be thirty times the size of the file. The numbers are for the heap
 * of V8, rather a fifth too high than too low.
 */
import type { RobotsGroup, Robots, RobotsRule } from './robots-file.js';

/** Bytes of each object besides its text; of a rule with its entries in the group and in the order of precedence. */
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

/** The approximate number of bytes in memory. */
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

const weightOfGroup = ({ rules, delays }: RobotsGroup): number =>
  WEIGHT.group + delays.length * WEIGHT.delay + sum(rules, weightOfRule);

const weightOfRule = ({ pattern, line }: RobotsRule): number =>
  WEIGHT.rule + WEIGHT.piece * pattern.pieces.length + pattern.literals + weightOfText(line.text);

/** Two bytes per character, as for any string with a character outside Latin-1. */
const weightOfText = (text: string): number => 2 * text.length;

const sum = <T>(values: readonly T[], weight: (value: T) => number): number =>
  values.reduce((whole, value) => whole + weight(value), 0);
