/** Deletes the documents of pages that were deleted from the table. */
import { clearRemoved, nextRemoved } from '../../webpage/removed-document.store.js';
import type { IndexWriters } from './index-writers.js';
import { documentIds } from './document-ids.js';
import { isStopping } from '../halt.js';
import type { Count, Progress, Run } from '../step.js';
import type { KeyPartition } from '../../webpage/page-key.sql.js';
import type { PageKey } from '../../core/page/page-row.js';

/** Documents deleted at once. */
const CHUNK = 1_000;

/**
 * Deletes them from every writer, then from the list. An attempt does not find what an earlier one has deleted, so it needs no
 * cursor: `progress` is the unchanged progress of the step. A task deletes those of its partition before it writes documents, as
 * a page may be back.
 * @returns whether it finished: the job was not stopped
 */
export async function deleteRemoved(
  run: Run<{ normalize?: boolean }>,
  writers: IndexWriters,
  {
    count: counted,
    progress,
    partition,
  }: { count: (count: Count, n: number) => void; progress: () => Progress; partition?: KeyPartition },
): Promise<boolean> {
  const { crawl } = run.job;
  const idOf = documentIds(run.conf, run.args.normalize);
  for (let after: PageKey | null = null; ;) {
    if (isStopping(run)) return false;
    const removed = await nextRemoved(run.pool, crawl, { after, limit: CHUNK, partition });
    if (removed.length === 0) return true;
    after = removed.at(-1)!;
    await writers.send({ documents: [], deleted: removed.map(({ key }) => idOf(key)) });
    // Documents that one of the writers could not delete stay on the list.
    if (writers.givenUp.size > 0) return true;
    await run.write(async (tx, count) => counted(count, await clearRemoved(tx, crawl, removed)), progress());
  }
}
