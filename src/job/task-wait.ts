/** What a running task waits for, as its worker reports it. Only for display: nothing depends on it. */
import { type Sql, fragment, sql } from '../db/sql.js';
import type { Claim } from './task.store.js';

export const waitKinds = ['parser', 'job', 'host'] as const;

export interface TaskWait {
  /** `parser`: for a slow parser; `job`: for another job, which has a lock; `host`: for the queue of a host. */
  for: (typeof waitKinds)[number];
  /** In words. */
  what: string;
  /** The page being parsed; null without one. */
  url: string | null;
  /** Number of pages that wait with it and after it; null if it is not about pages. */
  pages: number | null;
  /** Since when: ISO 8601. With a page, since when that page is being parsed. */
  since: string;
}

/** Of task `t`; null unless the running attempt has reported it. */
export const waitColumn = fragment`case when t.state = 'RUNNING' and (t.waits->>'token')::int = t.token then t.waits - 'token' end`;

/** Stores what an attempt at a task waits for; null: it waits no longer. */
export async function saveWait(db: Sql, { task, token }: Claim, wait: TaskWait | null): Promise<void> {
  const waits = wait && { ...wait, token };
  await db.query(sql`update job_task set waits = ${waits}::jsonb where id = ${task} and token = ${token}`);
}
