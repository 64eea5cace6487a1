/**
 * The steps of a crawl after UPDATEDB that are optional: after each round where rounds are strict, else once after the
 * last one, and some of them beside FETCH too. To add a step, add an entry here, in its order.
 */
import { typeBesideFetch } from './beside-fetch.js';
import { endsCrawl, isOpen } from './child-states.js';
import type { Child, CrawlPlan, CrawlSoFar, CrawlStep } from './crawl-plan.js';
import type { StepType } from './job-types.js';
import { freeRound } from './round-numbers.js';

type Args = Record<string, unknown>;

interface FollowUp {
  type: StepType;
  isWanted: (plan: CrawlPlan) => boolean;
  /** A continuous crawl runs it beside its FETCH, too. */
  isBeside?: boolean;
  /** @param batch of the round; `-all` at the end of a continuous crawl */
  args?: (plan: CrawlPlan, batch: string | null) => Args;
}

const FOLLOW_UPS: readonly FollowUp[] = [
  {
    type: 'INVERTLINKS',
    isWanted: ({ invertLinks, ranks = false }) => invertLinks || ranks,
    args: (plan, batch) => ({ batch, ...documentsDue(plan) }),
  },
  { type: 'DEDUP', isWanted: ({ dedup }) => dedup, isBeside: true, args: documentsDue },
  { type: 'WEBGRAPH', isWanted: ({ ranks = false }) => ranks },
  { type: 'LINKRANK', isWanted: ({ ranks = false }) => ranks },
  { type: 'SCOREUPDATE', isWanted: ({ ranks = false }) => ranks },
  { type: 'INDEX', isWanted: ({ index = false }) => index, isBeside: true, args: ofRecorded },
  { type: 'CLEAN', isWanted: ({ index = false }) => index, isBeside: true },
];

/** The argument by which a job records the pages whose documents may change, for the INDEX of the crawl. */
export function documentsDue({ index = false }: CrawlPlan): Args {
  return index ? { documentsDue: true } : {};
}

/** The arguments of an INDEX of the recorded pages. Ranks change the documents of all pages. */
function ofRecorded({ ranks = false }: CrawlPlan, batch: string | null): Args {
  return ranks && batch === ALL ? { batch } : OF_RECORDED;
}

/** The arguments of an INDEX of the recorded pages. */
export const OF_RECORDED = { ofCrawl: 'updated' } as const;

const ALL = '-all';

export const followUpsOf = (plan: CrawlPlan): StepType[] => wantedFollowUps(plan).map(({ type }) => type);

const wantedFollowUps = (plan: CrawlPlan): FollowUp[] => FOLLOW_UPS.filter(({ isWanted }) => isWanted(plan));

/** Whether a continuous crawl runs steps beside its FETCH. */
export const hasStepsBeside = (plan: CrawlPlan): boolean => wantedFollowUps(plan).some(({ isBeside }) => isBeside);

/** The arguments of a follow-up; undefined for another step. */
export function followUpArgs(type: StepType, plan: CrawlPlan, batch: string | null): Args | undefined {
  const chosen = FOLLOW_UPS.find((step) => step.type === type);
  return chosen && (chosen.args?.(plan, batch) ?? {});
}

/**
 * The steps of a continuous crawl: its rounds, beside them some follow-ups, and after their end all of them. A crawl that was
 * stopped or killed, or that selected nothing at all, has none after its rounds.
 * @param inRounds the next step in its rounds, without the follow-ups
 */
export function withFollowUps(crawl: CrawlSoFar, inRounds: (crawl: CrawlSoFar) => CrawlStep): CrawlStep {
  const { children, state, plan } = crawl;
  const types = followUpsOf(plan);
  const isFollowUp = ({ type, round }: Child): boolean => round > 0 && types.includes(type);
  const [followed, rounds] = [children.filter(isFollowUp), children.filter((child) => !isFollowUp(child))];
  const broken = followed.find((child) => endsCrawl(child, state));
  const step = inRounds({ ...crawl, children: rounds, broken });
  if (step.kind === 'wait' && !broken) return stepBesideFetch(crawl, { rounds, beside: followed }) ?? step;
  if (step.kind !== 'end') return step;
  if (followed.some(isOpen)) return { kind: 'wait' };
  if (step.state !== 'FINISHED' || state !== 'RUNNING' || step.rounds === 0) return step;
  // Those before the end of the rounds ran beside FETCH.
  const type = types[children.length - 1 - children.findLastIndex((child) => !isFollowUp(child))];
  if (type === undefined || step.reason === 'stopped') return step;
  return followUp(crawl, type, ALL);
}

function stepBesideFetch(
  crawl: CrawlSoFar,
  steps: { rounds: readonly Child[]; beside: readonly Child[] },
): CrawlStep | undefined {
  const types = wantedFollowUps(crawl.plan).flatMap(({ type, isBeside }) => (isBeside ? type : []));
  const type = typeBesideFetch(crawl, { types, ...steps });
  return type && followUp(crawl, type, null);
}

const followUp = ({ children, plan }: CrawlSoFar, type: StepType, batch: string | null): CrawlStep => ({
  kind: 'child',
  type,
  round: freeRound(children, type),
  args: followUpArgs(type, plan, batch)!,
});
