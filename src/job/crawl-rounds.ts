/**
 * What a CRAWL does next, as a function of what its children have done so far: whole rounds of GENERATE, FETCH, PARSE and
 * UPDATEDB until nothing is due or a limit is met. Nothing else is remembered, so the same answer comes out after any
 * kill: the children's rows are the crawl's memory, and each is unique for its round and type.
 */
import type { JobState } from './job-states.js';
import type { StepType } from './job-row.js';

/** Arguments of a CRAWL as they steer it; all are optional. */
export interface CrawlSettings {
  seedName?: string;
  /** Rounds at most; default: no limit. */
  rounds?: number;
  /** Pages over all rounds at most. */
  limit?: number;
  /** Days added to the clock that says which pages are due. */
  adddays?: number;
  /** Requests under way at once. */
  threads?: number;
  invertLinks?: boolean;
  dedup?: boolean;
}

/** Fixed when the crawl is created. */
export interface CrawlPlan {
  /** FETCH parses too (`fetcher.parse`), so there is no PARSE. */
  parsesWhileFetching: boolean;
  /** ms since the epoch. */
  createdAt: number;
  /** Pages a round at most: the argument `topN`, else `generate.topN`; null: no limit. */
  topN: number | null;
}

/** A child, as far as it matters for what comes next. */
export interface Child {
  id: string;
  type: StepType;
  round: number;
  state: JobState;
  msg: string;
  /** Of a GENERATE: the batch that it made, and its size. */
  batch: string | null;
  selected: number;
  /** Why it ended; null while it has not. */
  reason: string | null;
}

export type CrawlStep =
  | { kind: 'wait' }
  | { kind: 'child'; type: StepType; round: number; args: Record<string, unknown> }
  | { kind: 'end'; state: 'FINISHED' | 'FAILED' | 'KILLED'; reason: string; msg: string; rounds: number };

/** The crawl whose next step is asked for. `children`: oldest first. */
export interface CrawlSoFar {
  settings: CrawlSettings;
  plan: CrawlPlan;
  state: JobState;
  children: readonly Child[];
}

/** What to do now. `wait`: a child is under way, its end asks again. */
export function nextStep(crawl: CrawlSoFar): CrawlStep {
  const last = crawl.children.at(-1);
  const ending = crawl.state !== 'RUNNING';
  if (last && !['FINISHED', 'FAILED', 'KILLED'].includes(last.state)) return { kind: 'wait' };
  if (crawl.state === 'KILLING') return end(crawl, 'KILLED', 'stopped', 'killed');
  if (last?.state === 'FAILED') return end(crawl, 'FAILED', 'failed', `ERROR: ${last.id} failed: ${last.msg}`);
  if (last?.state === 'KILLED' && !ending) {
    return end(crawl, 'FAILED', 'failed', `ERROR: ${last.id} was killed: its pages wait in their batch`);
  }
  if (last && last.round > 0) return afterStep(crawl, last);
  if (ending) return stopped(crawl);
  const { seedName } = crawl.settings;
  if (!last && seedName) return { kind: 'child', type: 'INJECT', round: 0, args: { seedName } };
  return generate(crawl, 1);
}

/** The step behind `last` of the same round; behind the last one, the next round. */
function afterStep(crawl: CrawlSoFar, last: Child): CrawlStep {
  const { settings, plan, state } = crawl;
  const { batch, selected } = crawl.children.findLast(
    ({ type, round }) => type === 'GENERATE' && round === last.round,
  )!;
  if (last.type === 'GENERATE' && selected === 0) {
    if (state !== 'RUNNING' || last.reason === 'stopped') return stopped(crawl);
    return end(crawl, 'FINISHED', 'done', 'OK: nothing more is due');
  }
  // A crawl that is to stop fetches nothing more, and still closes its batch: no page is left in between.
  const rest = state === 'RUNNING' ? stepsOf(settings, plan) : closingSteps(plan, last.type);
  const type = rest.includes(last.type) ? rest[rest.indexOf(last.type) + 1] : undefined;
  if (type) return { kind: 'child', type, round: last.round, args: argsOf(type, batch, settings) };
  return state === 'RUNNING' ? nextRound(crawl, last.round + 1) : stopped(crawl);
}

function stepsOf(_settings: CrawlSettings, plan: CrawlPlan): StepType[] {
  return ['GENERATE', 'FETCH', ...(plan.parsesWhileFetching ? [] : (['PARSE'] as const)), 'UPDATEDB'];
}

function closingSteps(plan: CrawlPlan, last: StepType): StepType[] {
  if (last === 'GENERATE') return ['GENERATE', 'UPDATEDB'];
  return stepsOf({}, plan);
}

function argsOf(type: StepType, batch: string | null, { threads }: CrawlSettings): Record<string, unknown> {
  return type === 'FETCH' && threads !== undefined ? { batch, threads } : { batch };
}

function nextRound(crawl: CrawlSoFar, round: number): CrawlStep {
  const { rounds, limit } = crawl.settings;
  if (rounds !== undefined && round > rounds)
    return end(crawl, 'FINISHED', 'rounds', `OK: all ${rounds} rounds are done`);
  if (limit !== undefined && selectedBy(crawl) >= limit) {
    return end(crawl, 'FINISHED', 'limit', `OK: the limit of ${limit} pages is reached`);
  }
  return generate(crawl, round);
}

function generate(crawl: CrawlSoFar, round: number): CrawlStep {
  const { limit, adddays } = crawl.settings;
  const most = Math.min(crawl.plan.topN ?? Infinity, limit === undefined ? Infinity : limit - selectedBy(crawl));
  const args = {
    ...(most === Infinity ? {} : { topN: most }),
    // With a clock ahead a page that was just visited may be due again: each page is visited once.
    ...(adddays ? { adddays, notFetchedSince: crawl.plan.createdAt } : {}),
  };
  return { kind: 'child', type: 'GENERATE', round, args };
}

const selectedBy = ({ children }: CrawlSoFar): number => children.reduce((sum, { selected }) => sum + selected, 0);

const stopped = (crawl: CrawlSoFar): CrawlStep => end(crawl, 'FINISHED', 'stopped', 'OK: stopped on request');

function end(crawl: CrawlSoFar, state: 'FINISHED' | 'FAILED' | 'KILLED', reason: string, msg: string): CrawlStep {
  const rounds = crawl.children.filter(({ type, selected }) => type === 'GENERATE' && selected > 0).length;
  return { kind: 'end', state, reason, msg, rounds };
}
