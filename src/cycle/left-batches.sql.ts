/** The batches that CRAWLs of a crawl have left open. */
import { type Sql, fragment, rows } from '../db/sql.js';
import { batchOfGenerate } from '../job/crawl-batches.sql.js';
import { FINAL } from '../job/states.sql.js';
import { batchesWithPages } from './batch-chunks.sql.js';

/** Batches that one statement looks at. */
const AT_ONCE = 100;

/**
 * The batches with pages that were made by a CRAWL which will not close them, as it has ended or is being aborted.
 * @param enough it looks for no more when it has found so many: there may be thousands
 */
export async function leftBatches(db: Sql, job: CrawlOfJob, enough = Infinity): Promise<LeftBatch[]> {
  const left: LeftBatch[] = [];
  for (let after: string | undefined = ''; after !== undefined && left.length < enough;) {
    const batches: string[] = await batchesWithPages(db, job.crawl, { visited: false, after, limit: AT_ONCE });
    if (batches.length > 0) left.push(...(await madeByEnded(db, job, batches)));
    after = batches.length < AT_ONCE ? undefined : batches.at(-1);
  }
  return left;
}

interface LeftBatch {
  batch: string;
  /** Whether the documents of its pages have to be recorded for INDEX: its CRAWL had `index`, or had to record those before it. */
  isIndexed: boolean;
}

interface CrawlOfJob {
  crawl: number;
  crawlId: string;
}

/** Those of some batches that were made by such a CRAWL. */
function madeByEnded(db: Sql, { crawlId }: CrawlOfJob, batches: readonly string[]): Promise<LeftBatch[]> {
  const batch = batchOfGenerate(fragment`step`);
  return rows<LeftBatch>(db)`
    select ${batch} collate "C" as batch,
           coalesce(bool_or(made_by.plan @> '{"index": true}' or made_by.plan @> '{"documentsDue": true}'), false) as "isIndexed"
      from job step join job made_by on made_by.id = step.parent
     where step.crawl_id = ${crawlId} and step.type = 'GENERATE' and (made_by.state in ${FINAL} or made_by.state = 'KILLING')
       and ${batch} = any (${[...batches]}::text[])
     group by 1 order by 1`;
}
