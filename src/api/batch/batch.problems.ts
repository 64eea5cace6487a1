/** What can go wrong with a batch under /v1. */
import { problem, shown } from '../problem.js';

export const batchUnknown = problem(
  404,
  'BATCH_UNKNOWN',
  'Unknown batch',
  (batch: string, crawl: string) =>
    `No GENERATE of crawl ${shown(crawl)} has made a batch or segment ${shown(batch)}; GET /v1/batches lists those there are.`,
);
