/** Who frees the tasks of the dead, and when. */
import type { Pool } from 'pg';
import type { DeadlyPage } from '../job/lost-tasks.js';
import { LEASE_SECONDS, type TaskStore } from '../job/task.store.js';
import { declareLost, livingWorkers } from '../job/worker.store.js';
import { isDead, isDeadWithServer } from './owner.js';
import { markedPageOf } from './crash-marker.js';

/** A database that takes so long for the list of the owners was away. */
const AWAY_MS = 4_000;
const LEASE_MS = LEASE_SECONDS * 1_000;

/** While the database was away nobody could beat: once it is back, the others get the time of a lease to do so. */
export class LeaseTrust {
  private away = false;
  private since = -Infinity;

  /**
   * After each look at the database.
   * @param now ms by the monotonic clock
   * @returns whether leases that have run out say that their workers are gone
   */
  trusts(answered: boolean, now: number): boolean {
    if (answered && this.away) this.since = now + LEASE_MS;
    this.away = !answered;
    return answered && now >= this.since;
  }
}

/**
 * Frees the tasks of the dead: each time, and not only at the start, since what a killed process has begun may still be
 * under way in PostgreSQL.
 */
export function rescuing(pool: Pool, tasks: TaskStore): () => Promise<void> {
  const trust = new LeaseTrust();
  return async () => {
    const begun = performance.now();
    const owners = await ownersIn(pool, tasks).catch((error: unknown) => {
      trust.trusts(false, performance.now());
      throw error;
    });
    const now = performance.now();
    const expired = trust.trusts(now - begun < AWAY_MS, now);
    const dead = owners.filter(isDead);
    await declareLost(pool, dead);
    await tasks.rescue({
      expired,
      owners: dead,
      withServer: dead.filter(isDeadWithServer),
      pages: dead.flatMap(deadlyPageOf),
    });
  };
}

const ownersIn = async (pool: Pool, tasks: TaskStore): Promise<string[]> => [
  ...new Set([...(await tasks.owners()), ...(await livingWorkers(pool))]),
];

function deadlyPageOf(owner: string): DeadlyPage[] {
  const page = markedPageOf(owner);
  return page ? [{ ...page, owner }] : [];
}
