import { type Sql, row } from '../../db/sql.js';

/** Whether at least `max` jobs (of a key, if given) wait for a worker. Reads no more of the index than that. */
export async function areWaiting(db: Sql, max: number, by?: string): Promise<boolean> {
  const waiting = await row<{ n: number }>(db)`
    select count(*)::int as n from (
      select from job
       where job.state = 'IDLE'
         and (${by ?? null}::text is null
              or exists (select from job_event e
                          where e.job in (job.id, job.parent) and e.kind = 'state' and e.data ->> 'by' = ${by ?? null}))
       limit ${max}) as waiting`;
  return (waiting?.n ?? 0) >= max;
}
