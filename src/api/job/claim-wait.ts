import { Semaphore } from '../../core/queueing/semaphore.js';
import type { JobRow } from '../../job/job-row.js';
import type { JobStore } from '../../job/job.store.js';

/**
 * Waits until a new job is claimed, so that a client that polls immediately does not see IDLE. Of many simultaneous requests
 * only the first ones wait, because each wait polls the database.
 */
export class ClaimWait {
  private readonly semaphore: Semaphore;

  constructor(
    private readonly ms: number,
    max = 50,
  ) {
    this.semaphore = new Semaphore(max);
  }

  /** The job when a worker has claimed it, or after the time limit. */
  async wait(jobs: JobStore, id: string): Promise<JobRow | undefined> {
    const ms = this.semaphore.reached() === undefined ? this.ms : 0;
    this.semaphore.take();
    try {
      return await jobs.waitUntilClaimed(id, ms);
    } finally {
      this.semaphore.release();
    }
  }
}
