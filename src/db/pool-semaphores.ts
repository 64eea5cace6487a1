/**
 * Semaphores over the connections of a pool. Work that keeps a connection for long may have only some of the connections at a
 * time, so that the rest stay available. Work that waits for a permit has no connection.
 */
import type { Pool } from 'pg';
import { Semaphore } from '../core/queueing/semaphore.js';
import { type ConnectionLimiter, makeConnectionLimiter } from './connection-limits.js';

/** A semaphore for each pool and one kind of work. @param fraction of the connections; at least one permit */
export function semaphoreFor(fraction: number): (pool: Pool) => Semaphore {
  return forEachPool((pool) => new Semaphore(connectionsOf(pool, fraction)));
}

/**
 * Limits of clients for the same fraction of the connections.
 * @param patienceMs how long a client that has reached its limit waits
 */
export function clientLimitsFor(fraction: number, patienceMs: number): (pool: Pool) => ConnectionLimiter {
  return forEachPool((pool) => makeConnectionLimiter(connectionsOf(pool, fraction), patienceMs));
}

const connectionsOf = (pool: Pool, fraction: number): number => Math.max(1, Math.floor(pool.options.max * fraction));

function forEachPool<T>(make: (pool: Pool) => T): (pool: Pool) => T {
  const byPool = new WeakMap<Pool, T>();
  return (pool) => {
    const value = byPool.get(pool) ?? make(pool);
    byPool.set(pool, value);
    return value;
  };
}

/** For readers that read through a cursor and write over another connection: half of the connections are left for the writes. */
export const cursorReaders = semaphoreFor(0.5);
