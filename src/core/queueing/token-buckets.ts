/**
 * A token bucket for each client: `rate` requests a second on average, `burst` at once.
 * Memory is bounded: beyond `max` clients the least recently seen ones are forgotten, and start with a full bucket.
 */
export class TokenBuckets {
  private readonly buckets = new Map<string, { tokens: number; at: number }>();

  constructor(
    private readonly rate: number,
    private readonly burst: number,
    private readonly max = 10_000,
  ) {}

  /**
   * Takes a token. Returns 0 when there was one, else the whole seconds until the next one.
   * @param now milliseconds of any monotonic clock
   */
  take(client: string, now: number): number {
    const bucket = this.buckets.get(client) ?? { tokens: this.burst, at: now };
    const tokens = Math.min(this.burst, bucket.tokens + (Math.max(0, now - bucket.at) / 1_000) * this.rate);
    this.buckets.delete(client);
    this.buckets.set(client, { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now });
    const oldest = this.buckets.keys().next().value;
    if (this.buckets.size > this.max && oldest !== undefined) this.buckets.delete(oldest);
    return tokens >= 1 ? 0 : Math.max(1, Math.ceil((1 - tokens) / this.rate));
  }
}
