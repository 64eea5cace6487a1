/**
 * Running visits, and how many of them have been running for long: a slow server occupies a thread for the whole time that a
 * fetch may take, and a hundred of them would occupy all. The caller passes `now` (ms, monotonic).
 */

/** A running visit: `begin` returns it, `end` takes it. */
export interface Begun {
  readonly at: number;
}

export class RunningVisits {
  /** In the order in which they began. */
  readonly #begun = new Set<Begun>();

  /** @param longMs a visit that has run for longer is a long one */
  constructor(private readonly longMs: number) {}

  get size(): number {
    return this.#begun.size;
  }

  begin(now: number): Begun {
    const begun = { at: now };
    this.#begun.add(begun);
    return begun;
  }

  end(begun: Begun): void {
    this.#begun.delete(begun);
  }

  /** The number of long visits, at most `max`. Only the oldest visits are read. */
  long(now: number, max: number): number {
    let long = 0;
    for (const { at } of this.#begun) {
      if (long >= max || now - at <= this.longMs) break;
      long++;
    }
    return long;
  }
}
