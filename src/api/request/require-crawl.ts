/** Crawls and batches that a request names: those that never were are refused, so that a slip does not look like an empty answer. */
import type { Pool } from 'pg';
import { batchNamed, isKnownBatch } from '../../webpage/batch.store.js';
import { knownCrawl } from '../../webpage/crawl.store.js';
import { batchUnknown, crawlUnknown } from '../problem.js';

/** The number of a crawl. Throws CRAWL_UNKNOWN. */
export async function crawlOf(pool: Pool, crawlId: string): Promise<number> {
  const crawl = await knownCrawl(pool, crawlId);
  if (crawl === undefined) throw crawlUnknown(crawlId);
  return crawl;
}

/** The id of a batch that is named by it or as a segment. Throws BATCH_UNKNOWN. */
export async function batchOf(pool: Pool, crawl: number, named: string): Promise<string> {
  const id = named.includes('\0') ? '' : await batchNamed(pool, crawl, named);
  if (id === '' || !(await isKnownBatch(pool, crawl, id))) throw batchUnknown(named);
  return id;
}
