/** Stores and reads what running tasks wait for. */
import type { TaskWait } from '../core/job/task-wait.js';
import { type Sql, fragment, rows, sql } from '../db/sql.js';
import type { Claim } from './task.store.js';

/** Of task `t`; null unless the running attempt has reported it. */
export const waitColumn = fragment`case when t.state = 'RUNNING' and (t.waits->>'token')::int = t.token then t.waits - 'token' end`;

/** Stores what an attempt at a task waits for; null: it waits no longer. */
export async function saveWait(db: Sql, { task, token }: Claim, wait: TaskWait | null): Promise<void> {
  const waits = wait && { ...wait, token };
  await db.query(sql`update job_task set waits = ${waits}::jsonb where id = ${task} and token = ${token}`);
}

/** The waits of running tasks of a job and of its children, the longest first, at most `max`. */
export const waitsOfJob = (db: Sql, job: string, max: number): Promise<(TaskWait & { job: string })[]> =>
  rows<TaskWait & { job: string }>(db)`
    select w.job, w.wait->>'for' as "for", w.wait->>'what' as what, w.wait->>'url' as url, (w.wait->>'pages')::int as pages,
           w.wait->>'since' as since
      from (select t.id, t.job, ${waitColumn} as wait
              from job_task t join job j on j.id = t.job
             where t.state = 'RUNNING' and t.waits is not null and (j.id = ${job} or j.parent = ${job})) w
     where w.wait is not null order by w.wait->>'since', w.id limit ${max}`;
