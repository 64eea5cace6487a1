/**
 * The worker processes: a row for each, updated by its heartbeat. The only writer of table `worker`.
 *
 * A row only records a heartbeat. Whether a worker may write is decided by the leases of its tasks (task.store.ts); what is
 * read here is how many workers there are, which are idle, and what the API shows. A worker whose heartbeat is older
 * than a lease is lost: its tasks have gone to others by then. Its row stays for an hour, so that users can see it.
 */
import { type Sql, count, fragment, prepared, row, rows, sql } from '../db/sql.js';
import type { CounterGroups, JobType } from '../core/job/job-types.js';
import { OPEN } from './states.sql.js';
import { TASK_LEASE_S } from './task.store.js';
import type { TaskWait } from '../core/job/task-wait.js';
import { waitColumn } from './task-wait.sql.js';

/** Seconds for which the row of a lost worker is shown. */
const KEEP_LOST_S = 3_600;
/** Tasks of one worker that are shown; it runs at most as many as it has slots. */
const MAX_TASKS_SHOWN = 100;

/**
 * Whether a worker counts as alive: its last heartbeat is no older than a lease. One from the future is of a clock that was
 * ahead: a worker that is alive sends the next one soon.
 */
export const isLiving = fragment`seen_at between now() - make_interval(secs => ${TASK_LEASE_S}) and now() + make_interval(secs => ${TASK_LEASE_S})`;

/** What a process reports about itself once. */
export interface WorkerSelf {
  /** The name under which it claims tasks. */
  id: string;
  /** The server that started it: the same for all its workers. */
  server: string;
  machine: string;
  pid: number;
  /** Role of its server: `all` or `worker`. */
  role: string;
  version: string;
  /** Tasks it runs at once, at most. */
  slots: number;
}

/** What a process reports about itself with each heartbeat. */
export interface WorkerStatistics {
  leaving: boolean;
  /** Pages written by FETCH and PARSE a second, since the last heartbeat. */
  pagesPerSecond: number;
  /** Share of the time in which its event loop was busy, 0 to 1. */
  load: number;
  /** Resident memory. */
  memoryBytes: number;
}

/** The first heartbeat of a process, or the first after its row was deleted. */
export async function registerWorker(db: Sql, self: WorkerSelf, statistics: WorkerStatistics): Promise<void> {
  const { id, server, machine, pid, role, version, slots } = self;
  const { leaving, pagesPerSecond, load, memoryBytes } = statistics;
  await db.query(sql`
    insert into worker (id, server, machine, pid, role, version, slots, leaving, pages_per_second, load, memory_bytes)
    values (${id}, ${server}, ${machine}, ${pid}, ${role}, ${version}, ${slots}, ${leaving}, ${pagesPerSecond}, ${load}, ${memoryBytes})
    on conflict (id) do update
       set slots = excluded.slots, leaving = excluded.leaving, pages_per_second = excluded.pages_per_second,
           load = excluded.load, memory_bytes = excluded.memory_bytes, seen_at = now()`);
}

/**
 * A heartbeat: one small row, updated in place. It inserts no row: an update that is still running in PostgreSQL when its
 * worker removes its row would bring it back. Returns whether there is a row.
 */
export async function recordHeartbeat(
  db: Sql,
  { id, slots }: WorkerSelf,
  statistics: WorkerStatistics,
): Promise<boolean> {
  const { leaving, pagesPerSecond, load, memoryBytes } = statistics;
  const signed = await count(db)`
    update worker set slots = ${slots}, leaving = ${leaving}, pages_per_second = ${pagesPerSecond}, load = ${load},
                      memory_bytes = ${memoryBytes}, seen_at = now()
     where id = ${id}`;
  return signed > 0;
}

/** Deletes the row of a worker that has released all its tasks. */
export async function removeWorker(db: Sql, id: string): Promise<void> {
  await db.query(sql`delete from worker where id = ${id}`);
}

/** Deletes the rows of the workers that a server has ended, however each of them ended. */
export async function removeWorkers(db: Sql, server: string, pids: readonly number[]): Promise<void> {
  await db.query(sql`delete from worker where server = ${server} and pid = any (${pids}::int[])`);
}

/** Ids of the workers that count as alive. */
export async function livingWorkers(db: Sql): Promise<string[]> {
  const workers = await rows<{ id: string }>(db)`select id from worker where ${isLiving}`;
  return workers.map(({ id }) => id);
}

/** Whether a machine has a worker that counts as alive. */
export async function isAnyAlive(db: Sql, machine: string): Promise<boolean> {
  const result = await row<{ alive: boolean }>(db)`
    select exists (select from worker where machine = ${machine} and ${isLiving}) as alive`;
  return result!.alive;
}

/**
 * Workers that are known to be dead are lost at once: they no longer count when work is divided. One that was leaving and
 * has no task has ended as requested; only the deletion of its row has failed.
 */
export async function declareLost(db: Sql, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await db.query(sql`
    delete from worker where worker.id = any (${ids}::text[]) and worker.leaving
       and not exists (select from job_task task where task.state = 'RUNNING' and task.owner = worker.id)`);
  await db.query(sql`
    update worker set seen_at = least(seen_at, now() - make_interval(secs => ${TASK_LEASE_S})) where id = any (${ids}::text[])`);
}

/** Deletes workers that were lost long ago; returns how many. */
export async function deleteLost(db: Sql): Promise<number> {
  // For one whose last heartbeat is from the future the hour begins now.
  await db.query(
    sql`update worker set seen_at = now() - make_interval(secs => ${TASK_LEASE_S}) where seen_at > now() and not (${isLiving})`,
  );
  return count(db)`delete from worker where seen_at < now() - make_interval(secs => ${KEEP_LOST_S})`;
}

/** Living worker processes, and the servers that they belong to. */
export interface WorkerCount {
  processes: number;
  servers: number;
}

/** Counts the workers that are not leaving; at least one of each. */
export async function countWorkers(db: Sql): Promise<WorkerCount> {
  const counts = await row<WorkerCount>(db)`
    select greatest(1, count(*))::int as processes, greatest(1, count(distinct server))::int as servers
      from worker where not leaving and ${isLiving}`;
  return counts!;
}

/**
 * Workers without a task that has work, while no task waits: they could do more if there were more tasks. A task of a FETCH
 * that has nothing left, or one that waits for a lock, has no work.
 */
export async function idleWorkers(db: Sql): Promise<number> {
  const idle = await row<{ n: number }>(prepared(db))`
    select count(*)::int as n from worker
     where not worker.leaving and ${isLiving}
       and not exists (select from job_task task where task.state = 'RUNNING' and task.owner = worker.id and not task.idle)
       and not exists (select from job_task task join job on job.id = task.job
                        where task.state = 'WAITING' and job.paused_at is null and job.state in ${OPEN})`;
  return idle!.n;
}

/** A task that a worker has claimed. */
export interface ClaimedTask {
  job: string;
  type: JobType;
  crawlId: string;
  part: number;
  since: Date;
  counters: CounterGroups;
  waitsFor: TaskWait | null;
}

export const workerStates = ['alive', 'leaving', 'lost'] as const;
export type WorkerState = (typeof workerStates)[number];

export interface WorkerRow extends WorkerSelf, WorkerStatistics {
  state: WorkerState;
  startedAt: Date;
  seenAt: Date;
  tasks: ClaimedTask[];
}

/** Workers after an id, in the order of their ids, with the tasks that they run now. */
export async function listWorkers(db: Sql, { after, limit }: { after: string; limit: number }): Promise<WorkerRow[]> {
  const workers = await rows<Omit<WorkerRow, 'tasks'>>(db)`
    select id, server, machine, pid, role, version, slots, leaving, pages_per_second::float8 as "pagesPerSecond",
           load::float8 as load, memory_bytes::float8 as "memoryBytes", started_at as "startedAt", seen_at as "seenAt",
           case when not (${isLiving}) then 'lost'
                when leaving then 'leaving' else 'alive' end as state
      from worker where id > ${after} order by id limit ${limit}`;
  const claimed = await rows<ClaimedTask & { owner: string }>(db)`
    select task.owner, task.job, job.type, job.crawl_id as "crawlId", task.part, coalesce(task.claimed_at, task.queued_at) as since, task.counters,
           ${waitColumn} as "waitsFor"
      from job_task task join job on job.id = task.job
     where task.state = 'RUNNING' and task.owner = any (${workers.map(({ id }) => id)}::text[])
     order by task.id limit ${limit * MAX_TASKS_SHOWN}`;
  const byOwner = Map.groupBy(claimed, ({ owner }) => owner);
  return workers.map((worker) => ({ ...worker, tasks: (byOwner.get(worker.id) ?? []).slice(0, MAX_TASKS_SHOWN) }));
}
