/**
 * Semaphores over the connections of a pool. Work that keeps a connection for long may have only some of the connections at a
 * time, so that the rest stay available. Work that waits for a permit has no connection.
 */
import type { Pool } from 'pg';
import { type ConnectionLimits, limitsOf } from './connection-limits.js';

/** A number of permits, and the waiters for one, first come, first served. */
export class Semaphore {
  /** In the order in which they came. */
  private readonly waiting = new Set<() => void>();

  constructor(private free: number) {}

  /** @param halt ends the wait: its reason is thrown, and no permit is taken */
  async acquire(halt?: AbortSignal): Promise<void> {
    if (this.free > 0) {
      this.free -= 1;
      return;
    }
    halt?.throwIfAborted();
    await new Promise<void>((acquired, giveUp) => {
      const next = (): void => {
        halt?.removeEventListener('abort', leave);
        acquired();
      };
      const leave = (): void => {
        this.waiting.delete(next);
        giveUp(halt!.reason as Error);
      };
      this.waiting.add(next);
      halt?.addEventListener('abort', leave, { once: true });
    });
  }

  /** Runs `work` with a permit. @param halt as for `acquire` */
  async run<T>(work: () => Promise<T>, halt?: AbortSignal): Promise<T> {
    await this.acquire(halt);
    try {
      return await work();
    } finally {
      this.release();
    }
  }

  /** The first waiter gets the permit. */
  release(): void {
    const [next] = this.waiting;
    if (next === undefined) {
      this.free += 1;
      return;
    }
    this.waiting.delete(next);
    next();
  }
}

/** A semaphore for each pool and one kind of work. @param fraction of the connections; one permit at least */
export function semaphoreFor(fraction: number): (pool: Pool) => Semaphore {
  return forEachPool((pool) => new Semaphore(connectionsOf(pool, fraction)));
}

/**
 * Limits of clients for the same fraction of the connections.
 * @param patienceMs how long a client waits that has reached its limit
 */
export function clientLimitsFor(fraction: number, patienceMs: number): (pool: Pool) => ConnectionLimits {
  return forEachPool((pool) => limitsOf(connectionsOf(pool, fraction), patienceMs));
}

const connectionsOf = (pool: Pool, fraction: number): number => Math.max(1, Math.floor(pool.options.max * fraction));

function forEachPool<T>(make: (pool: Pool) => T): (pool: Pool) => T {
  const made = new WeakMap<Pool, T>();
  return (pool) => {
    const one = made.get(pool) ?? make(pool);
    made.set(pool, one);
    return one;
  };
}

/** For readers that read through a cursor and write what they find by another connection: half of the connections are left for the writes. */
export const cursorReaders = semaphoreFor(0.5);
