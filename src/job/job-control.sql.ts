/** Statements of job-control.ts: the rows that it locks, and all that changes in them except their states. */
import type { CrawlPlan } from '../core/job/crawl-plan.js';
import type { JobState } from '../core/job/job-states.js';
import type { JobType } from '../core/job/job-types.js';
import { type Sql, row, rows, sql } from '../db/sql.js';
import { JOB_CHANNEL } from './job-queue.js';
import { BEGUN, OPEN } from './states.sql.js';

export interface BegunCrawl {
  id: string;
  crawlId: string;
  confId: string;
  confHash: string;
  state: JobState;
  createdAt: Date;
  now: Date;
  plan: CrawlPlan;
}

/** A CRAWL that has begun and is not paused, locked; else undefined. */
export const lockBegunCrawl = (tx: Sql, id: string): Promise<BegunCrawl | undefined> =>
  row<BegunCrawl>(tx)`
    select id, crawl_id as "crawlId", conf_id as "confId", conf_hash as "confHash", state, plan, created_at as "createdAt", now() as now
      from job
     where id = ${id} and type = 'CRAWL' and paused_at is null and state in ${BEGUN} for no key update`;

export interface FamilyMember {
  id: string;
  type: JobType;
  state: JobState;
  paused: boolean;
}

/** The open jobs of a family, locked: the children, newest first, then the job itself. */
export async function lockFamily(tx: Sql, id: string): Promise<FamilyMember[]> {
  const statement = sql`
    select id, type, state, paused_at is not null as paused from job
     where (id = ${id} or parent = ${id}) and state in ${OPEN} order by number desc for no key update`;
  await rows<FamilyMember>(tx, statement);
  // While this waited for the lock of the crawl, the end of one child may have made another.
  return rows<FamilyMember>(tx, statement);
}

/** A FETCH gets no further batches: it ends with those that it has. */
export async function closeFetch(tx: Sql, id: string): Promise<void> {
  await tx.query(sql`update job set closed_at = now() where id = ${id} and closed_at is null`);
}

/** The message of a running job. */
export async function recordProgress(tx: Sql, id: string, msg: string): Promise<void> {
  await tx.query(sql`update job set msg = ${msg} where id = ${id} and state = 'RUNNING'`);
}

/** Pauses a job, or ends its pause. */
export async function setPaused(tx: Sql, id: string, isPaused: boolean): Promise<void> {
  await tx.query(sql`update job set paused_at = case when ${isPaused} then now() end where id = ${id}`);
}

/** Notifies the workers that run tasks of a job, and those who wait for it. */
export async function notifyListeners(tx: Sql, id: string): Promise<void> {
  await tx.query(sql`select pg_notify(${JOB_CHANNEL}, ${id})`);
}
