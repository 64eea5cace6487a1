/**
 * Where the pages of a FETCH come from that goes on (job/continuous-rounds.ts): it asks which batches its crawl has made since, and
 * says when it has little left, so that what it has fetched is brought in and further pages are generated before its hosts stand
 * still.
 */
import type { CrawlBatches } from '../step.js';

/** Pause between two looks for further batches. */
const LOOK_MS = 250;
/** Work that a host should have before it: what takes UPDATEDB and GENERATE to bring more. */
export const AHEAD_MS = 2_000;
/** Pauses between two reports. They grow while hardly anything comes of them. */
const MIN_PAUSE_MS = 300;
const MAX_PAUSE_MS = 16_000;
/** Pages of a batch that make a report worth its cost. */
const WORTH_A_REPORT = 20;
/** A report at least so often: pages of hosts that this task does not know of may have been found. */
const REPORT_MS = 10_000;

export interface BacklogFigures {
  now: number;
  /** Pages fetched so far. */
  fetched: number;
  /** Pages in the queues. */
  queued: number;
  /** Queues with pages; and those of them that have work for `AHEAD_MS`. */
  queues: number;
  longQueues: number;
}

export class FurtherBatches {
  private readonly known = new Set<string>();
  /** No further batch comes. */
  closed = false;
  /** When to look next, ms by the monotonic clock. */
  lookAt = -Infinity;
  private pauseMs = MIN_PAUSE_MS;
  private reportedAt = performance.now();
  private fetchedBefore = 0;
  /** Most queues with pages since the last batch came. */
  private maxQueues = 0;
  private isDry = false;
  private readonly began = performance.now();
  /** Pages that were selected for all batches so far. */
  selected = 0;

  constructor(private readonly batches: CrawlBatches) {}

  /** Batches that this task has not read yet. */
  async look(): Promise<string[]> {
    this.lookAt = performance.now() + LOOK_MS;
    const { batches, closed } = await this.batches.open();
    this.closed = closed;
    const fresh = batches.filter(({ id }) => !this.known.has(id));
    if (fresh.length > 0 && this.isDry) {
      await this.batches.report('enough');
      this.isDry = false;
    }
    for (const { id, pages } of fresh) {
      this.known.add(id);
      this.selected += pages;
      if (pages >= WORTH_A_REPORT) this.pauseMs = MIN_PAUSE_MS;
    }
    if (fresh.length > 0) this.maxQueues = 0;
    return fresh.map(({ id }) => id);
  }

  /** Reports that little is left, where that is so. */
  async reportLow(figures: BacklogFigures): Promise<void> {
    if (!this.isLow(figures)) return;
    this.reportedAt = figures.now;
    this.fetchedBefore = figures.fetched;
    this.pauseMs = Math.min(this.pauseMs * 2, MAX_PAUSE_MS);
    await this.batches.report('low');
  }

  /** Reports that nothing is left, and that all that was fetched is written. */
  async reportNone(): Promise<void> {
    if (this.isDry) return;
    await this.batches.report('none');
    this.isDry = true;
  }

  private isLow({ now, fetched, queued, queues, longQueues }: BacklogFigures): boolean {
    this.maxQueues = Math.max(this.maxQueues, queues);
    const since = now - this.reportedAt;
    if (fetched === this.fetchedBefore || since < this.pauseMs) return false;
    const perMs = fetched / (now - this.began);
    return longQueues < this.maxQueues || queued < perMs * AHEAD_MS || since >= REPORT_MS;
  }
}
