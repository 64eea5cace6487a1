/** The ids of crawls that forms offer. */
import { read } from './api.js';

/** Those of the newest CRAWL jobs and of the newest jobs of any type: a long crawl alone has hundreds of the latter. */
export async function crawlIds(signal) {
  const [crawls, jobs] = await Promise.all([
    read('v1/crawls?limit=200', signal, { aside: true }).then(({ crawls: newest }) => newest),
    read('job?limit=200', signal),
  ]);
  return [...new Set([...jobs, ...crawls].map(({ crawlId }) => crawlId))];
}
