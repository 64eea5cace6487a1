/** How many pages of a crawl wait for their first fetch, from its statistics: asked for no more often than is polite. */
import { post } from './api.js';
import { countsOf } from './figures.js';

const EVERY_MS = 1_000;

/**
 * A function that returns the count: asked again when that costs a twentieth of the time at most (or `anyway`), else the
 * one of a moment ago; null as long as nobody could say. Who may not know is not asked for again.
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
