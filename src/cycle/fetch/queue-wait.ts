/**
 * What a FETCH waits for while none of its requests is running: the queue that is ready first, and why it is not ready yet. Short
 * delays are not reported.
 */
import type { TaskWait } from '../../core/job/task-wait.js';
import type { PageQueues } from '../../politeness/page-queues.js';
import type { FetchItem } from './chunk-feeder.js';
import { counted } from '../../core/counted.js';

/** A wait shorter than this is not reported, ms. */
const REPORT_AFTER_MS = 2_000;

export class QueueWait {
  private running = 0;
  /** When the last request ended, ms by the monotonic clock. */
  private endedAt = performance.now();

  constructor(private readonly options: Pick<PageQueues<FetchItem>, 'pages' | 'leases' | 'pace'>) {}

  /** Runs work that sends requests: there is no wait to report meanwhile. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.running++;
    try {
      return await work();
    } finally {
      this.running--;
      this.endedAt = performance.now();
    }
  }

  get wait(): TaskWait | null {
    const { pages } = this.options;
    const now = performance.now();
    const next = pages.first();
    if (this.running > 0 || next === null) return null;
    if (now - this.endedAt < REPORT_AFTER_MS && next.at - now < REPORT_AFTER_MS) return null;
    const { queued } = pages;
    const count = counted(queued, 'page');
    return {
      for: 'host',
      what: `${next.queueId}, ${this.why(next, now)}: ${count}`,
      url: null,
      pages: queued,
      since: dateOf(this.endedAt, now).toISOString(),
    };
  }

  private why({ queueId, at }: { queueId: string; at: number }, now: number): string {
    const { leases, pace } = this.options;
    if (leases.isRefused(queueId)) return 'whose queue is with another task';
    const until = dateOf(at, now)
      .toISOString()
      .replace(/\.\d+Z$/, 'Z');
    return pace.isBlocked(queueId, now) ? `which is blocked until ${until}` : `whose delay lasts until ${until}`;
  }
}

/** Rounded to the second, so that repeated reports are equal. */
const dateOf = (at: number, now: number): Date => new Date(Math.round((Date.now() + at - now) / 1_000) * 1_000);
