/**
 * What a FETCH waits for while none of its requests is under way: the queue that may send first, and why not yet
 * there. Short delays are not reported.
 */
import type { Wait } from '../step.js';
import type { PageQueues } from '../../politeness/page-queues.js';
import type { Item } from './chunk-feeder.js';

/** A wait shorter than this is not reported, ms. */
const REPORT_AFTER_MS = 2_000;

export class QueueWait {
  private asking = 0;
  /** When the last request ended, ms by the monotonic clock. */
  private askedAt = performance.now();

  constructor(private readonly parts: Pick<PageQueues<Item>, 'pages' | 'leases' | 'pace'>) {}

  /** Does what asks servers. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.asking++;
    try {
      return await work();
    } finally {
      this.asking--;
      this.askedAt = performance.now();
    }
  }

  get wait(): Wait | null {
    const { pages } = this.parts;
    const now = performance.now();
    const next = pages.first();
    if (this.asking > 0 || next === null) return null;
    if (now - this.askedAt < REPORT_AFTER_MS && next.at - now < REPORT_AFTER_MS) return null;
    const { queued } = pages;
    const count = `${queued} ${queued === 1 ? 'page' : 'pages'}`;
    return {
      for: 'host',
      what: `${next.queueId}, ${this.why(next, now)}: ${count}`,
      url: null,
      pages: queued,
      since: dateOf(this.askedAt, now).toISOString(),
    };
  }

  private why({ queueId, at }: { queueId: string; at: number }, now: number): string {
    const { leases, pace } = this.parts;
    if (leases.isRefused(queueId)) return 'whose queue is with another task';
    const until = dateOf(at, now)
      .toISOString()
      .replace(/\.\d+Z$/, 'Z');
    return pace.isLeftAlone(queueId, now) ? `which is left alone until ${until}` : `which rests until ${until}`;
  }
}

/** To the second: repeated reports stay the same. */
const dateOf = (at: number, now: number): Date => new Date(Math.round((Date.now() + at - now) / 1_000) * 1_000);
