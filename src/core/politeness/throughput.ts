/**
 * Limits that end a FETCH early: the time limit (`fetcher.timelimit.mins`) and the minimum speed
 * (`fetcher.throughput.threshold.*`). Only the verdict is computed here; FETCH empties the queues and names the reason.
 */

/** When fetching ends (ms), Infinity when `fetcher.timelimit.mins` is negative. */
export function timeLimitAt(startedAt: number, minutes: number): number {
  return minutes < 0 ? Infinity : startedAt + minutes * 60_000;
}

export interface ThroughputRules {
  /** `fetcher.throughput.threshold.pages`: pages/s; negative: no limit. */
  readonly pagesPerSecond: number;
  /** `fetcher.throughput.threshold.retries` (2.x: `.sequence`): slow measurements in a row that are tolerated. */
  readonly retries: number;
  /** `fetcher.throughput.threshold.check.after`, in ms here: no verdict before. */
  readonly checkAfter: number;
  /** Time between two measurements, ms; 5 s in Nutch. */
  readonly every: number;
}

/** `slow`: below the threshold, still tolerated; `stop`: too many times in a row, final. */
export type ThroughputVerdict = 'ok' | 'slow' | 'stop';

export class ThroughputWatch {
  #at: number;
  #pages = 0;
  #slow = 0;

  /** @param startedAt the start of the fetch, ms */
  constructor(
    private readonly rules: ThroughputRules,
    private readonly startedAt: number,
  ) {
    this.#at = startedAt;
  }

  /**
   * It may be called at any rate; it measures once `every` has passed, over the time that actually passed.
   * @param pages fetched since the start
   */
  check(now: number, pages: number): ThroughputVerdict {
    const { pagesPerSecond, retries, checkAfter, every } = this.rules;
    if (pagesPerSecond < 0) return 'ok';
    const passed = now - this.#at;
    if (passed >= every && passed > 0) {
      const speed = ((pages - this.#pages) * 1000) / passed;
      const watched = now - this.startedAt >= checkAfter;
      if (this.#slow <= retries) this.#slow = watched && speed < pagesPerSecond ? this.#slow + 1 : 0;
      this.#at = now;
      this.#pages = pages;
    }
    if (this.#slow > retries) return 'stop';
    return this.#slow > 0 ? 'slow' : 'ok';
  }
}
