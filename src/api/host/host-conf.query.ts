import { type Sql, row } from '../../db/sql.js';
import { OPEN } from '../../job/states.sql.js';

/** The job of a crawl whose configuration applies to its hosts: the newest CRAWL or FETCH, if possible one that has not ended. */
export const fetchingJob = (db: Sql, crawlId: string) =>
  row<{ id: string; confHash: string }>(db)`
    select id, conf_hash as "confHash" from job
     where id = coalesce(
           (select id from job
             where crawl_id = ${crawlId} and type in ('CRAWL', 'FETCH') and state in ${OPEN}
             order by number desc limit 1),
           (select id from job
             where crawl_id = ${crawlId} and type in ('CRAWL', 'FETCH')
             order by number desc limit 1))`;
