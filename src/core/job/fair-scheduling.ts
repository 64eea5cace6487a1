/**
 * Which task yields its slot when all slots are in use. Claims go to the crawl with the fewest running tasks (task.store.ts),
 * so a slot that becomes free is assigned fairly. But the tasks of a large FETCH may run for hours. So a running task yields
 * its slot, with its work recorded, when a crawl with a smaller load waits: after ten seconds for a crawl that runs no task,
 * after a minute for one that runs fewer. Where every crawl runs one task and more crawls wait, they alternate every five
 * minutes; one that has sent no request for ten seconds, because its hosts are with other tasks or make it wait, yields then:
 * otherwise crawls of one slow host would keep all slots. For a task of a job that is stopping, which only has to record what
 * is left, any task that may pause yields.
 *
 * Pure: it maps loads and running tasks to a decision.
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

/** A task that is running in this process. */
export interface RunningTask {
  crawl: number;
  /** How long it has been running, ms. */
  ms: number;
  /** Whether it can be interrupted any number of times; else it has to repeat some of its work. */
  mayPause: boolean;
  /** For how long it has sent no request because it waits for its hosts, ms. */
  hostWaitMs: number;
}

export const YIELD_AFTER_MS = { whenNoneRuns: 10_000, whenFewerRun: 60_000, inRotation: 300_000 } as const;

/**
 * The task that yields to a waiting one: of the crawl with the most running tasks, the one that has run longest. Undefined if
 * none has to: a crawl yields only to a crawl that has fewer running tasks than it even after the exchange, or alternately if
 * it runs one task.
 */
export function taskToYield<T extends RunningTask>(loads: readonly CrawlLoad[], mine: readonly T[]): T | undefined {
  const runningOf = new Map(loads.map(({ crawl, running }) => [crawl, running]));
  const running = (task: RunningTask): number => runningOf.get(task.crawl) ?? 0;
  const byLoad = (a: T, b: T): number => running(b) - running(a) || b.hostWaitMs - a.hostWaitMs || b.ms - a.ms;
  if (loads.some(({ ends }) => ends)) {
    const stopped = mine.filter(({ ms, mayPause }) => mayPause && ms >= YIELD_AFTER_MS.whenNoneRuns).sort(byLoad)[0];
    if (stopped) return stopped;
  }
  const waiting = loads.filter(({ waits }) => waits).sort((a, b) => a.running - b.running)[0];
  if (waiting === undefined) return undefined;
  const min = waiting.running === 0 ? YIELD_AFTER_MS.whenNoneRuns : YIELD_AFTER_MS.whenFewerRun;
  const hasRunEnough = ({ ms, hostWaitMs }: T): boolean =>
    ms >= YIELD_AFTER_MS.inRotation || Math.min(ms, hostWaitMs) >= YIELD_AFTER_MS.whenNoneRuns;
  const mayYield = (task: T): boolean =>
    running(task) > waiting.running + 1
      ? task.ms >= min
      : waiting.running === 0 && running(task) === 1 && task.mayPause && hasRunEnough(task);
  return mine.filter(mayYield).sort(byLoad)[0];
}
