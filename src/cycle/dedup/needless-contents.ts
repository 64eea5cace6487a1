import type { Sql } from '../../db/sql.js';
import { type RecordedContent, deleteRecorded, nextRecorded } from './dedup.sql.js';
import { crawlsWithoutDedup, forgetDeletedDedup, readsAll } from './needless-contents.sql.js';

/** Recorded contents that one statement deletes. */
const CHUNK = 5_000;

/**
 * Keeps the list of recorded contents from growing for crawls without DEDUP: the first DEDUP of a crawl reads all contents,
 * recorded or not. A crawl whose last DEDUP was deleted (`job.history.days`) counts as one without.
 *
 * Its rules are cleared after the lists were processed, so its contents are deleted by the next call, an hour later: a DEDUP that
 * has read the rules just before is known as an open job by then. Returns the number of deleted contents.
 */
export async function deleteNeedlessContents(db: Sql): Promise<number> {
  let deleted = 0;
  for (const id of await crawlsWithoutDedup(db)) deleted += await deleteOf(db, id);
  await forgetDeletedDedup(db);
  return deleted;
}

async function deleteOf(db: Sql, crawl: number): Promise<number> {
  let after: RecordedContent | undefined;
  for (let deleted = 0; ;) {
    // In this order: a DEDUP that begins after this read sees the pages as they were when the contents were recorded. One that is
    // recorded again meanwhile stays (`deleteRecorded`).
    const recorded = await nextRecorded(db, crawl, CHUNK, after);
    if (recorded.length === 0 || !(await readsAll(db, crawl))) return deleted;
    await deleteRecorded(db, crawl, recorded);
    deleted += recorded.length;
    after = recorded.at(-1);
    if (recorded.length < CHUNK) return deleted;
  }
}
