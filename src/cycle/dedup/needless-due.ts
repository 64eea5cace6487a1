import { type Sql, count, row, rows } from '../../db/sql.js';
import { OPEN } from '../../job/states.sql.js';
import { type Due, deleteDue, nextDue } from './dedup.sql.js';

/** Recorded contents that one statement deletes. */
const CHUNK = 5_000;

/**
 * Keeps the list of recorded contents from growing for crawls without DEDUP: the first DEDUP of a crawl reads all contents, recorded
 * or not. A crawl whose last DEDUP was deleted (`job.history.days`) counts as one without.
 *
 * Its rules are cleared after the lists were processed, so its contents are deleted by the next call, an hour later: a DEDUP that
 * has read the rules just before is known as an open job by then. Returns the number of deleted contents.
 */
export async function deleteNeedlessDue(db: Sql): Promise<number> {
  const never = await rows<{ id: number }>(db)`select id from crawl where dedup_rules is null order by id`;
  let deleted = 0;
  for (const { id } of never) deleted += await deleteOf(db, id);
  const abandoned = await rows<{ id: number }>(db)`
    select id from crawl where dedup_rules is not null and not exists (select from job where crawl = crawl.id and type = 'DEDUP')`;
  if (abandoned.length > 0) {
    const ids = abandoned.map(({ id }) => id);
    await count(db)`update crawl set dedup_rules = null where id = any(${ids}::int[])`;
  }
  return deleted;
}

async function deleteOf(db: Sql, crawl: number): Promise<number> {
  let after: Due | undefined;
  for (let deleted = 0; ;) {
    // In this order: a DEDUP that begins after this read sees the pages as they were when the contents were recorded. One that is
    // recorded again meanwhile stays (`deleteDue`).
    const due = await nextDue(db, crawl, CHUNK, after);
    if (due.length === 0 || !(await readsAll(db, crawl))) return deleted;
    await deleteDue(db, crawl, due);
    deleted += due.length;
    after = due.at(-1);
    if (due.length < CHUNK) return deleted;
  }
}

/** Whether the next DEDUP of a crawl reads all contents, and none is open. */
const readsAll = async (db: Sql, crawl: number): Promise<boolean> =>
  (await row(db)`
    select from crawl
     where id = ${crawl} and dedup_rules is null
       and not exists (select from job where crawl = ${crawl} and type = 'DEDUP' and state in ${OPEN})`) !== undefined;
