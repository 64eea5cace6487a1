/**
 * Where the pages of a FETCH come from that goes on (job/continuous-rounds.ts): it asks which batches its crawl has made since, and
 * says when it has little left, so that what it has fetched is brought in and further pages are generated before its hosts stand
 * still.
 */
import type { CrawlBatches } from '../step.js';

/** Pause between two looks for further batches; and in the first seconds after it was reported that nothing is left. */
const LOOK_MS = 250;
const LOOK_SOON_MS = 50;
const SOON_MS = 3_000;
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
  /** Pages fetched so far that stand in the table: UPDATEDB brings them in. */
  written: number;
  /** Pages in the queues. */
  queued: number;
  /** Queues with pages; and those of them that have work for `AHEAD_MS`. */
  queues: number;
  longQueues: number;
}

/** The task that the batches are for. */
export interface BatchTaker {
  add(batch: string): void;
  /** Whether all pages that it knows of are done. */
  isIdle(): boolean;
  /** Writes what is fetched. */
  flush(): Promise<void>;
  figures(): BacklogFigures;
  failed(error: unknown): void;
  wake(): void;
}

export class FurtherBatches {
  /** The look that is under way. */
  looking: Promise<void> | undefined;
  private readonly known = new Set<string>();
  /** No further batch comes. */
  closed = false;
  /** When to look next, ms by the monotonic clock. */
  lookAt = -Infinity;
  private pauseMs = MIN_PAUSE_MS;
  private reportedAt = performance.now();
  private writtenBefore = 0;
  /** Most queues with pages since the last batch came. */
  private maxQueues = 0;
  /** When it was reported that nothing is left; Infinity: there is something. */
  private dryAt = Infinity;
  private readonly began = performance.now();
  /** Pages that were selected for all batches so far. */
  selected = 0;

  constructor(
    private readonly batches: CrawlBatches,
    private readonly taker: BatchTaker,
  ) {}

  /** Looks, when it is time: to be called while all pages that are known stand in the queues. */
  lookSoon(): void {
    if (this.looking || performance.now() < this.lookAt) return;
    this.looking = this.take()
      .catch((error: unknown) => this.taker.failed(error))
      .finally(() => {
        this.looking = undefined;
        this.taker.wake();
      });
  }

  /** Takes up what the crawl has generated since, or says how little is left. */
  private async take(): Promise<void> {
    const { batches, closed } = await this.look();
    for (const batch of batches) this.taker.add(batch);
    // Only now: a task without pages ends by it.
    this.closed = closed;
    if (batches.length > 0 || closed) return;
    if (!this.taker.isIdle()) return this.reportLow(this.taker.figures(), performance.now());
    await this.taker.flush();
    if (this.taker.isIdle()) await this.reportNone();
  }

  private get isDry(): boolean {
    return this.dryAt < Infinity;
  }

  /** Batches that this task has not read yet, and whether they are the last. */
  private async look(): Promise<{ batches: string[]; closed: boolean }> {
    const now = performance.now();
    this.lookAt = now + (this.isDry && now - this.dryAt < SOON_MS ? LOOK_SOON_MS : LOOK_MS);
    const { batches, closed } = await this.batches.open();
    const fresh = batches.filter(({ id }) => !this.known.has(id));
    if (fresh.length > 0 && this.isDry) {
      await this.batches.report('enough');
      this.dryAt = Infinity;
    }
    for (const { id, pages } of fresh) {
      this.known.add(id);
      this.selected += pages;
      if (pages >= WORTH_A_REPORT) this.pauseMs = MIN_PAUSE_MS;
    }
    if (fresh.length > 0) this.maxQueues = 0;
    return { batches: fresh.map(({ id }) => id), closed };
  }

  /** Reports that little is left, where that is so. */
  private async reportLow(figures: BacklogFigures, now: number): Promise<void> {
    if (!this.isLow(figures, now)) return;
    this.reportedAt = now;
    this.writtenBefore = figures.written;
    this.pauseMs = Math.min(this.pauseMs * 2, MAX_PAUSE_MS);
    await this.batches.report('low');
  }

  /** Reports that nothing is left, and that all that was fetched is written. */
  private async reportNone(): Promise<void> {
    if (this.isDry) return;
    await this.batches.report('none');
    this.dryAt = performance.now();
  }

  private isLow({ written, queued, queues, longQueues }: BacklogFigures, now: number): boolean {
    this.maxQueues = Math.max(this.maxQueues, queues);
    const since = now - this.reportedAt;
    if (written === this.writtenBefore || since < this.pauseMs) return false;
    const perMs = written / (now - this.began);
    return longQueues < this.maxQueues || queued < perMs * AHEAD_MS || since >= REPORT_MS;
  }
}
