/**
 * Requests under way, and how many of them have been for long: a server that trickles holds a thread for the whole time that a
 * fetch may take, and a hundred of them would hold all. Nothing here touches the clock: `now` comes in (ms, never going back).
 */

/** A request that has begun; the same object ends it. */
export interface Begun {
  readonly at: number;
}

export class UnderWay {
  /** In the order in which they began. */
  readonly #begun = new Set<Begun>();

  /** @param longMs a request under way for longer is a long one */
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

  /** Long ones, at most so many: those that began first are looked at, and no more. */
  long(now: number, max: number): number {
    let long = 0;
    for (const { at } of this.#begun) {
      if (long >= max || now - at <= this.longMs) break;
      long++;
    }
    return long;
  }
}
