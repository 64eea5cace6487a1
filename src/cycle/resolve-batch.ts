/** Which batches a job works on. */
import type { Sql } from '../db/sql.js';
import { batchNamed, isKnownBatch } from '../webpage/batch.store.js';
import { newestBatch } from '../webpage/crawl.store.js';
import { ALL } from './batch-chunks.sql.js';
import { StepError } from './step.js';

/**
 * The batch of a job: the one it names, by id or as a segment, else the newest of the crawl. Throws StepError for one that
 * never existed.
 */
export async function resolveBatch(db: Sql, crawl: number, named: string | undefined): Promise<string> {
  const batch = named === undefined ? await newestBatch(db, crawl) : await batchNamed(db, crawl, named);
  if (batch === null)
    throw new StepError('there is no batch: no GENERATE of this crawl has selected anything yet', 'NO_BATCH');
  if (named !== undefined && batch !== ALL && !(await isKnownBatch(db, crawl, batch)))
    throw new StepError(
      `this crawl has never had a batch or segment "${named}"; GET /v1/batches lists those there are`,
      'BATCH_UNKNOWN',
    );
  return batch;
}

/** As `resolveBatch`, but every open batch if none is named; a crawl that never had one is still an error. */
export async function resolveBatchOrAll(db: Sql, crawl: number, named: string | undefined): Promise<string> {
  const batch = await resolveBatch(db, crawl, named);
  return named === undefined ? ALL : batch;
}

/** As `resolveBatch` for several batches, each once. */
export async function resolveBatches(db: Sql, crawl: number, named: string[] | undefined): Promise<string[]> {
  const names: (string | undefined)[] = named ?? [undefined];
  return [...new Set(await Promise.all(names.map((name) => resolveBatch(db, crawl, name))))];
}
