/**
 * A CRAWL and the jobs it makes: how the end of one starts the next, and how stop, abort, pause and resume apply to all of
 * them. A crawl never waits inside a task: every end of a child calls `advance` in the same transaction, under the lock
 * of the crawl's row. Locks are taken child first, crawl last, as at the end of a child. They are NO KEY locks, because
 * inserting a task takes a key lock on its job.
 */
import { faultPoint } from '../db/fault-point.js';
import type { Sql } from '../db/sql.js';
import { withBase } from '../core/job/base-counters.js';
import type { Child, CrawlStep } from '../core/job/crawl-plan.js';
import { nextStep } from '../core/job/crawl-rounds.js';
import { roundsWithPages } from '../core/job/round-numbers.js';
import { joinEarlierSteps, joinStrictRounds, recentChildren, recentStrictChildren } from './crawl-children.sql.js';
import { logEvent, warningsOfChildren } from './job-event.store.js';
import type { CounterGroups, JobResult, JobType } from '../core/job/job-types.js';
import type { JobRow } from './job-row.js';
import type { JobState } from '../core/job/job-states.js';
import {
  type BegunCrawl,
  type FamilyMember,
  closeFetch,
  lockBegunCrawl,
  lockFamily,
  recordProgress,
  notifyListeners,
  setPaused,
} from './job-control.sql.js';
import { dropWaiting } from './task-moves.sql.js';
import { STORED_LENGTHS } from '../core/page/stored-lengths.js';

/** Rounds of a crawl after which its older steps are joined: a strict one has more steps, each of which is read. */
const ROUNDS_JOINED = { continuous: 100, strict: 10 };

/** What this file needs of the job store. */
export interface Jobs {
  insert(tx: Sql, job: NewChild): Promise<{ id: string }>;
  move(tx: Sql, id: string, to: JobState, more: Move): Promise<JobRow | undefined>;
  endIfDone(tx: Sql, id: string): Promise<void>;
  counters(id: string, db: Sql): Promise<CounterGroups>;
  announce(tx: Sql, id: string): Promise<void>;
}

interface NewChild extends Pick<JobRow, 'type' | 'crawlId' | 'confId' | 'confHash' | 'args'> {
  parent: string;
  round: number;
  after?: Date | undefined;
}

interface Move {
  msg: string;
  result?: JobResult;
  from?: JobState[];
}

/**
 * Makes the next child of a crawl, or ends the crawl, or its FETCH. Does nothing while the crawl is paused, or waits for a
 * child. A crawl that runs steps beside its rounds may get two children at once.
 */
export async function advance(tx: Sql, jobs: Jobs, id: string): Promise<void> {
  const crawl = await lockBegunCrawl(tx, id);
  if (!crawl) return;
  const { continuous = false, index = false, dedup } = crawl.plan;
  while ((await advanceOnce(tx, jobs, crawl)) && continuous && (index || dedup));
}

/** @returns whether it has made a child */
async function advanceOnce(tx: Sql, jobs: Jobs, crawl: BegunCrawl): Promise<boolean> {
  const { id } = crawl;
  const children = await (crawl.plan.continuous ? recentChildren : recentStrictChildren)(tx, id);
  const step = nextStep({ ...crawl, children });
  if (step.kind === 'child') await makeChild(tx, jobs, { crawl, children, step });
  if (step.kind === 'end') await endCrawl(tx, jobs, { id, step });
  if (step.kind === 'close') await closeFetch(tx, step.job);
  if (step.kind === 'stop') await requestOne(tx, jobs, step.job, 'stop');
  return step.kind === 'child';
}

/** Creates the next job of a CRAWL, and reports it in the message and events of the CRAWL. */
async function makeChild(
  tx: Sql,
  jobs: Jobs,
  { crawl, children, step }: { crawl: BegunCrawl; children: readonly Child[]; step: CrawlStep & { kind: 'child' } },
): Promise<void> {
  const { crawlId, confId, confHash } = crawl;
  const { type, round, args, after } = step;
  if (type === 'GENERATE') await joinSteps(tx, crawl, { children, round });
  const child = await jobs.insert(tx, { type, crawlId, confId, confHash, args, parent: crawl.id, round, after });
  // As in the result; a GENERATE begins the next round.
  const current = roundsWithPages(children) + (type === 'GENERATE' ? 1 : 0);
  await recordProgress(tx, crawl.id, `OK: round ${current}, ${type}`);
  await logEvent(tx, crawl.id, 'progress', { round, type, job: child.id });
  await faultPoint('crawl.child', tx);
}

async function joinSteps(
  tx: Sql,
  { id, plan }: BegunCrawl,
  rounds: { children: readonly Child[]; round: number },
): Promise<void> {
  const { continuous, strict } = ROUNDS_JOINED;
  if (rounds.round % (plan.continuous ? continuous : strict) > 0) return;
  await (plan.continuous ? joinEarlierSteps(tx, id) : joinStrictRounds(tx, id, rounds));
}

async function endCrawl(
  tx: Sql,
  jobs: Jobs,
  { id, step }: { id: string; step: CrawlStep & { kind: 'end' } },
): Promise<void> {
  const { state, reason, msg, rounds, failure } = step;
  const counters = withBase('CRAWL', await jobs.counters(id, tx));
  const warnings = await warningsOfChildren(tx, id);
  const result = {
    result: state === 'FAILED' ? '-1' : '0',
    reason,
    ...(failure && { failure }),
    ...(warnings.length > 0 && { warnings }),
    counters,
    rounds,
  };
  await jobs.move(tx, id, state, { msg: msg.slice(0, STORED_LENGTHS.message), result });
}

/** The steps that a stop ends; the others finish with the pages that were fetched. */
const stoppable: readonly JobType[] = [
  ...(['INJECT', 'SITEMAP', 'GENERATE', 'FETCH', 'INVERTLINKS', 'DEDUP', 'MERGESEGS'] as const),
  ...(['WEBGRAPH', 'LINKRANK', 'SCOREUPDATE', 'INDEX', 'CLEAN'] as const),
];

/** Asks a job to stop or to be aborted, and for a crawl also the child that is running. */
export async function requestEnd(tx: Sql, jobs: Jobs, id: string, how: 'stop' | 'abort'): Promise<boolean> {
  const family = await lockFamily(tx, id);
  const self = family.find((member) => member.id === id);
  if (!self) return false;
  await unpause(tx, jobs, family);
  if (self.type !== 'CRAWL') return requestOne(tx, jobs, id, how);
  const [to, msg] =
    how === 'stop' ? (['STOPPING', 'stopping: the round is closed'] as const) : (['KILLING', 'killing'] as const);
  if (!(await jobs.move(tx, id, to, { msg }))) return false;
  for (const child of family) {
    if (child.id !== id && (how === 'abort' || stoppable.includes(child.type)))
      await requestOne(tx, jobs, child.id, how);
  }
  await advance(tx, jobs, id);
  return true;
}

async function requestOne(tx: Sql, jobs: Jobs, id: string, how: 'stop' | 'abort'): Promise<boolean> {
  const result = { result: '0', reason: 'stopped', counters: {} };
  const killed = await jobs.move(tx, id, 'KILLED', { msg: 'killed before it began', result, from: ['IDLE'] });
  const moved =
    killed ??
    (how === 'stop'
      ? await jobs.move(tx, id, 'STOPPING', { msg: 'stopping: what is in hand is written' })
      : await jobs.move(tx, id, 'KILLING', { msg: 'killing' }));
  if (!moved) return false;
  // A waiting task is still given to a worker: it ends at once, and reports what it leaves. An abort waits for no waiting task
  // if no other runs: there may be no worker.
  if (killed || how === 'abort') await dropWaiting(tx, id, killed ? 'all' : 'none-runs');
  await jobs.endIfDone(tx, id);
  return true;
}

const isPausable = ({ state }: FamilyMember): boolean => state === 'IDLE' || state === 'RUNNING';

/** Pauses a job that has not ended, and for a crawl also its child. */
export async function pauseJob(tx: Sql, id: string): Promise<boolean> {
  const family = await lockFamily(tx, id);
  const self = family.find((member) => member.id === id);
  if (!self || !isPausable(self)) return false;
  for (const member of family) {
    // A job that is ending continues to its end.
    if (member.paused || !isPausable(member)) continue;
    await setPaused(tx, member.id, true);
    await notifyTasks(tx, member, true);
  }
  return true;
}

/** Resumes a paused job, and for a crawl also its child or its next step. */
export async function resumeJob(tx: Sql, jobs: Jobs, id: string): Promise<boolean> {
  const family = await lockFamily(tx, id);
  if (!family.some((member) => member.id === id && member.paused)) return false;
  await unpause(tx, jobs, family);
  await advance(tx, jobs, id);
  return true;
}

/** Resumes the paused jobs among these. */
async function unpause(tx: Sql, jobs: Jobs, family: FamilyMember[]): Promise<void> {
  for (const member of family) {
    if (!member.paused) continue;
    await setPaused(tx, member.id, false);
    await notifyTasks(tx, member, false);
    await jobs.announce(tx, member.id);
  }
}

/** Records a pause or its end, and notifies the workers that run tasks of the job. */
async function notifyTasks(tx: Sql, { id, state }: FamilyMember, paused: boolean): Promise<void> {
  await logEvent(tx, id, 'state', { state, paused });
  await notifyListeners(tx, id);
}
