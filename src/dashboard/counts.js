import { hasEnded, number as formatted } from './words.js';

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
  const sum = (isCounted) => visits.reduce((total, [name, count]) => (isCounted(name) ? total + count : total), 0);
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
 * The rounds of a crawl, newest first: `{ round, jobs, selected, number }`; `selected` is null while GENERATE runs. While FETCH stays
 * open, GENERATE often finds nothing due: of rounds without pages only the newest is shown. Steps that follow a round without a GENERATE
 * of their own are joined. `number` counts rounds with pages up to this one, as `msg` and `result.rounds` do; `round` of a job counts
 * those without pages too, so it is never shown as a round.
 */
export function roundsOf(children) {
  const rounds = new Map();
  for (const job of children) {
    const round = rounds.get(job.round) ?? { round: job.round, jobs: [], selected: null };
    round.jobs.push(job);
    if (job.type === 'GENERATE' && job.result) round.selected = Number(job.result['generate.count'] ?? 0);
    rounds.set(job.round, round);
  }
  let number = 0;
  const numbered = [...rounds.values()]
    .sort((a, b) => a.round - b.round)
    .map((round) => ({ ...round, number: round.round > 0 && round.selected > 0 ? ++number : number }));
  return joined(numbered.filter(({ selected }, i) => selected !== 0 || i === numbered.length - 1)).reverse();
}

const hasGenerate = ({ jobs }) => jobs.some(({ type }) => type === 'GENERATE');

/** Rounds, oldest first, with those that have no GENERATE joined to the one before, if that has none either; round 0 stays alone. */
function joined(rounds) {
  const all = [];
  for (const round of rounds) {
    const last = all.at(-1);
    if (last && last.round > 0 && !hasGenerate(last) && !hasGenerate(round)) last.jobs = [...last.jobs, ...round.jobs];
    else all.push(round);
  }
  return all;
}

/** Number of rounds with pages so far; at the end it is `result.rounds`. */
export const roundCount = (children) => roundsOf(children)[0]?.number ?? 0;

/** `Round 3: 12 pages`; round 0 has the seeds, and the open batch of a crawl that is run again. */
export function roundTitle({ round, jobs, selected, number }) {
  if (round === 0) return jobs.some(({ type }) => type === 'PARSE') ? 'Before the first round' : 'Seeds';
  if (!hasGenerate({ jobs })) return `After round ${number}`;
  if (selected === null) return number === 0 ? 'First round' : 'Next round';
  if (selected === 0) return number === 0 ? 'Nothing due' : `After round ${number}: nothing due`;
  return `Round ${number}: ${formatted(selected)} ${selected === 1 ? 'page' : 'pages'}`;
}

/** The round and the step that a crawl is at: `round 3, FETCH`. */
export function roundWords(children) {
  const { type, round, result } = currentChild(children);
  if (round === 0) return `before the first round, ${type}`;
  const number = roundCount(children);
  if (type === 'GENERATE' && !result) return `${number === 0 ? 'first' : 'next'} round, ${type}`;
  return number === 0 ? type : `round ${number}, ${type}`;
}

/** The current step of a crawl: an open FETCH, even if UPDATEDB and GENERATE run beside it; else the last child. */
export const currentChild = (children) =>
  children?.findLast((child) => child.type === 'FETCH' && !hasEnded(child)) ?? children?.at(-1);
