/**
 * Keeps pages in the queues of a task: it reads the next chunk of the partition when few are left, or when threads are idle
 * although there are unread pages, as those in memory are of hosts whose delay is not over.
 */
import type { FetchQueues } from '../../core/politeness/fetch-queues.js';
import type { ChunkFeeder, FetchItem } from './chunk-feeder.js';

/** Maximum of pages in memory that idle threads cause. */
const MAX_AHEAD = 50_000;
/** Hosts whose queues are looked at per millisecond, to see whether they need further pages; maximum interval. */
const LOOKED_AT_PER_MS = 10;
const MAX_REFILL_MS = 250;

export interface ReadAheadOptions {
  feeder: ChunkFeeder;
  queues: FetchQueues<FetchItem>;
  /** Puts pages into their queues. */
  enqueue(items: readonly FetchItem[]): Promise<void>;
  failed(error: unknown): void;
  wake(): void;
}

export class ReadAhead {
  /** The running read. */
  reading: Promise<void> | undefined;
  private stopped = false;
  private lookedAt = -Infinity;

  constructor(private readonly options: ReadAheadOptions) {}

  /** Whether nothing is left to be read. */
  get ended(): boolean {
    return !this.reading && (this.stopped || this.options.feeder.ended);
  }

  /** Whether nothing is left to be read but pages of hosts whose queues have enough of them. */
  get isThrough(): boolean {
    return !this.reading && (this.stopped || this.options.feeder.isThrough);
  }

  /** Ends reading: what is unread stays in the batch. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.reading;
  }

  /**
   * Reads a chunk if that is due.
   * @param depth pages that should be in the queues
   * @param isIdle whether threads have no page to fetch now
   */
  readSoon(depth: number, isIdle: boolean): void {
    if (this.stopped || this.reading || this.options.feeder.ended) return;
    const read = this.due(depth, isIdle);
    if (read === undefined) return;
    this.reading = read()
      .then((items) => this.options.enqueue(items))
      .catch((error: unknown) => this.options.failed(error))
      .finally(() => {
        this.reading = undefined;
        this.options.wake();
      });
  }

  private due(depth: number, isIdle: boolean): (() => Promise<readonly FetchItem[]>) | undefined {
    const { feeder, queues } = this.options;
    const { queued } = queues;
    const half = Math.ceil(depth / 2);
    const now = performance.now();
    if (now - this.lookedAt >= Math.min(MAX_REFILL_MS, feeder.deferredHosts / LOOKED_AT_PER_MS)) {
      this.lookedAt = now;
      if (feeder.needsRefill) return () => feeder.refill(half);
    }
    if (feeder.isThrough) return undefined;
    if (queued <= depth / 2) return () => feeder.next(depth - queued);
    return isIdle && queued < MAX_AHEAD ? () => feeder.next(half) : undefined;
  }
}
