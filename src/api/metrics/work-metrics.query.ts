/** What the metrics of work read: small tables, an index, or statistics that PostgreSQL collects anyway. */
import { type Sql, row, rows } from '../../db/sql.js';
import { DELIVERY, OPEN } from '../../job/states.sql.js';
import type { TaskState } from '../../core/job/task-states.js';
import { waitColumn } from '../../job/task-wait.sql.js';
import { isLiving } from '../../job/worker.store.js';
import type { JobCount } from '../../core/job/counter-ledger.js';

export interface OpenJobs {
  type: string;
  state: string;
  n: number;
  /** Seconds since the oldest of them was created. */
  age: number;
}

/** Jobs that have not ended, by type and state. */
export const openJobs = (db: Sql): Promise<OpenJobs[]> =>
  rows<OpenJobs>(db)`
    select type, state, count(*)::int as n, extract(epoch from now() - min(created_at))::float8 as age from job
     where state in ${OPEN} group by type, state`;

export interface OpenTasks {
  type: string;
  state: Exclude<TaskState, 'DONE'>;
  n: number;
  /** Seconds for which the oldest has waited; 0 for running tasks. */
  age: number;
  /** Running tasks whose lease has expired and that no worker has claimed again yet. */
  expired: number;
}

/** Tasks of paused jobs are not counted: they wait for a user to resume them, not for workers. */
export const openTasks = (db: Sql): Promise<OpenTasks[]> =>
  rows<OpenTasks>(db)`
    select job.type, task.state, count(*)::int as n, count(*) filter (where task.lease_until < now())::int as expired,
           coalesce(extract(epoch from now() - min(task.waiting_since) filter (where task.state = 'WAITING')), 0)::float8 as age
      from job_task task join job on job.id = task.job
     where task.state <> 'DONE' and job.paused_at is null and job.state in ${OPEN}
     group by job.type, task.state`;

export interface ParserWaits {
  pages: number;
  /** Seconds for which a parser has worked on the oldest of the pages being parsed. */
  seconds: number;
}

/** Pages with which running tasks wait for a parser. */
export const parserWaits = (db: Sql): Promise<ParserWaits | undefined> =>
  row<ParserWaits>(db)`
    select coalesce(sum(greatest(1, (waiting.wait->>'pages')::int)), 0)::int as pages,
           greatest(0, coalesce(extract(epoch from now() - min((waiting.wait->>'since')::timestamptz)), 0))::float8 as seconds
      from (select ${waitColumn} as wait from job_task task where task.state = 'RUNNING' and task.waits is not null) waiting
     where waiting.wait->>'for' = 'parser'`;

/** Number of queued messages that no worker has fetched yet, and the age of the oldest, s. */
export const queueBacklog = (db: Sql): Promise<{ n: number; age: number } | undefined> =>
  row<{ n: number; age: number }>(db)`
    select count(*)::int as n, coalesce(extract(epoch from now() - min(created_on)), 0)::float8 as age
      from pgboss.job where name = 'task' and state < 'active'`;

/** Counters of jobs that are open or ended after `since`. */
export const jobCounts = (db: Sql, since: Date, groups: readonly string[]): Promise<JobCount[]> =>
  rows<JobCount>(db)`
    select job.id as job, counted.key as "group", counter.key as name, sum(counter.value::float8)::float8 as n
      from job join job_task task on task.job = job.id
     cross join lateral jsonb_each(task.counters) as counted
     cross join lateral jsonb_each_text(counted.value) as counter
     where (job.ended_at is null or job.ended_at > ${since}) and counted.key = any (${groups}::text[])
     group by job.id, counted.key, counter.key`;

export interface JobEventCount {
  kind: 'state' | 'task' | 'warning';
  type: string;
  /** State of the job or of the task; null for a warning. */
  state: string | null;
  lost: boolean;
  failed: boolean;
  n: number;
}

/** Events in the log of jobs within an interval, counted by kind, type and state. */
export const jobEventCounts = (db: Sql, after: Date, until: Date): Promise<JobEventCount[]> =>
  rows<JobEventCount>(db)`
    select event.kind, job.type, event.data ->> 'state' as state, coalesce((event.data ->> 'lost')::boolean, false) as lost,
           coalesce(event.data ->> 'reason' = 'failed', false) as failed, count(*)::int as n
      from job_event event join job on job.id = event.job
     where event.time > ${after} and event.time <= ${until} and event.kind in ('state', 'task', 'warning')
     group by 1, 2, 3, 4, 5`;

/** The current time of the database server. */
export const databaseTime = async (db: Sql): Promise<Date> =>
  (await row<{ now: Date }>(db)`select clock_timestamp() as now`)!.now;

export interface WorkerSums {
  alive: number;
  leaving: number;
  lost: number;
  slots: number;
  pagesPerSecond: number;
  busiest: number;
  largest: number;
}

/** Workers by the state of their heartbeats; slots, pages and loads of those that are alive. */
export const workerSums = (db: Sql): Promise<WorkerSums | undefined> =>
  row<WorkerSums>(db)`
    select count(*) filter (where alive and not leaving)::int as alive, count(*) filter (where alive and leaving)::int as leaving,
           count(*) filter (where not alive)::int as lost, coalesce(sum(slots) filter (where alive and not leaving), 0)::int as slots,
           coalesce(sum(pages_per_second) filter (where alive), 0)::float8 as "pagesPerSecond",
           coalesce(max(load) filter (where alive), 0)::float8 as busiest,
           coalesce(max(memory_bytes) filter (where alive), 0)::float8 as largest
      from (select *, ${isLiving} as alive from worker) as w`;

/** Number of pending webhook deliveries, and the age of the oldest, s. */
export const pendingDeliveries = (db: Sql): Promise<{ n: number; age: number } | undefined> =>
  row<{ n: number; age: number }>(db)`
    select count(*)::int as n, coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as age
      from webhook_delivery where state = ${DELIVERY.WAITING}`;
