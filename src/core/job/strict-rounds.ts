/** Strict rounds: each step of a round begins when the one before it has ended. */
import { end, failedBy, leavesBatchesOpen, nothingSelected, stopped } from './crawl-ends.js';
import type { Child, CrawlPlan, CrawlSoFar, CrawlStep } from './crawl-plan.js';
import { firstStep } from './first-steps.js';
import { documentsDue, followUpArgs, followUpsOf } from './follow-ups.js';
import { nextRound } from './next-round.js';
import type { StepType } from './job-types.js';
import { finalStates } from './job-states.js';

/** The next step. `wait`: a child is running, and its end calls this again. */
export function nextStrictStep(crawl: CrawlSoFar): CrawlStep {
  const last = crawl.children.at(-1);
  const ending = crawl.state !== 'RUNNING';
  if (last && !finalStates.includes(last.state)) return { kind: 'wait' };
  if (crawl.state === 'KILLING') return end(crawl, 'KILLED', 'stopped', 'killed');
  if (last?.state === 'FAILED' || (last?.state === 'KILLED' && !ending)) return failedBy(crawl, last);
  if (last && leavesBatchesOpen(last)) return stopped(crawl);
  if (last && last.round > 0) return afterStep(crawl, last);
  if (ending) return stopped(crawl);
  return firstStep(crawl, last);
}

/** The step after `last` in the same round; after the last one, the next round. */
function afterStep(crawl: CrawlSoFar, last: Child): CrawlStep {
  const { plan, state } = crawl;
  const { batch, selected } = crawl.children.findLast(
    ({ type, round }) => type === 'GENERATE' && round === last.round,
  )!;
  if (last.type === 'GENERATE' && selected === 0) {
    if (state !== 'RUNNING' || last.reason === 'stopped') return stopped(crawl);
    return nothingSelected(crawl, last);
  }
  // A stopping crawl fetches nothing more, but still closes its batch, so that no page stays in an open batch.
  const steps = batchSteps(plan, crawl.children, last.round);
  const rest = state === 'RUNNING' ? [...steps, ...followUpsOf(plan)] : closingSteps(steps, last.type);
  const type = rest.includes(last.type) ? rest[rest.indexOf(last.type) + 1] : undefined;
  if (type) return { kind: 'child', type, round: last.round, args: argsOf(type, batch, plan) };
  return state === 'RUNNING' ? nextRound(crawl, last.round + 1) : stopped(crawl);
}

/** A FETCH that parses is not followed by PARSE, unless it was stopped before it had parsed everything. */
function batchSteps(plan: CrawlPlan, children: readonly Child[], round: number): StepType[] {
  const isLeft = children.some((child) => child.round === round && (child.unparsed ?? 0) > 0);
  return plan.parsesWhileFetching && !isLeft
    ? ['GENERATE', 'FETCH', 'UPDATEDB']
    : ['GENERATE', 'FETCH', 'PARSE', 'UPDATEDB'];
}

const closingSteps = (steps: StepType[], last: StepType): StepType[] =>
  last === 'GENERATE' ? ['GENERATE', 'UPDATEDB'] : steps;

function argsOf(type: StepType, batch: string | null, plan: CrawlPlan): Record<string, unknown> {
  if (type === 'UPDATEDB') return { batch, ...documentsDue(plan) };
  if (type !== 'FETCH') return followUpArgs(type, plan, batch) ?? { batch };
  const { threads, parsesWhileFetching } = plan;
  return { batch, ...(threads !== null && { threads }), ...(parsesWhileFetching && { parse: true }) };
}
