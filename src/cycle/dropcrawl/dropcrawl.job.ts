/**
 * DROPCRAWL: deletes a crawl with everything that belongs to it: pages, contents, links, hosts with their settings, visits,
 * batches, and its jobs. The row of the crawl is deleted last; then its id may be used again. The job itself stays, as the
 * record of what was deleted, until it is as old as other jobs that are deleted.
 *
 * Each transaction deletes some rows and stores the key after which the next one begins. So the next attempt continues after
 * a kill; a stopped job leaves the rest, and the next DROPCRAWL of the crawl deletes it.
 */
import { Injectable } from '@nestjs/common';
import { deleteCrawl, deleteEvents, deleteJobs } from '../../job/crawl-jobs.store.js';
import type { TaskOutcome } from '../../core/job/job-types.js';
import { keptCounts } from '../../webpage/status-count.store.js';
import { isStopping } from '../halt.js';
import type { Run, Step } from '../step.js';
import type { DropCrawlArgs } from './dropcrawl.args.js';
import { CRAWL_TABLES, type Key, deleteNext } from './dropcrawl.sql.js';

/** Rows of a table, or jobs, that one transaction deletes. A content may have a megabyte, a job hundreds of tasks. */
const ROWS_AT_ONCE = 2_000;
const JOBS_AT_ONCE = 200;
const GROUP = 'DropCrawl';

interface Plan extends Record<string, unknown> {
  parts: number;
  /** Number of pages of the crawl before. */
  pages: number;
}

/** Where the next transaction begins: the index of a table in CRAWL_TABLES, and the last key that was deleted there. */
interface Cursor extends Record<string, unknown> {
  table: number;
  after: Key | null;
}

@Injectable()
export class DropCrawlJob implements Step<DropCrawlArgs> {
  /** Rows that one transaction deletes; a test may take fewer. */
  atOnce = ROWS_AT_ONCE;

  async run(run: Run<DropCrawlArgs>): Promise<TaskOutcome> {
    const plan = await run.plan<Plan>(async () => ({ parts: 1, pages: await pagesOf(run) }));
    if (plan === null || !(await this.deleteRows(run, plan))) return { reason: 'stopped' };
    const job = { ...run.job };
    if (!(await untilNone(run, 'events', this.atOnce, (tx) => deleteEvents(tx, job, this.atOnce))))
      return { reason: 'stopped' };
    if (!(await untilNone(run, 'jobs', JOBS_AT_ONCE, (tx) => deleteJobs(tx, job, JOBS_AT_ONCE))))
      return { reason: 'stopped' };
    await run.write((tx) => deleteCrawl(tx, job));
    return { reason: 'done', extra: { pages: plan.pages } };
  }

  /** Returns false when the job was stopped meanwhile. */
  private async deleteRows(run: Run<DropCrawlArgs>, { pages }: Plan): Promise<boolean> {
    let cursor: Cursor = { table: 0, after: null, ...(run.progress as Partial<Cursor> | null) };
    let inTable = 0;
    for (let table = CRAWL_TABLES[cursor.table]; table !== undefined; table = CRAWL_TABLES[cursor.table]) {
      if (isStopping(run)) return false;
      const at = cursor;
      const from = table;
      const { deleted, next } = await run.write(
        async (tx, count) => {
          const done = await deleteNext(tx, run.job.crawl, from, { after: at.after, limit: this.atOnce });
          if (done.deleted > 0) count(GROUP, from.name, done.deleted);
          const isLast = done.last === null;
          return {
            deleted: done.deleted,
            next: isLast ? { table: at.table + 1, after: null } : { ...at, after: done.last },
          };
        },
        (result): Cursor => result.next,
      );
      inTable = next.table === cursor.table ? inTable + deleted : 0;
      cursor = next;
      if (inTable > 0) void run.report(`deleting a crawl of ${pages} pages: ${inTable} rows of ${from.name} are gone`);
    }
    return true;
  }
}

async function pagesOf({ pool, job }: Run<DropCrawlArgs>): Promise<number> {
  const { counts } = await keptCounts(pool, job.crawl);
  return Object.values(counts).reduce((sum, n) => sum + n, 0);
}

/** Calls `work` until it returns fewer than `limit`. Returns false when the job was stopped meanwhile. */
async function untilNone(
  run: Run<DropCrawlArgs>,
  name: string,
  limit: number,
  work: (tx: Parameters<Parameters<Run['write']>[0]>[0]) => Promise<number>,
): Promise<boolean> {
  for (let done = limit; done === limit;) {
    if (isStopping(run)) return false;
    done = await run.write(async (tx, count) => {
      const n = await work(tx);
      if (n > 0) count(GROUP, name, n);
      return n;
    });
  }
  return true;
}
