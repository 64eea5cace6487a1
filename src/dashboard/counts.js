import { hasEnded } from './words.js';

/** The progress of a crawl in numbers. Pure: clock and answers are parameters. */

const successes = ['SUCCESS', 'NOTMODIFIED'];
const redirects = ['MOVED', 'TEMP_MOVED'];
const untried = [
  'NOTFETCHING',
  'pending',
  'HitByTimeLimit-Queues',
  'HitByTimeLimit-QueueFeeder',
  'fetched_before',
  'left_the_batch',
  'host_blocked',
  'host_drained',
  'filtered',
];
const denied = ['ROBOTS_DENIED'];

/** Visits so far by result, from the counters of a crawl or a FETCH job; `cut`: fetched pages that are truncated, if any. */
export function visitCounts(counters) {
  const visits = Object.entries(counters?.FetcherStatus ?? {});
  const sum = (wanted) => visits.reduce((total, [name, count]) => (wanted(name) ? total + count : total), 0);
  const { truncated: cut = 0 } = counters?.Fetcher ?? {};
  return {
    ...(cut > 0 && { cut }),
    fetched: sum((name) => successes.includes(name)),
    redirected: sum((name) => redirects.includes(name)),
    denied: sum((name) => denied.includes(name)),
    failed: sum((name) => ![...successes, ...redirects, ...untried, ...denied].includes(name)),
  };
}

/** Pages per second over the last ten seconds. */
export class Speed {
  #seen = [];

  /** @param {number} atMs time of any monotonic clock */
  add(atMs, pages) {
    this.#seen.push({ atMs, pages });
    while (this.#seen.length > 2 && this.#seen[0].atMs < atMs - 10_000) this.#seen.shift();
  }

  /** Null until it is known. */
  get perSecond() {
    const [first, last] = [this.#seen[0], this.#seen.at(-1)];
    if (!first || last.atMs - first.atMs < 500) return null;
    return ((last.pages - first.pages) * 1_000) / (last.atMs - first.atMs);
  }
}

/** Pages by status name, from the statistics of a crawl: `{ db_fetched: 12 }`. */
export const countsOf = ({ status = {} }) =>
  Object.fromEntries(Object.values(status).map(({ statusValue, count }) => [statusValue, Number(count)]));

/**
 * The rounds of a crawl, newest first: `{ round, jobs, selected }`; `selected` is null while GENERATE runs. While FETCH stays open,
 * GENERATE often finds nothing due: of rounds without pages only the newest is shown.
 */
export function roundsOf(children) {
  const rounds = new Map();
  for (const job of children) {
    const round = rounds.get(job.round) ?? { round: job.round, jobs: [], selected: null };
    round.jobs.push(job);
    if (job.type === 'GENERATE' && job.result) round.selected = Number(job.result['generate.count'] ?? 0);
    rounds.set(job.round, round);
  }
  return [...rounds.values()].reverse().filter(({ selected }, i) => selected !== 0 || i === 0);
}

/** Number of rounds with pages so far; at the end it is `result.rounds`. */
export const roundCount = (children) =>
  roundsOf(children).filter(({ round, selected }) => round > 0 && selected > 0).length;

/** The current step of a crawl: an open FETCH, even if UPDATEDB and GENERATE run beside it; else the last child. */
export const currentChild = (children) =>
  children?.findLast((child) => child.type === 'FETCH' && !hasEnded(child)) ?? children?.at(-1);
