/**
 * The steps of a crawl after UPDATEDB that are optional: after each round where rounds are strict, else once after the
 * last one, and INDEX and CLEAN beside FETCH too. To add a step, add an entry here, in its order.
 */
import { endsCrawl, isOpen } from './child-states.js';
import type { Child, CrawlPlan, CrawlSoFar, CrawlStep } from './crawl-plan.js';
import { OF_RECORDED, indexWhileFetching } from './index-while-fetching.js';
import type { StepType } from './job-types.js';
import { freeRound } from './round-numbers.js';

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
 * The steps of a continuous crawl: its rounds, beside them INDEX and CLEAN, and after their end the follow-ups. A crawl that
 * was stopped or killed, or that selected nothing at all, has none after its rounds.
 * @param inRounds the next step in its rounds, without the follow-ups
 */
export function withFollowUps(crawl: CrawlSoFar, inRounds: (crawl: CrawlSoFar) => CrawlStep): CrawlStep {
  const { children, state, plan } = crawl;
  const types = followUpsOf(plan);
  const isFollowUp = ({ type, round }: Child): boolean => round > 0 && types.includes(type);
  const [followed, rounds] = [children.filter(isFollowUp), children.filter((child) => !isFollowUp(child))];
  const broken = followed.find((child) => endsCrawl(child, state));
  const step = inRounds({ ...crawl, children: rounds, broken });
  if (step.kind === 'wait' && !broken) return indexWhileFetching(crawl, { rounds, beside: followed }) ?? step;
  if (step.kind !== 'end') return step;
  if (followed.some(isOpen)) return { kind: 'wait' };
  if (step.state !== 'FINISHED' || state !== 'RUNNING' || step.rounds === 0) return step;
  // Those before the end of the rounds ran beside FETCH.
  const type = types[children.length - 1 - children.findLastIndex((child) => !isFollowUp(child))];
  if (type === undefined || step.reason === 'stopped') return step;
  return { kind: 'child', type, round: freeRound(children, type), args: lastArgs(type, plan) };
}

/** The arguments of a follow-up at the end of a continuous crawl: ranks change the documents of all pages. */
const lastArgs = (type: StepType, { ranks = false }: CrawlPlan): Record<string, unknown> =>
  type === 'INDEX' && !ranks ? OF_RECORDED : followUpArgs(type, '-all')!;
