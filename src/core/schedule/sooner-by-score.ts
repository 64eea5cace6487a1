/**
 * Pages of high score are fetched again sooner (`db.fetch.schedule.score.*`).
 *
 * Only the next fetch time moves. The interval stays what the schedule has set: the next visit starts from it, so a shorter
 * one would become shorter at each visit.
 */

/** The crawl properties by which a score acts on the next fetch time. */
export interface ScoreProps {
  readonly 'db.fetch.schedule.score.exponent': number;
  readonly 'db.fetch.schedule.score.base': number;
  /** Seconds. */
  readonly 'db.fetch.schedule.score.min_interval': number;
}

export interface ScoredVisit {
  /** When the page was fetched, ms. */
  readonly fetchTime: number;
  /** As stored before UPDATEDB; absent: it does not count. */
  readonly score?: number;
  /** Fixed interval, seconds (seed key `nutch.fetchInterval.fixed`); null or absent for none. */
  readonly fixedInterval?: number | null;
}

/** The divisor of the time until the next fetch: (score / base) ^ exponent; 1 for scores up to the base and fixed intervals. */
export function divisorByScore({ score, fixedInterval }: ScoredVisit, props: ScoreProps): number {
  const base = props['db.fetch.schedule.score.base'];
  if (score === undefined || score <= base || (fixedInterval ?? null) !== null) return 1;
  return (score / base) ** props['db.fetch.schedule.score.exponent'];
}

/**
 * The next fetch time of a page, ms: `due`, or sooner if its score is high.
 * @param shortest seconds; as the property, a bound below which no time is shortened
 */
export function soonerByScore(visit: ScoredVisit, due: number, props: ScoreProps, shortest: number): number {
  const wait = due - visit.fetchTime;
  const least = Math.min(wait, Math.max(shortest, props['db.fetch.schedule.score.min_interval']) * 1000);
  return visit.fetchTime + Math.round(Math.max(wait / divisorByScore(visit, props), least));
}
