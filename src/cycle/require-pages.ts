/** Jobs on a crawl that nobody has written to: a slip in its id is not to look like success. */
import { row } from '../db/sql.js';
import { type Run, StepError } from './step.js';

/**
 * Throws StepError for a crawl that has no page, and no job that brings pages. One whose INJECT has refused all seeds, or
 * has not begun, is no slip.
 */
export async function refuseUnwritten({ pool, job }: Pick<Run, 'pool' | 'job'>): Promise<void> {
  const found = await row<{ written: boolean }>(pool)`
    select exists (select from webpage where crawl = ${job.crawl})
        or exists (select from job where crawl_id = ${job.crawlId} and type in ('INJECT', 'CRAWL')) as written`;
  if (!found!.written)
    throw new StepError(
      `no job has ever written to a crawl "${job.crawlId}"; GET /v1/crawls lists crawls, GET /job all jobs`,
      'CRAWL_UNKNOWN',
    );
}
