/** What a task that is at work waits for, as its worker says it. Nothing depends on it: it is for people who look. */
import { type Sql, fragment, sql } from '../db/sql.js';
import type { Claim } from './task.store.js';

export const waitKinds = ['parser', 'job', 'host'] as const;

export interface TaskWait {
  /** `parser`: for a parser that takes its time; `job`: for another job, which holds a lock; `host`: for the queue of a host. */
  for: (typeof waitKinds)[number];
  /** In words. */
  what: string;
  /** The page in hand; null without one. */
  url: string | null;
  /** Pages that wait behind it and with it; null where it is not about pages. */
  pages: number | null;
  /** Since when: ISO 8601. With a page in hand, since when that is so. */
  since: string;
}

/** Of task `t`; null unless the attempt that is at work has said it. */
export const waitColumn = fragment`case when t.state = 'RUNNING' and (t.waits->>'token')::int = t.token then t.waits - 'token' end`;

/** Keeps what an attempt at a task waits for; null: for nothing any more. */
export async function keepWait(db: Sql, { task, token }: Claim, wait: TaskWait | null): Promise<void> {
  const waits = wait && { ...wait, token };
  await db.query(sql`update job_task set waits = ${waits}::jsonb where id = ${task} and token = ${token}`);
}
