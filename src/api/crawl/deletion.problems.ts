/** Problems of deleting a crawl, and of requests while it is being deleted. */
import { CrawlBeingDeleted, CrawlBusy } from '../../job/crawl-jobs.store.js';
import { problem, shown } from '../problem.js';

export const crawlBusy = problem(
  409,
  'CRAWL_BUSY',
  'Crawl has open jobs',
  (crawlId: string, jobs: readonly string[]) =>
    `Crawl ${shown(crawlId)} has jobs that have not ended: ${jobs.join(', ')}. Stop them, or wait until they end; then delete it.`,
);
export const crawlBeingDeleted = problem(
  409,
  'CRAWL_BEING_DELETED',
  'Crawl is being deleted',
  (crawlId: string, job: string) =>
    `Crawl ${shown(crawlId)} is being deleted by ${job}; when that job has ended, its id can be used again.`,
);

/** Runs work that is refused while the crawl has open jobs. Throws CRAWL_BUSY. */
export const refusingBusy = <T>(work: () => Promise<T>): Promise<T> =>
  work().catch((error: unknown) => {
    throw error instanceof CrawlBusy ? crawlBusy(error.crawlId, error.jobs) : error;
  });

/** Runs work that is refused while the crawl is being deleted. Throws CRAWL_BEING_DELETED. */
export const refusingDeleted = <T>(work: () => Promise<T>): Promise<T> =>
  work().catch((error: unknown) => {
    throw error instanceof CrawlBeingDeleted ? crawlBeingDeleted(error.crawlId, error.job) : error;
  });
