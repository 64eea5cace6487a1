/** The batches that CRAWLs of a crawl have left open. */
import { type Sql, rows } from '../db/sql.js';
import { FINAL } from '../job/states.sql.js';
import { batchesWithPages } from './batch-chunks.sql.js';

/**
 * The batches with pages that were made by a CRAWL which will not close them, as it has ended or is being aborted. The batch of a
 * GENERATE that was killed is in its plan only.
 */
export async function leftBatches(db: Sql, { crawl, crawlId }: { crawl: number; crawlId: string }): Promise<string[]> {
  const withPages = await batchesWithPages(db, crawl, { visited: false });
  if (withPages.length === 0) return [];
  const left = await rows<{ batch: string }>(db)`
    select distinct coalesce(step.result ->> 'generate.batch.id', step.plan ->> 'batch') collate "C" as batch
      from job step join job made_by on made_by.id = step.parent
     where step.crawl_id = ${crawlId} and step.type = 'GENERATE' and (made_by.state in ${FINAL} or made_by.state = 'KILLING')
       and coalesce(step.result ->> 'generate.batch.id', step.plan ->> 'batch') = any (${withPages}::text[])
     order by batch`;
  return left.map(({ batch }) => batch);
}
