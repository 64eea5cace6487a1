/**
 * The counters of a job so far. A CRAWL of some days has many thousand jobs: the counters of one that has ended are added to
 * the row of the CRAWL in the transaction that ends it, so a reading sums only the jobs that have not. A job that failed is
 * not counted there, as others of its tasks may still count.
 */
import { type CounterGroups, addCounters } from '../core/job/job-types.js';
import { type JobState, finalStates } from '../core/job/job-states.js';
import { type Sql, prepared, row, rows, sql } from '../db/sql.js';

/** Whether a job of a CRAWL that moves to `state` is counted: all its tasks are done. */
export const isCountedAt = (state: JobState): boolean => finalStates.includes(state) && state !== 'FAILED';

/** Adds the counters of a job to those of its CRAWL. Called once, by the transaction that has moved it to such a state. */
export async function countInCrawl(tx: Sql, job: string, crawl: string): Promise<void> {
  const before = await row<{ counters: CounterGroups | null }>(tx)`
    select child_counters as counters from job where id = ${crawl} for no key update`;
  const tasks = await rows<{ counters: CounterGroups }>(tx)`select counters from job_task where job = ${job}`;
  const sum = summed([...(before?.counters ? [{ counters: before.counters }] : []), ...tasks]);
  await tx.query(sql`update job set child_counters = ${sum} where id = ${crawl}`);
}

/** The sum over the tasks of a job, or over those of its children. */
export async function countersSoFar(db: Sql, id: string): Promise<CounterGroups> {
  const summands = await rows<{ counters: CounterGroups }>(prepared(db))`
    select counters from job_task where job = ${id}
     union all
    select child_counters from job where id = ${id} and child_counters is not null
     union all
    select task.counters from job child join job_task task on task.job = child.id
     where child.parent = ${id} and not child.counted`;
  return summed(summands);
}

const summed = (summands: readonly { counters: CounterGroups }[]): CounterGroups =>
  summands.reduce((sum, summand) => addCounters(sum, summand.counters), {} as CounterGroups);
