/**
 * Named positions in the code at which a test can inject a fault: the process ends, the statement's connection is
 * cut, an error is thrown, time passes. Each is where a fault would leave something half done: before and after a
 * selection, a mark, a commit, the end of a task.
 *
 * Without orders a fault point is a call that returns at once: nothing is looked up, read or awaited for long. A process
 * whose variable FAULT_POINTS names a folder takes its orders from there (fault-orders.ts); nothing else enables them.
 */
import type { Sql } from './sql.js';

/** Every write of a step to its task (`Run.write`) passes three points. */
const STEPS = [
  'inject',
  'generate',
  'fetch',
  'parse',
  'updatedb',
  'invertlinks',
  'dedup',
  'index',
  'clean',
  'mergesegs',
  'sitemap',
  'hostdb',
  'webgraph',
  'linkrank',
  'scoreupdate',
  'pagerank',
  'hits',
  'dropcrawl',
] as const;
/** The task is locked, nothing is written; all is written, not committed; committed, and not yet reported. */
const AT_WRITE = ['locked', 'beforeCommit', 'afterCommit'] as const;

const POINTS = [
  // The states of a task (task.store.ts, job-queue.ts, task-runner.ts).
  'task.taken',
  'task.beforeClaim',
  'task.claimed',
  'task.beforeFinish',
  'task.finishing',
  'task.finished',
  'task.failing',
  'task.backlog',
  'task.releasing',
  'task.released',
  'task.rescuing',
  'task.rescued',
  // The job's and the crawl's next step (job.store.ts, job-control.ts).
  'job.created',
  'job.ended',
  'crawl.child',
  // Inside the transactions of the cycle, between an effect and its mark.
  'generate.selected',
  'generate.marked',
  'fetch.answered',
  'fetch.marked',
  'parse.read',
  'updatedb.settled',
  'index.sent',
  // Messages to other programs.
  'event.logged',
  'webhook.claimed',
  'webhook.sent',
  'webhook.recorded',
] as const;

type WritePoint = `${(typeof STEPS)[number]}.${(typeof AT_WRITE)[number]}`;

/** All names, each used at one position in the code. */
export const FAULT_POINTS = [...STEPS.flatMap((step) => AT_WRITE.map((at): WritePoint => `${step}.${at}`)), ...POINTS];
export type FaultPoint = (typeof FAULT_POINTS)[number];

/** The action of a test at a point; `tx` is the connection used there, if there is one. */
export type Faults = (point: FaultPoint, tx: Sql | undefined) => void | Promise<void>;

let faults: Faults | undefined;

/** Makes the points of this process call `handler`; undefined: nothing. */
export function armFaultPoints(handler: Faults | undefined): void {
  faults = handler;
}

/**
 * A point at which a test may inject a fault. Resolves when the run may continue.
 * @param tx the open transaction, for faults that cut its connection
 */
export function faultPoint(point: FaultPoint, tx?: Sql): void | Promise<void> {
  return faults?.(point, tx);
}
