import { type Sql, count, row, rows } from '../../db/sql.js';
import { OPEN } from '../../job/job-states.js';
import { type Due, forgetDue, nextDue } from './dedup.sql.js';

/** Noted contents that are forgotten in one statement. */
const CHUNK = 5_000;

/**
 * Keeps the list of noted contents from growing where nobody runs DEDUP: the first DEDUP of a crawl looks at all contents, noted
 * or not. A crawl whose last DEDUP is forgotten (`job.history.days`) counts as one without.
 *
 * Its rules are forgotten after the lists are looked through, so their contents go at the next time, an hour later: a DEDUP that
 * has read the rules just before is known as an open job by then. Returns how many contents went.
 */
export async function forgetNeedlessDue(db: Sql): Promise<number> {
  const never = await rows<{ id: number }>(db)`select id from crawl where dedup_rules is null order by id`;
  let forgotten = 0;
  for (const { id } of never) forgotten += await forgetOf(db, id);
  const abandoned = await rows<{ id: number }>(db)`
    select id from crawl where dedup_rules is not null and not exists (select from job where crawl = crawl.id and type = 'DEDUP')`;
  if (abandoned.length > 0) {
    const ids = abandoned.map(({ id }) => id);
    await count(db)`update crawl set dedup_rules = null where id = any(${ids}::int[])`;
  }
  return forgotten;
}

async function forgetOf(db: Sql, crawl: number): Promise<number> {
  let after: Due | undefined;
  for (let forgotten = 0; ;) {
    // Asked in this order: a DEDUP that begins behind the answer sees what had changed when the contents were noted. One that is
    // noted again meanwhile stays (`forgetDue`).
    const due = await nextDue(db, crawl, CHUNK, after);
    if (due.length === 0 || !(await looksAtAll(db, crawl))) return forgotten;
    await forgetDue(db, crawl, due);
    forgotten += due.length;
    after = due.at(-1);
    if (due.length < CHUNK) return forgotten;
  }
}

/** Whether the next DEDUP of a crawl looks at all contents, and none is under way. */
const looksAtAll = async (db: Sql, crawl: number): Promise<boolean> =>
  (await row(db)`
    select from crawl
     where id = ${crawl} and dedup_rules is null
       and not exists (select from job where crawl = ${crawl} and type = 'DEDUP' and state in ${OPEN})`) !== undefined;
