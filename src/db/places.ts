/**
 * Work that keeps a connection for long may have only some of a pool's connections at a time, so that the others go on. Who waits
 * for a place holds no connection.
 */
import type { Pool } from 'pg';

/** The free places of a pool, and those who wait for one. */
class Places {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  async take(): Promise<void> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((turn) => this.waiting.push(turn));
  }

  /** Does work in a place. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    await this.take();
    try {
      return await work();
    } finally {
      this.giveBack();
    }
  }

  /** The next in line takes the place over. */
  giveBack(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.free += 1;
  }
}

/** The places of each pool for one kind of work. @param share part of the connections, one at least */
export function placesFor(share: number): (pool: Pool) => Places {
  const ofPool = new WeakMap<Pool, Places>();
  return (pool) => {
    const places = ofPool.get(pool) ?? new Places(Math.max(1, Math.floor(pool.options.max * share)));
    ofPool.set(pool, places);
    return places;
  };
}

/** Places of those who read through a cursor and write by another connection what they find: they must leave some for that. */
export const readersBeside = placesFor(0.5);
