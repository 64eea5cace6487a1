/**
 * Resolves crawls and batches that a request names. Unknown ones are refused, so that a typo does not look like an empty
 * answer.
 */
import type { Pool } from 'pg';
import { batchNamed, isKnownBatch } from '../../webpage/batch.store.js';
import { knownCrawl } from '../../webpage/crawl.store.js';
import { batchUnknown, crawlUnknown } from '../problem.js';

/** The number of a crawl. Throws CRAWL_UNKNOWN. */
export async function requireCrawl(pool: Pool, crawlId: string): Promise<number> {
  const crawl = await knownCrawl(pool, crawlId);
  if (crawl === undefined) throw crawlUnknown(crawlId);
  return crawl;
}

/** The id of a batch, given as the id or as a segment name. Throws BATCH_UNKNOWN. */
export async function requireBatch(pool: Pool, crawl: number, named: string): Promise<string> {
  const id = named.includes('\0') ? '' : await batchNamed(pool, crawl, named);
  if (id === '' || !(await isKnownBatch(pool, crawl, id))) throw batchUnknown(named);
  return id;
}
