/** Documents whose pages have left the table leave the index, too. */
import { forgetRemoved, nextRemoved } from '../../webpage/removed-documents.js';
import type { Deliveries } from './deliveries.js';
import type { PageKey } from './index.sql.js';
import type { Count, Progress, Run } from '../step.js';

/** Documents deleted at once. */
const CHUNK = 1_000;

/**
 * Deletes them from every writer, then forgets them. What an attempt has forgotten the next one does not find, so it needs no
 * cursor: `progress` is what the step keeps anyway.
 * @returns whether it came to the end: the job was not stopped
 */
export async function deleteRemoved(
  run: Run,
  deliveries: Deliveries,
  { count: counted, progress }: { count: (count: Count, n: number) => void; progress: () => Progress },
): Promise<boolean> {
  const { crawl } = run.job;
  for (let after: PageKey | null = null; ;) {
    run.aborted.throwIfAborted();
    if (run.stopping.aborted) return false;
    const removed = await nextRemoved(run.pool, crawl, { after, limit: CHUNK });
    if (removed.length === 0) return true;
    after = removed.at(-1)!;
    await deliveries.send({ documents: [], deleted: removed.map(({ key }) => key) });
    // What one of the writers still has is noted until it has been told.
    if (deliveries.givenUp.size > 0) return true;
    await run.write(async (tx, count) => counted(count, await forgetRemoved(tx, crawl, removed)), progress());
  }
}
