/**
 * Limits of what is scarce and held for long, permits of a Semaphore or bytes of a MemoryBudget, and the rule by which more is given.
 *
 * A key that is no admin's has a limit of its own, and all of these keys together leave some to admins. So however many keys
 * take what they can, an admin gets in. On a server without keys there is nobody to leave it to: the limit of the whole holds.
 */

export interface Asker {
  /** A key, or everybody at one address. */
  readonly client: string;
  readonly kind: 'admin key' | 'key' | 'address';
}

/** Who asks where clients are not told apart. */
export const ANYONE: Asker = { client: '', kind: 'address' };

export interface ClientLimits {
  /** Of all. */
  readonly max: number;
  /** Of one client; with those below, of what they do not name. */
  readonly maxOfOne?: number;
  /** Of one key that is no admin's. */
  readonly maxPerKey?: number;
  /** Of one address, on a server without keys. */
  readonly maxPerAddress?: number;
  /** Part of `max` that keys leave to admin keys. */
  readonly reserved?: number;
}

/** A number holds for all alike, admin keys too. */
export type Limits = number | ClientLimits;

/** A limit that keeps one more out, of all or of the client that asks, and what counts to it now. */
export interface Reached {
  readonly limit: 'all' | 'own';
  readonly taken: number;
}

/** What is taken: by all, by all keys that are no admin's, by each client. */
export class Taken {
  all = 0;
  private keys = 0;
  private readonly ofClient = new Map<string, number>();

  /** @param n less than 0: given back */
  add({ client, kind }: Asker, n: number): void {
    this.all += n;
    if (kind === 'key') this.keys += n;
    const own = (this.ofClient.get(client) ?? 0) + n;
    if (own > 0) this.ofClient.set(client, own);
    else this.ofClient.delete(client);
  }

  /** The client that has most. */
  get fullest(): string {
    let fullest = '';
    for (const [client, own] of this.ofClient) if (own > (this.ofClient.get(fullest) ?? 0)) fullest = client;
    return fullest;
  }

  /**
   * The limit that keeps `n` more from the asker; undefined where they may be given.
   * The first of an admin key is given always: beyond `max` there is at most one for each admin key.
   */
  reached(limits: Limits, { client, kind }: Asker, n: number): Reached | undefined {
    const all: Reached = { limit: 'all', taken: this.all };
    if (typeof limits === 'number') return this.all + n > limits ? all : undefined;
    const { max, maxOfOne = Infinity, maxPerKey = maxOfOne, maxPerAddress = maxOfOne, reserved = 0 } = limits;
    const own = this.ofClient.get(client) ?? 0;
    const maxOwn = { key: maxPerKey, address: maxPerAddress, 'admin key': maxOfOne }[kind];
    if (own + n > maxOwn) return { limit: 'own', taken: own };
    if (kind === 'admin key' && own + n <= 1) return undefined;
    return this.all + n > max || (kind === 'key' && this.keys + n > max - reserved) ? all : undefined;
  }
}
