/**
 * A semaphore: permits up to a limit, and waiters, served in order of arrival.
 *
 * The permits of clients may be limited too (client-limits.ts): a waiter whose own limit is reached is skipped until a
 * permit of its client is released. Admin keys are served first. Timeouts and eviction are up to the caller.
 */
import { ANYONE, type LimitedClient, type LimitSetting, type ReachedLimit, Taken } from './client-limits.js';

interface Waiter {
  readonly client: LimitedClient;
  readonly granted: () => void;
}

export class Semaphore {
  private readonly taken = new Taken();
  /** In order of arrival. */
  private readonly admins = new Set<Waiter>();
  private readonly others = new Set<Waiter>();

  constructor(private readonly limits: LimitSetting) {}

  /** Permits that are held. */
  get size(): number {
    return this.taken.all;
  }

  /** The client that holds most permits. */
  get fullest(): string {
    return this.taken.fullest;
  }

  /** The limit that one more permit would exceed; undefined where there is none. */
  reached(client = ANYONE): ReachedLimit | undefined {
    return this.taken.reached(this.limits, client, 1);
  }

  /** Takes a permit whatever the limits, for a caller that has released or will release another. */
  take(client = ANYONE): void {
    this.taken.add(client, 1);
  }

  /** Takes a permit, or returns the limit that is reached. */
  tryAcquire(client = ANYONE): ReachedLimit | undefined {
    const reached = this.reached(client);
    if (reached === undefined) this.take(client);
    return reached;
  }

  /** Waits for a permit: a later release calls `granted`. Returns a function that ends the wait. */
  enqueue(client: LimitedClient, granted: () => void): () => void {
    const waiter = { client, granted };
    const line = client.kind === 'admin key' ? this.admins : this.others;
    line.add(waiter);
    return () => void line.delete(waiter);
  }

  /** @param signal ends the wait: its reason is thrown, and no permit is taken */
  async acquire(signal?: AbortSignal, client = ANYONE): Promise<void> {
    if (this.tryAcquire(client) !== undefined) await this.wait(client, signal);
  }

  /** Runs `work` with a permit: starts synchronously where one is free. @param signal as for `acquire` */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal, client = ANYONE): Promise<T> {
    if (this.tryAcquire(client) !== undefined) await this.wait(client, signal);
    try {
      return await work();
    } finally {
      this.release(client);
    }
  }

  /** Grants the permit to the first waiter whose limits allow it. */
  release(client = ANYONE): void {
    this.taken.add(client, -1);
    for (const line of [this.admins, this.others]) {
      for (const waiter of line) {
        if (this.tryAcquire(waiter.client) !== undefined) continue;
        line.delete(waiter);
        return waiter.granted();
      }
    }
  }

  private wait(client: LimitedClient, signal: AbortSignal | undefined): Promise<void> {
    return granting((granted) => this.enqueue(client, granted), signal);
  }
}

/** Waits until `granted` is called. @param enqueue returns what ends the wait @param signal ends it by its reason */
export function granting(enqueue: (granted: () => void) => () => void, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      leave();
      reject(signal!.reason as Error);
    };
    const leave = enqueue(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** The holders to evict first: those that have waited longest for their clients, at least `minMs`; at most `n`. */
export const longestWaiting = <T extends { readonly waitingSince: number }>(
  holders: readonly T[],
  { now, minMs, n }: { now: number; minMs: number; n: number },
): T[] =>
  holders
    .filter(({ waitingSince }) => now - waitingSince >= minMs)
    .sort((a, b) => a.waitingSince - b.waitingSince)
    .slice(0, n);
