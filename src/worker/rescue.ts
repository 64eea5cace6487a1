/** Frees the tasks of dead workers. */
import type { Pool } from 'pg';
import type { DeadlyPage } from '../job/lost-tasks.js';
import { TASK_LEASE_S, type TaskStore } from '../job/task.store.js';
import { declareLost, livingWorkers } from '../job/worker.store.js';
import { isDead, isDeadWithServer } from './owner.js';
import { crashMarkerOf } from './crash-marker.js';

/** If reading the owners takes longer, the database counts as unavailable. */
const AWAY_MS = 4_000;
const LEASE_MS = TASK_LEASE_S * 1_000;

/** While the database is unavailable no worker can renew its leases: afterwards each has the time of a lease to do so. */
export class LeaseTrust {
  private away = false;
  private since = -Infinity;

  /**
   * Records whether a read of the owners was answered in time.
   * @param now ms by the monotonic clock
   * @returns whether an expired lease means that its worker is gone
   */
  noteAnswer(answered: boolean, now: number): boolean {
    if (answered && this.away) this.since = now + LEASE_MS;
    this.away = !answered;
    return answered && now >= this.since;
  }
}

/**
 * Frees the tasks of dead workers: each time, not only at the start, since a transaction of a killed process may still be
 * running in PostgreSQL.
 */
export function makeRescue(pool: Pool, tasks: TaskStore): () => Promise<void> {
  const trust = new LeaseTrust();
  return async () => {
    const begun = performance.now();
    const owners = await ownersIn(pool, tasks).catch((error: unknown) => {
      trust.noteAnswer(false, performance.now());
      throw error;
    });
    const now = performance.now();
    const expired = trust.noteAnswer(now - begun < AWAY_MS, now);
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
  const page = crashMarkerOf(owner);
  return page ? [{ ...page, owner }] : [];
}
