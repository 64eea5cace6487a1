import type { CrawlPlan } from '../../../src/core/job/crawl-plan.js';

/** A crawl that starts with seeds and ends when no page is due, in strict rounds with a PARSE each. */
export const WITHOUT_LIMITS: CrawlPlan = {
  seedName: 's1',
  rounds: null,
  topN: null,
  limit: null,
  adddays: 0,
  threads: null,
  invertLinks: false,
  dedup: false,
  parsesWhileFetching: false,
};
