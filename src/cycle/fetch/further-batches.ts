/**
 * Supplies the FETCH of a continuous crawl with batches (core/job/continuous-rounds.ts): it polls for new batches of it, and
 * reports when few pages are left, so that UPDATEDB processes the fetched pages and GENERATE selects further ones before hosts
 * become idle.
 */
import type { OpenBatch } from '../../job/crawl-batches.sql.js';
import type { CrawlBatches } from '../step.js';

/** Interval of polling for further batches; and a shorter one in the first seconds after the report that nothing is left. */
const LOOK_MS = 250;
const LOOK_SOON_MS = 20;
const SOON_MS = 3_000;
/** Work that a host should have queued: the time that UPDATEDB and GENERATE need to supply more. */
export const AHEAD_MS = 2_000;
/** Pauses between two reports. They grow while the reports yield few pages, to so many times the duration of such a round. */
const MIN_PAUSE_MS = 300;
const MAX_PAUSE_ROUNDS = 10;
/** Bounds of the longest pause. */
const MAX_PAUSE_MS = { least: 1_000, most: 16_000 };
/** Pages of a batch that are worth the cost of a report. */
const WORTH_A_REPORT = 20;
/**
 * Maximum interval of reports: there may be pages of hosts that this task does not know, and what it has fetched of a large
 * batch should be found by a search. While nothing is fetched the crawl is advanced as often: INDEX may wait for the end of a
 * pause.
 */
const REPORT_MS = 10_000;

export interface BacklogFigures {
  /** Fetched pages written so far, for UPDATEDB to process. */
  written: number;
  /** Pages in the queues. */
  queued: number;
  /** Queues with pages; and those of them that have work for `AHEAD_MS`. */
  queues: number;
  longQueues: number;
  /** How often a queue ran out of pages, and its last visit ended. */
  emptied: number;
}

/** The task that fetches the batches. */
export interface BatchTaker {
  add(batch: string): void;
  /** Those open batches that UPDATEDB has not emptied. */
  withPages(): Promise<readonly string[]>;
  /** Whether all known pages are done, and none of an excluded host is to be read again. */
  isIdle(): boolean;
  /** Writes the fetched pages. */
  flush(): Promise<void>;
  figures(): BacklogFigures;
  /** Whether all batches were read to their ends, except for pages of hosts whose queues are full. */
  isThrough(): boolean;
  failed(error: unknown): void;
  wake(): void;
}

export class FurtherBatches {
  /** The running look. */
  looking: Promise<void> | undefined;
  /** Number of the last batch that was added. */
  private last: number | undefined;
  /** There will be no further batch. */
  closed = false;
  /** When to look next, ms by the monotonic clock. */
  lookAt = -Infinity;
  private pauseMs = MIN_PAUSE_MS;
  private maxPauseMs = MAX_PAUSE_MS.most;
  /** The longest round so far: a GENERATE of a large re-crawl reads all pages that it has visited. */
  private roundMs = 0;
  private reportedAt = performance.now();
  private advancedAt = performance.now();
  private writtenBefore = 0;
  /** How often queues had run out of pages when the last batch was added. */
  private emptiedBefore = 0;
  /** When it was reported that nothing is left; Infinity: not reported. */
  private dryAt = Infinity;
  private readonly began = performance.now();
  /** Pages of all batches so far. */
  selected = 0;

  constructor(
    private readonly batches: CrawlBatches,
    private readonly taker: BatchTaker,
  ) {}

  /** Looks for batches when it is due. */
  lookSoon(): void {
    if (this.looking || performance.now() < this.lookAt) return;
    this.looking = this.take()
      .catch((error: unknown) => this.taker.failed(error))
      .finally(() => {
        this.looking = undefined;
        this.taker.wake();
      });
  }

  /** Adds the batches that the crawl has generated since, or reports that little is left. */
  private async take(): Promise<void> {
    const { batches, closed } = await this.look();
    for (const batch of batches) this.taker.add(batch);
    // Set after the batches are added: a task without pages ends when it is set.
    this.closed = closed;
    if (batches.length > 0 || closed) return;
    if (!this.taker.isIdle()) return this.reportLow(this.taker.figures(), performance.now());
    await this.taker.flush();
    if (this.taker.isIdle()) await this.reportNone();
  }

  /** Whether it was reported that nothing is left. */
  get isDry(): boolean {
    return this.dryAt < Infinity;
  }

  /** Batches that are new to this task, and whether they are the last. */
  private async look(): Promise<{ batches: string[]; closed: boolean }> {
    const now = performance.now();
    this.lookAt = now + (this.isDry && now - this.dryAt < SOON_MS ? LOOK_SOON_MS : LOOK_MS);
    const { batches: fresh, closed, deletedPages } = await this.batches.open(this.last);
    if (this.last === undefined) this.selected = deletedPages;
    const batches = await this.toRead(fresh);
    if (this.isDry && (fresh.length > 0 || (!closed && !this.taker.isIdle()))) {
      await this.batches.report('enough');
      this.dryAt = Infinity;
    }
    for (const { pages, number, ms } of fresh) {
      this.last = number;
      this.selected += pages;
      this.roundMs = Math.max(this.roundMs, ms);
      this.maxPauseMs = Math.min(Math.max(MAX_PAUSE_ROUNDS * ms, MAX_PAUSE_MS.least), MAX_PAUSE_MS.most);
      this.pauseMs = pages >= WORTH_A_REPORT ? MIN_PAUSE_MS : Math.min(this.pauseMs, this.maxPauseMs);
    }
    if (fresh.length > 0) this.emptiedBefore = this.taker.figures().emptied;
    return { batches, closed };
  }

  /** A task may begin when its crawl has run for days and has made thousands of batches, most of which are empty again. */
  private async toRead(fresh: readonly OpenBatch[]): Promise<string[]> {
    const ids = fresh.map(({ id }) => id);
    if (this.last !== undefined || ids.length === 0) return ids;
    const withPages = new Set(await this.taker.withPages());
    return ids.filter((id) => withPages.has(id));
  }

  /** Reports that little is left, if so. */
  private async reportLow(figures: BacklogFigures, now: number): Promise<void> {
    if (!this.isLow(figures, now)) return this.advanceCrawl(now);
    this.reportedAt = now;
    this.advancedAt = now;
    this.writtenBefore = figures.written;
    this.pauseMs = Math.min(this.pauseMs * 2, this.maxPauseMs);
    await this.batches.report('low', this.last);
  }

  private async advanceCrawl(now: number): Promise<void> {
    if (now - this.advancedAt < REPORT_MS) return;
    this.advancedAt = now;
    await this.batches.advance();
  }

  /** Reports that nothing is left and all fetched pages are written. */
  private async reportNone(): Promise<void> {
    if (this.isDry) return;
    this.dryAt = performance.now();
    await this.batches.report('none', this.last).catch((error: unknown) => {
      this.dryAt = Infinity;
      throw error;
    });
    this.lookAt = this.dryAt + LOOK_SOON_MS;
  }

  private isLow({ written, queued, queues, longQueues, emptied }: BacklogFigures, now: number): boolean {
    const since = now - this.reportedAt;
    if (written === this.writtenBefore || since < this.pauseMs) return false;
    // Further pages of a batch that is not read to its end fill the queues.
    if (!this.taker.isThrough()) return since >= Math.max(REPORT_MS, this.roundMs);
    const perMs = written / (now - this.began);
    // A queue that has run out may be of a host whose pages are found one at a time.
    const isShort = longQueues < queues || emptied > this.emptiedBefore;
    return isShort || queued < perMs * AHEAD_MS || since >= REPORT_MS;
  }
}
