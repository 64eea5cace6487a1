/**
 * What a CRAWL does next, as a function of what its children have done so far: whole rounds of GENERATE, FETCH, PARSE and
 * UPDATEDB until nothing is due or a limit is met. Nothing else is remembered, so the same answer comes out after any
 * kill: the children's rows are the crawl's memory, and each is unique for its round and type.
 */
import type { FailureCode } from './job-cure.js';
import type { JobState } from './job-states.js';
import type { StepType } from './job-row.js';

/** What the steps of a crawl depend on, fixed when it is created: its arguments, and what its configuration adds to them. */
export interface CrawlPlan {
  /** Null: no seeds; the crawl goes on with the pages there are. */
  seedName: string | null;
  /** SITEMAP goes before the first round. */
  sitemaps?: boolean;
  /** Rounds at most; null: no limit. */
  rounds: number | null;
  /** Pages a round at most: the argument `topN`, else `generate.topN`; null: no limit. */
  topN: number | null;
  /** Pages visited over all rounds at most; null: no limit. */
  limit: number | null;
  /** The batch that a crawl which is run again left open: it is brought in before anything else. */
  leftBatch?: string | null;
  /** Days added to the clock that says which pages are due. */
  adddays: number;
  /** Requests under way at once; null: fetcher.threads.fetch. */
  threads: number | null;
  invertLinks: boolean;
  dedup: boolean;
  /** FETCH parses too (`crawl.parse.while.fetching`), so there is no PARSE. */
  parsesWhileFetching: boolean;
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
  /** Of a FETCH: its counters FetcherStatus, what became of the pages of its batch. */
  visits: Record<string, number> | null;
  /** Of a FETCH that parses: pages that it left for PARSE, as it was stopped. */
  unparsed?: number;
  /** Of a GENERATE: its counters Generator, due pages that it left out among them. */
  generated?: Record<string, number> | null;
  /** Why it ended; null while it has not. */
  reason: string | null;
  /** Of one that failed: why, for programs. */
  failure?: FailureCode | null;
}

export type CrawlStep =
  { kind: 'wait' } | { kind: 'child'; type: StepType; round: number; args: Record<string, unknown> } | End;

interface End {
  kind: 'end';
  state: 'FINISHED' | 'FAILED' | 'KILLED';
  reason: string;
  msg: string;
  rounds: number;
  /** Of FAILED: why, for programs. */
  failure?: FailureCode;
}

/** The crawl whose next step is asked for. `children`: oldest first. */
export interface CrawlSoFar {
  plan: CrawlPlan;
  /** By the database's clock, as the history of visits. */
  createdAt: Date;
  state: JobState;
  children: readonly Child[];
}

/** What to do now. `wait`: a child is under way, its end asks again. */
export function nextStep(crawl: CrawlSoFar): CrawlStep {
  const last = crawl.children.at(-1);
  const ending = crawl.state !== 'RUNNING';
  if (last && !['FINISHED', 'FAILED', 'KILLED'].includes(last.state)) return { kind: 'wait' };
  if (crawl.state === 'KILLING') return end(crawl, 'KILLED', 'stopped', 'killed');
  if (last?.state === 'FAILED')
    return failed(crawl, `ERROR: ${last.id} failed: ${last.msg}`, last.failure ?? 'UNEXPECTED');
  if (last?.state === 'KILLED' && !ending)
    return failed(crawl, `ERROR: ${last.id} was killed: its pages wait in their batch`, 'STEP_ABORTED');
  if (last && last.round > 0) return afterStep(crawl, last);
  if (ending) return stopped(crawl);
  const before = beforeRounds(crawl.plan);
  const next = before[last ? before.findIndex(({ type }) => type === last.type) + 1 : 0];
  return next ? { kind: 'child', round: 0, ...next } : generate(crawl, 1);
}

/** What goes before the first round. Of a batch that was left, what is fetched is parsed, and what is not is given back. */
function beforeRounds(plan: CrawlPlan): { type: StepType; args: Record<string, unknown> }[] {
  const { seedName, sitemaps, leftBatch: batch } = plan;
  return [
    ...(batch
      ? [
          { type: 'PARSE' as const, args: { batch } },
          { type: 'UPDATEDB' as const, args: { batch } },
        ]
      : []),
    ...(seedName ? [{ type: 'INJECT' as const, args: { seedName } }] : []),
    ...(sitemaps ? [{ type: 'SITEMAP' as const, args: sitemapArgs(plan) }] : []),
  ];
}

/** The batch that an ended crawl has left open; null for none. */
export function batchLeftBy(
  { leftBatch = null }: Pick<CrawlPlan, 'leftBatch'>,
  children: readonly Pick<Child, 'type' | 'round' | 'state' | 'batch' | 'selected'>[],
): string | null {
  const made = children.findLast(({ type, selected }) => type === 'GENERATE' && selected > 0);
  const { round, batch } = made ?? { round: 0, batch: leftBatch };
  const isIn = (child: Pick<Child, 'type' | 'round' | 'state'>) =>
    child.type === 'UPDATEDB' && child.round === round && child.state === 'FINISHED';
  return children.some(isIn) ? null : batch;
}

const sitemapArgs = ({ threads }: CrawlPlan): Record<string, unknown> => (threads === null ? {} : { threads });

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

/** Due pages of hosts that are left alone for a while: they may be selected later. */
const LEFT_ALONE = ['HOST_BLOCKED', 'HOST_DRAINED'];
/** Due pages that this configuration does not select. */
const NOT_WANTED = [
  'DISTANCE',
  'SCORE_TOO_LOW',
  'STATUS_REJECTED',
  'INTERVAL_REJECTED',
  'URL_FILTERS_REJECTED',
  'EXPR_REJECTED',
];

/** `done` is said of a crawl only where nothing is due. */
function nothingSelected(crawl: CrawlSoFar, { generated }: Child): CrawlStep {
  const named = (names: readonly string[]) =>
    names.flatMap((name) => (generated?.[name] ? [`${name} ${generated[name]}`] : [])).join(', ');
  const [leftAlone, notWanted] = [named(LEFT_ALONE), named(NOT_WANTED)];
  if (leftAlone !== '')
    return end(
      crawl,
      'FINISHED',
      'hosts-left-alone',
      `OK: all pages that are due are on hosts left alone (${leftAlone})`,
    );
  const rest = notWanted === '' ? '' : `; not selected by the configuration: ${notWanted}`;
  return end(crawl, 'FINISHED', 'done', `OK: nothing more is due${rest}`);
}

function stepsOf(plan: CrawlPlan, steps: StepType[]): StepType[] {
  return [
    ...steps,
    ...(plan.invertLinks ? (['INVERTLINKS'] as const) : []),
    ...(plan.dedup ? (['DEDUP'] as const) : []),
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
  if (type === 'DEDUP') return {};
  if (type !== 'FETCH') return { batch };
  const { threads, parsesWhileFetching } = plan;
  return { batch, ...(threads !== null && { threads }), ...(parsesWhileFetching && { parse: true }) };
}

function nextRound(crawl: CrawlSoFar, round: number): CrawlStep {
  const { rounds, limit } = crawl.plan;
  if (rounds !== null && round > rounds) return end(crawl, 'FINISHED', 'rounds', `OK: all ${rounds} rounds are done`);
  if (limit !== null && visitedBy(crawl.children) >= limit) {
    return end(crawl, 'FINISHED', 'limit', `OK: the limit of ${limit} pages is reached`);
  }
  const fruitless = fruitlessRounds(crawl.children);
  const fetch = fruitless.at(-1);
  if (fetch && (fruitless.length >= MAX_FRUITLESS || pagesOf(fetch, UNTRIED) === 0)) {
    const rounds = fruitless.length === 1 ? 'could' : `was number ${fruitless.length} in a row that could`;
    const msg = `OK: round ${fetch.round} ${rounds} fetch none of its pages (${fetch.reason})`;
    return end(crawl, 'FINISHED', 'nothing-fetched', msg);
  }
  return generate(crawl, round);
}

/**
 * Rounds in a row without a visit that end a crawl. What only ran out of time (a rest, a host that another crawl has, a
 * pause) may well be fetched in the next one; where all pages were filtered, the next round is the same.
 */
const MAX_FRUITLESS = 3;

/** The FETCH jobs of the last rounds in a row that visited nothing. Where hosts were excluded the next round is another one: GENERATE leaves them out. */
function fruitlessRounds(children: readonly Child[]): Child[] {
  const fetches = children.filter(({ type }) => type === 'FETCH');
  const last = fetches.findLastIndex(
    (fetch) => visitedBy(roundOf(children, fetch)) > 0 || pagesOf(fetch, EXCLUDED) > 0 || fetch.reason === 'stopped',
  );
  return fetches.slice(last + 1);
}

const roundOf = (children: readonly Child[], { round }: Child): Child[] =>
  children.filter((child) => child.round === round);

function generate(crawl: CrawlSoFar, round: number): CrawlStep {
  const { topN, limit, adddays } = crawl.plan;
  const max = Math.min(topN ?? Infinity, limit === null ? Infinity : limit - visitedBy(crawl.children));
  const args = {
    ...(max === Infinity ? {} : { topN: max }),
    // With a clock ahead a page that was just visited may be due again: each page is visited once.
    ...(adddays > 0 ? { adddays, notFetchedSince: crawl.createdAt.getTime() } : {}),
  };
  return { kind: 'child', type: 'GENERATE', round, args };
}

/** Counters of pages that a FETCH left in their batch, from which UPDATEDB gives them back. */
const EXCLUDED = ['host_blocked', 'host_drained'];
const UNTRIED = ['pending', 'HitByTimeLimit-Queues', 'HitByTimeLimit-QueueFeeder'];
const LEFT = [...EXCLUDED, ...UNTRIED, 'filtered'];

const pagesOf = ({ visits }: Child, counters: string[]): number =>
  counters.reduce((sum, name) => sum + (visits?.[name] ?? 0), 0);

/** The batches of GENERATE lack the targets of redirects that joined them: FETCH says itself what it visited. */
function visitedBy(children: readonly Child[]): number {
  const fetches = new Map(children.filter(({ type }) => type === 'FETCH').map((fetch) => [fetch.round, fetch]));
  return children.reduce((sum, { round, selected }) => sum + visitsOf(fetches.get(round), selected), 0);
}

/** What became of a batch of so many pages. A FETCH that was stopped before it began has no counters, and visited nothing. */
function visitsOf(fetch: Child | undefined, selected: number): number {
  if (selected === 0 || !fetch) return selected;
  if (!fetch.visits) return fetch.reason === 'stopped' ? 0 : selected;
  return Object.entries(fetch.visits).reduce((sum, [name, n]) => (LEFT.includes(name) ? sum : sum + n), 0);
}

const failed = (crawl: CrawlSoFar, msg: string, failure: FailureCode): CrawlStep => ({
  ...end(crawl, 'FAILED', 'failed', msg),
  failure,
});

const stopped = (crawl: CrawlSoFar): CrawlStep => end(crawl, 'FINISHED', 'stopped', 'OK: stopped on request');

function end(crawl: CrawlSoFar, state: 'FINISHED' | 'FAILED' | 'KILLED', reason: string, msg: string): End {
  const rounds = crawl.children.filter(({ type, selected }) => type === 'GENERATE' && selected > 0).length;
  return { kind: 'end', state, reason, msg, rounds };
}
