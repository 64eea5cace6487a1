/**
 * The steps of a crawl after UPDATEDB that are optional: after each round where rounds are strict, else once after the
 * last one. To add a step, add an entry here, in its order.
 */
import { failedBy } from './crawl-ends.js';
import type { CrawlPlan, CrawlSoFar, CrawlStep } from './crawl-plan.js';
import type { StepType } from './job-types.js';
import { finalStates } from './job-states.js';

interface FollowUp {
  type: StepType;
  isWanted: (plan: CrawlPlan) => boolean;
  /** Whether it works on one batch, else on all pages. */
  ofBatch?: boolean;
}

const FOLLOW_UPS: readonly FollowUp[] = [
  { type: 'INVERTLINKS', isWanted: ({ invertLinks, ranks = false }) => invertLinks || ranks, ofBatch: true },
  { type: 'DEDUP', isWanted: ({ dedup }) => dedup },
  { type: 'WEBGRAPH', isWanted: ({ ranks = false }) => ranks },
  { type: 'LINKRANK', isWanted: ({ ranks = false }) => ranks },
  { type: 'SCOREUPDATE', isWanted: ({ ranks = false }) => ranks },
  { type: 'INDEX', isWanted: ({ index = false }) => index, ofBatch: true },
  { type: 'CLEAN', isWanted: ({ index = false }) => index },
];

export const followUpsOf = (plan: CrawlPlan): StepType[] =>
  FOLLOW_UPS.filter(({ isWanted }) => isWanted(plan)).map(({ type }) => type);

/** The arguments of a follow-up; undefined for another step. */
export function followUpArgs(type: StepType, batch: string | null): Record<string, unknown> | undefined {
  const found = FOLLOW_UPS.find((one) => one.type === type);
  return found && (found.ofBatch ? { batch } : {});
}

/**
 * The steps of a continuous crawl: its rounds, and after their end the follow-ups. A crawl that was stopped or killed,
 * or that selected nothing at all, has none.
 * @param inRounds the next step in its rounds, without the follow-ups
 */
export function withFollowUps(crawl: CrawlSoFar, inRounds: (crawl: CrawlSoFar) => CrawlStep): CrawlStep {
  const types = followUpsOf(crawl.plan);
  const followed = crawl.children.filter(({ type }) => types.includes(type));
  const step = inRounds({ ...crawl, children: crawl.children.filter(({ type }) => !types.includes(type)) });
  if (followed.some(({ state }) => !finalStates.includes(state))) return { kind: 'wait' };
  if (step.kind !== 'end' || step.state !== 'FINISHED' || crawl.state !== 'RUNNING' || step.rounds === 0) return step;
  const broken = followed.find(({ state }) => state === 'FAILED' || state === 'KILLED');
  if (broken) return failedBy(crawl, broken);
  const type = types[followed.length];
  if (type === undefined || step.reason === 'stopped') return step;
  const round = Math.max(...crawl.children.map((child) => child.round));
  return { kind: 'child', type, round, args: followUpArgs(type, '-all')! };
}
