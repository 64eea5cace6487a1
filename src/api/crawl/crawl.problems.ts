import { jobUnknown, problem, shown, withDetail } from '../problem.js';
import { fieldRefused } from '../refused-fields.js';

/** JOB_UNKNOWN for an id that may name a crawl or a job. */
export const crawlOrJobUnknown = (id: string) =>
  withDetail(jobUnknown(id), `There is neither a crawl ${shown(id)} nor a job of type CRAWL with that id.`);
/** JOB_UNKNOWN for a crawl whose jobs were all created one by one. */
export const crawlNotRun = (crawlId: string) =>
  withDetail(
    jobUnknown(crawlId),
    `Crawl ${shown(crawlId)} has no job of type CRAWL; its jobs: GET /job?crawlId=${crawlId}.`,
  );

export const seedsRefused = problem(
  400,
  'SEEDS_REFUSED',
  'All seeds refused',
  (reasons: string) => `None of the seeds can be crawled: ${reasons}.`,
);
const withoutSeeds = problem(400, 'SEEDS_MISSING', 'Seeds missing', (why: string) => why);
/** @param at prefix of the arguments' field names, of a job that is created by `POST /job/create` */
export const seedsMissing = (why: string, at = '') =>
  at === ''
    ? fieldRefused('seeds', `${why}; send seeds as an array of URLs, or name a stored list as seedName`, withoutSeeds)
    : fieldRefused(
        `${at}seed`,
        `${why}; send the lines as ${at}seed, or name a stored list as ${at}seedName`,
        withoutSeeds,
      );
