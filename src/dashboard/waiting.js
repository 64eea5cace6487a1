/** The number of pages that wait for their first fetch, from the statistics of a crawl, with a bound on the load. */
import { post } from './api.js';
import { countsOf } from './counts.js';

const EVERY_MS = 1_000;
/** Of a large crawl the statistics may take many seconds: nothing else that a view shows waits longer for them. */
const LATE_MS = 2_000;

/**
 * Returns a function that returns the count. It sends a request if requests take at most a twentieth of the time (or with
 * `anyway`), else it returns the last count; null until there is one. After a 403 it sends no more requests.
 * @param {(count: number | null) => void} [late] called with a count that arrives after the function has returned
 */
export function waitingCount(crawlId, signal, late = () => undefined) {
  let [count, next] = [null, 0];
  /** The request that has no answer yet. */
  let asking = null;
  const ask = async () => {
    const begin = performance.now();
    const question = { type: 'stats', crawlId, confId: 'default', args: {} };
    let [stats, forbidden] = [null, false];
    try {
      stats = await post('db/crawldb', question, { signal, aside: true });
    } catch (error) {
      forbidden = error.status === 403;
    }
    if (stats) count = countsOf(stats).db_unfetched ?? 0;
    next = forbidden ? Infinity : performance.now() + Math.max(EVERY_MS, 20 * (performance.now() - begin));
  };
  const isDue = (anyway) => next !== Infinity && (anyway || (performance.now() >= next && asking === null));
  return async (anyway = false) => {
    if (!isDue(anyway)) return count;
    // The answer to an earlier request may be older than the state for which `anyway` wants the count.
    const mine = (asking ?? Promise.resolve()).then(ask).then(() => asking === mine && (asking = null));
    asking = mine;
    let isLate = false;
    const timeout = new Promise((resolve) => setTimeout(resolve, LATE_MS)).then(() => (isLate = true));
    await Promise.race([mine, timeout]);
    if (isLate) void mine.then(() => signal.aborted || late(count));
    return count;
  };
}
