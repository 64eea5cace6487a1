/** Refuses jobs on a crawl that no job has written to: a typo in its id must not look like success. */
import { isWritten } from '../webpage/crawl.store.js';
import { type Run, StepError } from './step.js';

/**
 * Throws StepError for a crawl that has no page, and no job that adds pages. If its INJECT has refused all seeds, or
 * has not begun, its id is no typo.
 */
export async function refuseUnwritten({ pool, job }: Pick<Run, 'pool' | 'job'>): Promise<void> {
  if (!(await isWritten(pool, job)))
    throw new StepError(
      `no job has ever written to a crawl "${job.crawlId}"; GET /job lists all jobs with their crawls`,
      'CRAWL_UNKNOWN',
    );
}
