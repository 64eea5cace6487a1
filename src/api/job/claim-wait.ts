import { Semaphore } from '../../core/queueing/semaphore.js';
import type { JobRow } from '../../job/job-row.js';
import type { JobStore } from '../../job/job.store.js';

/** The time limit while jobs wait for a slot of a worker, ms: a client that creates hundreds in a row would wait for each. */
const BACKLOG_MS = 1_000;

/**
 * Waits until a new job is claimed, so that a client that polls immediately does not see IDLE. Of many simultaneous requests
 * only the first ones wait, because each wait polls the database. After a wait in vain the next ones are shorter, until a job
 * is claimed.
 */
export class ClaimWait {
  private readonly semaphore: Semaphore;
  private hasBacklog = false;

  constructor(
    private readonly ms: number,
    max = 50,
  ) {
    this.semaphore = new Semaphore(max);
  }

  /** The job when a worker has claimed it, or after the time limit. */
  async wait(jobs: JobStore, id: string): Promise<JobRow | undefined> {
    const max = this.hasBacklog ? Math.min(this.ms, BACKLOG_MS) : this.ms;
    const ms = this.semaphore.reached() === undefined ? max : 0;
    this.semaphore.take();
    try {
      const job = await jobs.waitUntilClaimed(id, ms);
      if (ms > 0) this.hasBacklog = job?.state === 'IDLE';
      return job;
    } finally {
      this.semaphore.release();
    }
  }
}
