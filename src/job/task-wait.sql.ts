/** Stores and reads what running tasks wait for. */
import type { TaskWait } from '../core/job/task-wait.js';
import { type Sql, fragment, rows, sql } from '../db/sql.js';
import type { Claim } from './claim.js';

/** Of `task`; null unless the running attempt has reported it. */
export const waitColumn = fragment`case when task.state = 'RUNNING' and (task.waits->>'token')::int = task.token then task.waits - 'token' end`;

/** The fields of a wait, of `waiting.wait`. */
export const waitFields = fragment`waiting.wait->>'for' as "for", waiting.wait->>'what' as what, waiting.wait->>'url' as url, (waiting.wait->>'pages')::int as pages,
         waiting.wait->>'since' as since`;

/** Stores what an attempt at a task waits for; null: it waits no longer. */
export async function saveWait(db: Sql, { task, token }: Claim, wait: TaskWait | null): Promise<void> {
  const waits = wait && { ...wait, token };
  await db.query(sql`update job_task set waits = ${waits}::jsonb where id = ${task} and token = ${token}`);
}

/** The waits of running tasks of a job and of its children, the longest first, at most `max`. */
export const waitsOfJob = (db: Sql, job: string, max: number): Promise<(TaskWait & { job: string })[]> =>
  rows<TaskWait & { job: string }>(db)`
    select waiting.job, ${waitFields}
      from (select task.id, task.job, ${waitColumn} as wait
              from job_task task join job on job.id = task.job
             where task.state = 'RUNNING' and task.waits is not null and (job.id = ${job} or job.parent = ${job})) waiting
     where waiting.wait is not null order by waiting.wait->>'since', waiting.id limit ${max}`;
