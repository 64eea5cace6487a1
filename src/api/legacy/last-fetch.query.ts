import { type Sql, row } from '../../db/sql.js';

/** When the last FETCH of a crawl that has ended did so; undefined before that. */
export async function endOfLastFetch(db: Sql, crawlId: string): Promise<Date | undefined> {
  const fetch = await row<{ endedAt: Date }>(db)`
    select ended_at as "endedAt" from job
     where crawl_id = ${crawlId} and type = 'FETCH' and ended_at is not null order by number desc limit 1`;
  return fetch?.endedAt;
}
