/**
 * Watchers that end a FETCH early: the clock (`fetcher.timelimit.mins`) and the speed (`fetcher.throughput.threshold.*`).
 * Instants and counts come in, a verdict goes out; what to do about it (empty the queues, name the reason) is the step's.
 */

/** The instant (ms) at which fetching ends, Infinity when `fetcher.timelimit.mins` is negative. */
export function timeLimitAt(startedAt: number, minutes: number): number {
  return minutes < 0 ? Infinity : startedAt + minutes * 60_000;
}

export interface ThroughputRules {
  /** `fetcher.throughput.threshold.pages`: pages/s; negative: no watch. */
  readonly pagesPerSecond: number;
  /** `fetcher.throughput.threshold.retries` (2.x: `.sequence`): times in a row that it may be too slow. */
  readonly retries: number;
  /** `fetcher.throughput.threshold.check.after`, in ms here: no verdict before. */
  readonly checkAfter: number;
  /** Time between two measurements, ms; 5 s in Nutch. */
  readonly every: number;
}

/** `slow` counts one more time in a row; `stop` says that it was once too often, and stays. */
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
   * Call it as often as you like; it measures when `every` has passed, over the time that really passed.
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
