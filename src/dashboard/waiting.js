/** The number of pages that wait for their first fetch, from the statistics of a crawl, with a bound on the load. */
import { post } from './api.js';
import { countsOf } from './counts.js';

const EVERY_MS = 1_000;

/**
 * Returns a function that returns the count. It sends a request if requests take at most a twentieth of the time (or with
 * `anyway`), else it returns the last count; null until there is one. After a 403 it sends no more requests.
 */
export function waitingCount(crawlId, signal) {
  let [count, next] = [null, 0];
  return async (anyway) => {
    const begin = performance.now();
    if (next === Infinity || (begin < next && !anyway)) return count;
    const question = { type: 'stats', crawlId, confId: 'default', args: {} };
    let [stats, forbidden] = [null, false];
    try {
      stats = await post('db/crawldb', question, { signal, aside: true });
    } catch (error) {
      forbidden = error.status === 403;
    }
    if (stats) count = countsOf(stats).db_unfetched ?? 0;
    next = forbidden ? Infinity : performance.now() + Math.max(EVERY_MS, 20 * (performance.now() - begin));
    return count;
  };
}
