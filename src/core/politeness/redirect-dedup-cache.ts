/**
 * A cache of recent redirect targets (`fetcher.redirect.dedupcache.*`). Many pages of a site may redirect to one URL, such
 * as a login page: it is handled once, and the others need no query.
 */
export class RedirectDedupCache {
  /** Targets in order of insertion, with their expiry time. */
  readonly #until = new Map<string, number>();

  /**
   * @param ms how long a target is kept; 0 or less: not at all
   * @param size targets kept at most
   */
  constructor(
    private readonly ms: number,
    private readonly size: number,
  ) {}

  /** Whether the target is in the cache; adds it if not. @param now ms, of any monotonic clock */
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
