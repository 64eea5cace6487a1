/** Strict rounds: each step of a round begins when the one before it has ended. */
import { beforeRounds, end, failedBy, nothingSelected, stopped } from './crawl-ends.js';
import type { Child, CrawlPlan, CrawlSoFar, CrawlStep } from './crawl-plan.js';
import { generate, nextRound } from './next-round.js';
import type { StepType } from './job-row.js';
import { finalStates } from './job-states.js';

/** What to do now. `wait`: a child is under way, its end asks again. */
export function nextStrictStep(crawl: CrawlSoFar): CrawlStep {
  const last = crawl.children.at(-1);
  const ending = crawl.state !== 'RUNNING';
  if (last && !finalStates.includes(last.state)) return { kind: 'wait' };
  if (crawl.state === 'KILLING') return end(crawl, 'KILLED', 'stopped', 'killed');
  if (last?.state === 'FAILED' || (last?.state === 'KILLED' && !ending)) return failedBy(crawl, last);
  if (last && last.round > 0) return afterStep(crawl, last);
  if (ending) return stopped(crawl);
  const before = beforeRounds(crawl.plan);
  const next = before[last ? before.findIndex(({ type }) => type === last.type) + 1 : 0];
  return next ? { kind: 'child', round: 0, ...next } : generate(crawl, 1);
}

/** The step behind `last` of the same round; behind the last one, the next round. */
function afterStep(crawl: CrawlSoFar, last: Child): CrawlStep {
  const { plan, state } = crawl;
  const { batch, selected } = crawl.children.findLast(
    ({ type, round }) => type === 'GENERATE' && round === last.round,
  )!;
  if (last.type === 'GENERATE' && selected === 0) {
    if (state !== 'RUNNING' || last.reason === 'stopped') return stopped(crawl);
    return nothingSelected(crawl, last);
  }
  // A crawl that is to stop fetches nothing more, and still closes its batch: no page is left in between.
  const steps = bringingIn(plan, crawl.children, last.round);
  const rest = state === 'RUNNING' ? stepsOf(plan, steps) : closingSteps(steps, last.type);
  const type = rest.includes(last.type) ? rest[rest.indexOf(last.type) + 1] : undefined;
  if (type) return { kind: 'child', type, round: last.round, args: argsOf(type, batch, plan) };
  return state === 'RUNNING' ? nextRound(crawl, last.round + 1) : stopped(crawl);
}

function stepsOf(plan: CrawlPlan, steps: StepType[]): StepType[] {
  return [
    ...steps,
    ...(plan.invertLinks ? (['INVERTLINKS'] as const) : []),
    ...(plan.dedup ? (['DEDUP'] as const) : []),
    ...(plan.index ? (['INDEX', 'CLEAN'] as const) : []),
  ];
}

/** A FETCH that parses has no PARSE behind it, unless it was stopped before it was through. */
function bringingIn(plan: CrawlPlan, children: readonly Child[], round: number): StepType[] {
  const isLeft = children.some((child) => child.round === round && (child.unparsed ?? 0) > 0);
  return plan.parsesWhileFetching && !isLeft
    ? ['GENERATE', 'FETCH', 'UPDATEDB']
    : ['GENERATE', 'FETCH', 'PARSE', 'UPDATEDB'];
}

const closingSteps = (steps: StepType[], last: StepType): StepType[] =>
  last === 'GENERATE' ? ['GENERATE', 'UPDATEDB'] : steps;

function argsOf(type: StepType, batch: string | null, plan: CrawlPlan): Record<string, unknown> {
  if (type === 'DEDUP' || type === 'CLEAN') return {};
  if (type !== 'FETCH') return { batch };
  const { threads, parsesWhileFetching } = plan;
  return { batch, ...(threads !== null && { threads }), ...(parsesWhileFetching && { parse: true }) };
}
