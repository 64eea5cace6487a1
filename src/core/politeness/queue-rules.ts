import type { Pace } from './pace.js';

/**
 * The rules of all queues; times in ms. Threads and the two delays are `fetcher.threads.per.queue`, `fetcher.server.delay`
 * and `fetcher.server.min.delay`.
 */
export interface QueueRules extends Pace {
  /** `fetcher.max.exceptions.per.queue`; negative: no limit. */
  readonly maxExceptions: number;
  /** `fetcher.exceptions.per.queue.delay`: extra delay after the first exception; x2, x4, … after the next ones. */
  readonly exceptionDelay: number;
  /** `fetcher.backoff.max`: the longest extra delay. */
  readonly maxBackOffMs: number;
  /** `fetcher.exceptions.per.queue.clear.after`: exceptions older than this no longer count. */
  readonly exceptionsClearAfter: number;
  /** Pages of one queue that should be known at most, however short its delay is; default: no limit. */
  readonly maxPages?: number;
  /** When the task ends (`fetcher.timelimit.mins`): a queue whose next fetch would be later is emptied. */
  readonly endsAt?: number;
}

/** Values that host settings and Crawl-delay may override (`fetcher.queue.use.host.settings`). */
export type QueueSettings = Partial<Pace>;
