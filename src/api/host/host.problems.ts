/** Problems with hosts under /v1. */
import { problem, shown } from '../problem.js';

export const hostUnknown = problem(
  404,
  'HOST_UNKNOWN',
  'Unknown host',
  (host: string, crawl: string) =>
    `Crawl ${shown(crawl)} has no page of the host ${shown(host)}; GET /v1/hosts lists all hosts of a crawl.`,
);
