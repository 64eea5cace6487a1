/**
 * Adjusts the number of fetch threads to a target bandwidth (Nutch 1.x `fetcher.bandwidth.target`).
 *
 * At each check the speed since the last one is compared with the target. The difference, divided by the speed of one
 * thread, is the number of threads to add or to leave idle. More threads help only where more queues wait than threads
 * run. The number is at least 1 and at most `fetcher.maxNum.threads`.
 */
export interface BandwidthRules {
  /** Bits per second; 0 or less: the number of threads stays as it is. */
  readonly target: number;
  /** ms between two checks (`fetcher.bandwidth.target.check.everyNSecs`). */
  readonly every: number;
  readonly max: number;
}

/** The state of the fetch at a check. */
export interface BandwidthSample {
  /** Body bytes received since the start. */
  readonly bytes: number;
  /** Threads with an open request. */
  readonly atWork: number;
  /** Concurrent requests that the queues allow. */
  readonly sustainable: number;
}

export class BandwidthWatch {
  #at: number;
  #bytes = 0;
  #threads: number;

  /** @param threads at the start; @param startedAt ms */
  constructor(
    private readonly rules: BandwidthRules,
    threads: number,
    startedAt: number,
  ) {
    this.#threads = threads;
    this.#at = startedAt;
  }

  /** The number of threads to use from now on. Calls within `every` of the last measurement return the same number. */
  threads(now: number, { bytes, atWork, sustainable }: BandwidthSample): number {
    const { target, every, max } = this.rules;
    const passed = now - this.#at;
    if (target <= 0 || passed < every || passed <= 0) return this.#threads;
    const speed = ((bytes - this.#bytes) * 8_000) / passed;
    this.#at = now;
    this.#bytes = bytes;
    const perThread = speed / Math.max(1, atWork);
    if (perThread <= 0) return this.#threads;
    const change = Math.round((target - speed) / perThread);
    if (change > 0 && sustainable <= atWork) return this.#threads;
    const threads = Math.max(1, atWork) + change;
    this.#threads =
      change > 0 ? Math.max(this.#threads, Math.min(threads, max)) : Math.max(1, Math.min(this.#threads, threads));
    return this.#threads;
  }
}
