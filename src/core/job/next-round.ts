/** Whether a crawl continues with one more round, and with how many pages. */
import { end } from './crawl-ends.js';
import type { CrawlSoFar, CrawlStep } from './crawl-plan.js';
import { OUT_OF_TIME } from './fetch-counters.js';
import { roundsWithPages } from './round-numbers.js';
import { MAX_FRUITLESS, fruitlessRounds, sumOfCounters, visitedBy } from './crawl-visits.js';
import { counted } from '../counted.js';

/** GENERATE of the next round, or the end if a limit of the crawl is reached or the last rounds fetched nothing. */
export function nextRound(crawl: CrawlSoFar, round: number): CrawlStep {
  const { rounds, limit } = crawl.plan;
  if (rounds !== null && round > rounds)
    return end(crawl, 'FINISHED', 'rounds', `OK: ${rounds === 1 ? '1 round is' : `all ${rounds} rounds are`} done`);
  if (limit !== null && visitedBy(crawl.children) >= limit)
    return end(crawl, 'FINISHED', 'limit', `OK: the limit of ${counted(limit, 'page')} is reached`);
  const fruitless = fruitlessRounds(crawl.children);
  const fetchJob = fruitless.at(-1);
  if (fetchJob && (fruitless.length >= MAX_FRUITLESS || sumOfCounters(fetchJob, OUT_OF_TIME) === 0)) {
    const which = fruitless.length === 1 ? 'could' : `was number ${fruitless.length} in a row that could`;
    const msg = `OK: round ${roundsWithPages(crawl.children)} ${which} fetch none of its pages (${fetchJob.reason})`;
    return end(crawl, 'FINISHED', 'nothing-fetched', msg);
  }
  return generate(crawl, round);
}

/** GENERATE of a round: as many pages as the limits of the crawl allow. */
export function generate(crawl: CrawlSoFar, round: number): CrawlStep {
  const { topN, limit, adddays } = crawl.plan;
  const max = Math.min(topN ?? Infinity, limit === null ? Infinity : limit - visitedBy(crawl.children));
  const args = {
    ...(max === Infinity ? {} : { topN: max }),
    // With a clock set ahead a page that was just visited may be due again: each page is visited once.
    ...(adddays > 0 ? { adddays, notFetchedSince: crawl.createdAt.getTime() } : {}),
  };
  return { kind: 'child', type: 'GENERATE', round, args };
}
