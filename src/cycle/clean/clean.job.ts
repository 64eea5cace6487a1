/**
 * CLEAN: deletes the documents of pages that are gone, redirected, duplicates or orphans from the index (Nutch
 * `CleaningJob`), and those of pages that were deleted from the table.
 *
 * They are found by their index marks, which are cleared when every writer has deleted them: completed work is not repeated,
 * and a job that is killed in between deletes a part twice, which changes nothing.
 */
import { Injectable } from '@nestjs/common';
import type { TaskOutcome } from '../../core/job/job-types.js';
import { isStopping, untilHalted } from '../halt.js';
import type { IndexWriters } from '../index/index-writers.js';
import { documentIds } from '../index/document-ids.js';
import { markIndexed } from '../index/index.sql.js';
import { NO_WRITER_PROGRESS, type WriterProgress, withWriters, writerProgress } from '../index/open-writers.js';
import { deletionReason } from '../../core/indexing/index-verdict.js';
import { refuseUnwritten } from '../require-pages.js';
import type { Count, Run, Step } from '../step.js';
import type { CleanArgs } from './clean.args.js';
import { nextToDelete } from './clean.sql.js';
import { deleteRemoved } from '../index/delete-removed.js';
import type { PageKey } from '../../core/page/page-row.js';

/** Documents deleted at once. */
const CHUNK = 1_000;

interface At extends WriterProgress {
  after: PageKey | null;
}

@Injectable()
export class CleanJob implements Step<CleanArgs> {
  async run(run: Run<CleanArgs>): Promise<TaskOutcome> {
    const plan = await run.plan(async () => {
      await refuseUnwritten(run);
      // The lock of INDEX: neither job writes what the other one deletes.
      return (await run.lock('INDEX')) ? { parts: 1 } : null;
    });
    if (plan === null) return { reason: 'stopped' };
    const begun: At = { after: null, ...NO_WRITER_PROGRESS, ...(run.progress as Partial<At> | null) };
    return untilHalted(run, async (signal) => {
      const ended = await withWriters(run, begun, signal, async (writers) => {
        const progress = (): At => ({ after: begun.after, ...writerProgress(writers) });
        const isDone = await deleteRemoved(run, writers, { count: countRemoved, progress });
        return isDone && this.clean(run, begun.after, writers);
      });
      return { reason: ended ? 'done' : 'stopped' };
    });
  }

  /** @returns whether it finished: the job was not stopped */
  private async clean(run: Run<CleanArgs>, begun: PageKey | null, writers: IndexWriters): Promise<boolean> {
    const { crawl } = run.job;
    const idOf = documentIds(run.conf, run.args.normalize);
    for (let after = begun; ;) {
      if (isStopping(run)) return false;
      const stale = await nextToDelete(run.pool, crawl, CHUNK, after);
      if (stale.length === 0) return true;
      await writers.send({ documents: [], deleted: stale.map(({ key }) => idOf(key)) });
      const { host, key } = stale.at(-1)!;
      after = { host, key };
      await run.write(
        async (tx, count) => {
          // Documents that one of the writers could not delete keep their marks, for the next CLEAN.
          if (writers.givenUp.size > 0) return;
          await markIndexed(
            tx,
            crawl,
            stale.map((page) => ({ ...page, mark: null })),
          );
          count('CleaningJobStatus', 'Deleted documents', stale.length);
          for (const { status } of stale) count('CleaningJobStatus', `deleted (${deletionReason(status)})`);
        },
        { after, ...writerProgress(writers) } satisfies At,
      );
    }
  }
}

function countRemoved(count: Count, n: number): void {
  count('CleaningJobStatus', 'Deleted documents', n);
  count('CleaningJobStatus', 'deleted (removed)', n);
}
