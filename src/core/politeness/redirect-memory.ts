/**
 * Targets of redirects that were met not long ago (`fetcher.redirect.dedupcache.*`). Many pages of a site may lead to one, a
 * login or a front page: it is tried once, and the others need no look into the table.
 */
export class RedirectMemory {
  /** Targets in the order they were met, with the time until which they count. */
  readonly #until = new Map<string, number>();

  /**
   * @param ms how long a target is remembered; not above 0: not at all
   * @param size targets remembered at most
   */
  constructor(
    private readonly ms: number,
    private readonly size: number,
  ) {}

  /** Whether the target was met before; now it was. @param now ms, of any clock that does not go back */
  met(target: string, now: number): boolean {
    if (this.ms <= 0 || this.size === 0) return false;
    const known = (this.#until.get(target) ?? -Infinity) > now;
    if (known) return true;
    this.#until.delete(target);
    this.#until.set(target, now + this.ms);
    if (this.#until.size > this.size) this.#until.delete(this.#until.keys().next().value ?? '');
    return false;
  }
}
