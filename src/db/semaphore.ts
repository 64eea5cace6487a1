/**
 * Work that keeps a connection for long may have only some of a pool's connections at a time, so that the others go on. Who waits
 * for a place holds no connection.
 */
import type { Pool } from 'pg';
import { type ConnectionLimits, limitsOf } from './connection-limits.js';

/** Free places, of a pool for instance, and those who wait for one. */
export class Semaphore {
  /** In the order in which they came. */
  private readonly waiting = new Set<() => void>();

  constructor(private free: number) {}

  /** @param halt ends the waiting: then its reason is thrown, and no place is taken */
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

  /** Does work in a place. @param halt as for `take` */
  async run<T>(work: () => Promise<T>, halt?: AbortSignal): Promise<T> {
    await this.acquire(halt);
    try {
      return await work();
    } finally {
      this.release();
    }
  }

  /** The next in line takes the place over. */
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

/** The places of each pool for one kind of work. @param fraction part of the connections, one at least */
export function semaphoreFor(fraction: number): (pool: Pool) => Semaphore {
  return forEachPool((pool) => new Semaphore(connectionsOf(pool, fraction)));
}

/**
 * Limits of clients for the same part of the connections.
 * @param patienceMs how long a client waits that has what it may have
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

/** Places of those who read through a cursor and write by another connection what they find: they must leave some for that. */
export const cursorReaders = semaphoreFor(0.5);
