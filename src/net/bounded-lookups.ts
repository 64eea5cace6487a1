/**
 * Name look-ups that no connection waits for: a few at a time. The process runs eight at once (half of UV_THREADPOOL_SIZE, as
 * those of the system block a thread), and connections must find a thread, however many names have dead name servers.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Semaphore } from '../core/queueing/semaphore.js';

export interface LookupLimits {
  /** From the start of the look-up, ms; default: as long as the system takes. */
  maxMs?: number;
  signal?: AbortSignal;
}

export class BoundedLookups {
  private readonly permits: Semaphore;

  /** @param max look-ups at once, of the whole process */
  constructor(max: number) {
    this.permits = new Semaphore(max);
  }

  /** The result of a look-up, once fewer than the maximum are running; null if it takes longer, or `signal` fires. */
  async run<T>(lookUp: () => Promise<T>, { maxMs, signal }: LookupLimits = {}): Promise<T | null> {
    const acquired = await this.permits.acquire(signal).then(
      () => true,
      () => false,
    );
    if (!acquired) return null;
    // Released no earlier: a look-up that has begun cannot be cancelled.
    const result = lookUp().finally(() => this.permits.release());
    if (maxMs === undefined) return result;
    const ended = new AbortController();
    const until = signal === undefined ? ended.signal : AbortSignal.any([ended.signal, signal]);
    const late = sleep(maxMs, null, { signal: until, ref: false }).catch(() => null);
    try {
      return await Promise.race([result, late]);
    } finally {
      ended.abort();
    }
  }
}

/** Of HOSTDB, which resolves each host of a crawl. */
export const hostDbLookups = new BoundedLookups(4);
/** Of groups and queues by address (`partition.url.mode` and `fetcher.queue.mode` byIP). */
export const addressLookups = new BoundedLookups(3);
