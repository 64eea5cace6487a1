/**
 * The number of fetch threads that a wanted bandwidth takes (Nutch 1.x `fetcher.bandwidth.target`).
 *
 * Every so often the bytes of the last while are set against the target: what is missing, or too much, divided by what one
 * thread brought, is the number of threads to add or to leave idle. More threads help only where more queues wait than
 * threads work. There is always one thread, and never more than `fetcher.maxNum.threads`.
 */
export interface BandwidthRules {
  /** Bits per second; 0 or less: the number of threads stays as it is. */
  readonly target: number;
  /** ms between two looks (`fetcher.bandwidth.target.check.everyNSecs`). */
  readonly every: number;
  readonly max: number;
}

/** What is going on at a look. */
export interface Work {
  /** Body bytes received since the start. */
  readonly bytes: number;
  /** Threads with a request under way. */
  readonly atWork: number;
  /** Requests that the queues could bear at once. */
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

  /** Threads to be used from now on. Call it as often as you like; it measures when `every` has passed. */
  threads(now: number, { bytes, atWork, sustainable }: Work): number {
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
    const wanted = Math.max(1, atWork) + change;
    this.#threads =
      change > 0 ? Math.max(this.#threads, Math.min(wanted, max)) : Math.max(1, Math.min(this.#threads, wanted));
    return this.#threads;
  }
}
