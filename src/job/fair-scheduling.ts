/**
 * Which task yields its slot when all slots are in use. Claims go to the crawl with the fewest running tasks (task.store.ts), so a
 * slot that becomes free is assigned fairly. But the tasks of a large FETCH may run for hours. So a running task hands itself
 * back, with all that it has done, when a crawl with a smaller load waits: after ten seconds for a crawl that runs no task, after a
 * minute for one that runs fewer. Where every crawl runs one task and more crawls wait, they alternate every five minutes. For a
 * task of a job that is stopping, which only has to record what is left, any task yields that may pause.
 *
 * Pure: loads and running tasks come in, a decision goes out.
 */

/** The load of one crawl, over all workers. */
export interface CrawlLoad {
  crawl: number;
  running: number;
  /** Whether a task of it has waited for a second or more. */
  waits: boolean;
  /** Whether one of these is of a job that is stopping: it ends as soon as it has a slot. */
  ends?: boolean;
}

/** A task at work in this process. */
export interface RunningTask {
  crawl: number;
  /** For how long it has been at work, ms. */
  ms: number;
  /** Whether it may be interrupted any number of times; else it has to begin some of its work again. */
  mayPause: boolean;
}

export const YIELD_AFTER_MS = { whenNoneRuns: 10_000, whenFewerRun: 60_000, inRotation: 300_000 } as const;

/**
 * The task that gives way to a waiting one: of the crawl with the most at work, the one that has run longest. Undefined when
 * nobody needs to: a crawl gives way to one that has no more tasks at work than it even after the exchange, or, with its only
 * task, in turn.
 */
export function taskToYield<T extends RunningTask>(loads: readonly CrawlLoad[], mine: readonly T[]): T | undefined {
  const runningOf = new Map(loads.map(({ crawl, running }) => [crawl, running]));
  const running = (task: RunningTask): number => runningOf.get(task.crawl) ?? 0;
  const byLoad = (a: T, b: T): number => running(b) - running(a) || b.ms - a.ms;
  if (loads.some(({ ends }) => ends)) {
    const stopped = mine.filter(({ ms, mayPause }) => mayPause && ms >= YIELD_AFTER_MS.whenNoneRuns).sort(byLoad)[0];
    if (stopped) return stopped;
  }
  const waiting = loads.filter(({ waits }) => waits).sort((a, b) => a.running - b.running)[0];
  if (waiting === undefined) return undefined;
  const min = waiting.running === 0 ? YIELD_AFTER_MS.whenNoneRuns : YIELD_AFTER_MS.whenFewerRun;
  const mayYield = (task: T): boolean =>
    running(task) > waiting.running + 1
      ? task.ms >= min
      : waiting.running === 0 && running(task) === 1 && task.mayPause && task.ms >= YIELD_AFTER_MS.inRotation;
  return mine.filter(mayYield).sort(byLoad)[0];
}
