/** Whether a crawl is still without pages: what some requests mean depends on it. */
import type { Pool } from 'pg';
import { row } from '../../db/sql.js';
import { OPEN } from '../../job/states.sql.js';
import { hasPages, knownCrawl } from '../../webpage/crawl.store.js';

/** Whether a crawl has pages, or an open job that may add the first ones. */
export async function hasPagesOrSeeds(pool: Pool, crawlId: string): Promise<boolean> {
  const crawl = await knownCrawl(pool, crawlId);
  if (crawl === undefined) return false;
  // The job is looked for first: one that ends in between has added its pages.
  const adding = await row(pool)`
    select from job where crawl = ${crawl} and type in ('INJECT', 'SITEMAP', 'CRAWL') and state in ${OPEN} limit 1`;
  return adding !== undefined || hasPages(pool, crawl);
}
