/**
 * Limits of clients to a scarce resource: permits of a Semaphore or bytes of a MemoryBudget.
 *
 * Each non-admin key has its own limit, and all of these keys together leave a reserve to admin keys. So an admin is
 * admitted however many keys use their limits. On a server without keys there is no reserve: only the total limit applies.
 */

/** Who takes permits or bytes, as the limits count it. */
export interface LimitedClient {
  /** A key, or all clients at one address. */
  readonly id: string;
  readonly kind: 'admin key' | 'key' | 'address';
}

/** The client where clients are not distinguished. */
export const ANYONE: LimitedClient = { id: '', kind: 'address' };

export interface ClientLimits {
  /** For all clients together. */
  readonly max: number;
  /** For one client, where no limit below applies to its kind. */
  readonly maxOfOne?: number;
  /** For one non-admin key. */
  readonly maxPerKey?: number;
  /** For one address, on a server without keys. */
  readonly maxPerAddress?: number;
  /** Part of `max` reserved for admin keys. */
  readonly reserved?: number;
}

/** A number limits all clients alike, admin keys too. */
export type LimitSetting = number | ClientLimits;

/** The limit that is reached, of all clients or of the one that asks, and the amount taken now. */
export interface ReachedLimit {
  readonly limit: 'all' | 'own';
  readonly taken: number;
}

/** The amounts taken: by all clients, by all non-admin keys, by each client. */
export class Taken {
  all = 0;
  private keys = 0;
  private readonly ofClient = new Map<string, number>();

  /** @param n negative to release */
  add({ id, kind }: LimitedClient, n: number): void {
    this.all += n;
    if (kind === 'key') this.keys += n;
    const taken = (this.ofClient.get(id) ?? 0) + n;
    if (taken > 0) this.ofClient.set(id, taken);
    else this.ofClient.delete(id);
  }

  /** The client that has taken most. */
  get fullest(): string {
    let fullest = '';
    for (const [client, taken] of this.ofClient) if (taken > (this.ofClient.get(fullest) ?? 0)) fullest = client;
    return fullest;
  }

  /**
   * The limit that taking `n` more would exceed; undefined where there is none.
   * The first of an admin key is always granted: beyond `max` there is at most one for each admin key.
   */
  reached(limits: LimitSetting, { id, kind }: LimitedClient, n: number): ReachedLimit | undefined {
    const all: ReachedLimit = { limit: 'all', taken: this.all };
    if (typeof limits === 'number') return this.all + n > limits ? all : undefined;
    const { max, maxOfOne = Infinity, maxPerKey = maxOfOne, maxPerAddress = maxOfOne, reserved = 0 } = limits;
    const taken = this.ofClient.get(id) ?? 0;
    const maxOwn = { key: maxPerKey, address: maxPerAddress, 'admin key': maxOfOne }[kind];
    if (taken + n > maxOwn) return { limit: 'own', taken };
    if (kind === 'admin key' && taken + n <= 1) return undefined;
    return this.all + n > max || (kind === 'key' && this.keys + n > max - reserved) ? all : undefined;
  }
}
