/**
 * The rows of table `job`: insert, state changes, reads.
 *
 * A job is created together with its first task and the message that announces it, in one transaction; its state changes along
 * the arrows of job-states.ts only, each change repeated as a guard in its statement, logged in `job_event` and sent to
 * listeners of JOB_CHANNEL. A job ends in `endIfDone`, when the last of its tasks is done. The end of a CRAWL's child
 * makes the crawl's next step in the same transaction (job-control.ts).
 */
import type { Pool } from 'pg';
import { faultPoint } from '../db/fault-point.js';
import { hasSqlState } from '../db/sql-state.js';
import { type Sql, allOf, fragment, ifGiven, prepared, row, rows, sql, storable, transaction } from '../db/sql.js';
import { crawlNumber } from '../webpage/crawl.store.js';
import { type JobQueue, type TaskMessage, JOB_CHANNEL } from './job-queue.js';
import { withBase } from '../core/job/base-counters.js';
import { earlierResult, recordResult } from './idempotency.js';
import { countInCrawl, countersSoFar, isCountedAt } from './crawl-counters.sql.js';
import { lockCrawl, lockToDelete } from './crawl-jobs.store.js';
import { logEvent, purgeEvents, warningsOf } from './job-event.store.js';
import { purgeBatches } from './batch-purge.store.js';
import { purgeJobs } from './job-purge.store.js';
import type { FailureCode } from '../core/job/failure-codes.js';
import { advance, pauseJob, requestEnd, resumeJob } from './job-control.js';
import {
  type CounterGroups,
  type JobResult,
  type JobType,
  type TaskOutcome,
  addCounters,
} from '../core/job/job-types.js';
import type { JobRow } from './job-row.js';
import { type JobState, finalStates, statesBefore } from '../core/job/job-states.js';
import { BEGUN, OPEN } from './states.sql.js';
import { lockLists, purgeSeedLists, purgeSnapshots } from './left-by-jobs.store.js';
import type { TaskWait } from '../core/job/task-wait.js';
import { waitsOfJob } from './task-wait.sql.js';
import type { TaskState } from '../core/job/task-states.js';
import { STORED_LENGTHS } from '../core/page/stored-lengths.js';

/** Pauses between two looks at a job that waits for a worker: from the first to the longest. */
const FIRST_POLL_MS = 15;
const MAX_POLL_MS = 250;
const POLL_GROWTH = 1.2;
/** Attempts of a transaction that PostgreSQL ended because of a deadlock. */
const MAX_DEADLOCKS = 5;
/** Rows that one transaction of a purge deletes. A seed list has many seeds, a snapshot is large. */
const SEED_LISTS_PER_PURGE = 20;
const SNAPSHOTS_PER_PURGE = 100;

export interface NewJob {
  type: JobType;
  crawlId: string;
  confId: string;
  /** Content hash of the configuration as it is now (`conf_snapshot`); later changes do not apply to the job. */
  confHash: string;
  args: Record<string, unknown>;
  /** Stored lists that it names, and that must still exist. */
  lists?: readonly string[];
  /** The key or user that requested it; written to its log. */
  by?: string;
  /** Of a CRAWL: what its steps depend on (crawl-rounds.ts). */
  plan?: object;
  /** The CRAWL that makes it, and for which of its rounds. */
  parent?: string;
  round?: number;
  /** It counts as created then, or later. */
  after?: Date | undefined;
}

export interface JobFilter {
  crawlId?: string;
  state?: JobState;
  type?: JobType;
  /** Only jobs that have not ended. */
  open?: boolean;
  /** Only jobs without a parent. */
  outermost?: boolean;
  /** Jobs older than the one of this number. */
  before?: string | undefined;
  /** Newest first, at most this many. */
  limit?: number;
}

const jobColumns = fragment`id, number, crawl, crawl_id as "crawlId", conf_id as "confId", conf_hash as "confHash", type, args,
  state, msg, plan, result, parent, round, paused_at as "pausedAt", created_at as "createdAt", started_at as "startedAt", ended_at as "endedAt"`;

export class JobStore {
  constructor(
    private readonly pool: Pool,
    private readonly queue: JobQueue,
  ) {}

  /**
   * Writes the job (IDLE), its first task and the message for the workers, in one transaction. A CRAWL begins at once.
   * A repeated request with a key returns the job that it created before. Throws SeedListGone, CrawlBeingDeleted.
   */
  create(job: NewJob): Promise<JobRow> {
    return transaction(this.pool, async (tx) => {
      const earlier = await earlierResult(tx, 'job');
      if (earlier !== undefined) return (await row<JobRow>(tx)`select ${jobColumns} from job where id = ${earlier}`)!;
      await lockCrawl(tx, job.crawlId);
      await lockLists(tx, job.lists ?? []);
      const created = await this.insert(tx, job);
      await recordResult(tx, 'job', created.id);
      if (job.type !== 'CRAWL') return created;
      await this.move(tx, created.id, 'RUNNING', { msg: 'OK' });
      await advance(tx, this, created.id);
      return (await row<JobRow>(tx)`select ${jobColumns} from job where id = ${created.id}`)!;
    });
  }

  /** The DROPCRAWL job that deletes a crawl; undefined if there is no such crawl. Throws CrawlBusy. */
  createDrop(job: Pick<NewJob, 'crawlId' | 'confId' | 'confHash' | 'by'>): Promise<JobRow | undefined> {
    return transaction(this.pool, async (tx) => {
      const crawl = await lockToDelete(tx, job.crawlId);
      return crawl === undefined ? undefined : this.insert(tx, { ...job, type: 'DROPCRAWL', args: {} });
    });
  }

  /** The job (IDLE) with its first task, announced. A CRAWL has no tasks, only children. */
  async insert(tx: Sql, job: NewJob): Promise<JobRow> {
    const crawl = await crawlNumber(tx, job.crawlId);
    const created = (await row<JobRow>(tx)`
      with next as (select nextval('job_number') as number)
      insert into job (id, number, crawl, crawl_id, conf_id, conf_hash, type, args, plan, parent, round, created_at)
      select concat(${job.crawlId ? `${job.crawlId}-` : ''}::text, ${`${job.confId}-${job.type}-`}::text, number),
             number, ${crawl}, ${job.crawlId}, ${job.confId}, ${job.confHash}, ${job.type}, ${job.args},
             ${job.plan ?? null}::jsonb, ${job.parent ?? null}, ${job.round ?? null}::int, greatest(now(), ${job.after ?? null}::timestamptz)
        from next returning ${jobColumns}`)!;
    await logEvent(tx, created.id, 'state', { state: 'IDLE', ...(job.by !== undefined && { by: job.by }) });
    if (job.type === 'CRAWL') return created;
    const task = await row<{ id: string }>(tx)`insert into job_task (job, part) values (${created.id}, 0) returning id`;
    await this.queue.send(tx, [{ job: created.id, task: task!.id }]);
    await faultPoint('job.created', tx);
    return created;
  }

  /** The job with this id, or undefined. */
  find(id: string): Promise<JobRow | undefined> {
    return row<JobRow>(prepared(this.pool))`select ${jobColumns} from job where id = ${id}`;
  }

  /** The states of jobs, and whether they are paused. Unknown ids are left out. */
  statesOf(ids: readonly string[]): Promise<Pick<JobRow, 'id' | 'state' | 'pausedAt'>[]> {
    return rows<Pick<JobRow, 'id' | 'state' | 'pausedAt'>>(prepared(this.pool))`
      select id, state, paused_at as "pausedAt" from job where id = any (${ids}::text[])`;
  }

  /** Newest first. */
  list(filter: JobFilter = {}): Promise<JobRow[]> {
    const condition = allOf([
      ifGiven(filter.crawlId, (crawlId) => fragment`crawl_id = ${crawlId}`),
      ifGiven(filter.state, (state) => fragment`state = ${state}`),
      ifGiven(filter.type, (type) => fragment`type = ${type}`),
      ifGiven(filter.before, (before) => fragment`number < ${before}`),
      filter.open ? fragment`state in ${OPEN}` : undefined,
      // No CRAWL has a parent: so an index finds CRAWLs without their steps, of which one that runs for weeks has very many.
      filter.outermost || filter.type === 'CRAWL' ? fragment`parent is null` : undefined,
    ]);
    return rows<JobRow>(this.pool)`
      select ${jobColumns} from job where ${condition} order by number desc limit ${filter.limit ?? 100}`;
  }

  /** Jobs that have not ended: queued, running, stopping. Oldest first. */
  listOpen(): Promise<JobRow[]> {
    return rows<JobRow>(this.pool)`
      select ${jobColumns} from job where state in ${OPEN} order by number`;
  }

  /** The jobs that a CRAWL made, oldest first; only the last `newest`. */
  async children(id: string, newest = 10_000): Promise<JobRow[]> {
    const newestFirst = await rows<JobRow>(
      this.pool,
    )`select ${jobColumns} from job where parent = ${id} order by number desc limit ${newest}`;
    return newestFirst.reverse();
  }

  /** The counters of a job so far: the sum over its tasks, or over those of its children. */
  counters(id: string, db: Sql = this.pool): Promise<CounterGroups> {
    return countersSoFar(db, id);
  }

  /** What the running tasks of a job and of its children wait for, the longest first. */
  waits(id: string, max: number): Promise<(TaskWait & { job: string })[]> {
    return waitsOfJob(this.pool, id, max);
  }

  /** Waits until a job is no longer IDLE, at most `ms` milliseconds; returns the row as it is then. */
  async waitUntilClaimed(id: string, ms: number): Promise<JobRow | undefined> {
    const until = performance.now() + ms;
    for (let pause = FIRST_POLL_MS; ; pause = Math.min(pause * POLL_GROWTH, MAX_POLL_MS)) {
      const job = await this.find(id);
      if (job?.state !== 'IDLE' || performance.now() >= until) return job;
      await new Promise((wake) => setTimeout(wake, pause));
    }
  }

  /** Stop: no new work begins, pages already fetched are written. Returns whether the job could be stopped. */
  requestStop(id: string): Promise<boolean> {
    return this.withFamily((tx) => requestEnd(tx, this, id, 'stop'));
  }

  /** Abort: connections are cut; marks stay consistent. Returns whether the job could be aborted. */
  requestAbort(id: string): Promise<boolean> {
    return this.withFamily((tx) => requestEnd(tx, this, id, 'abort'));
  }

  /** Pause: tasks write their current pages, are released, and wait. Returns whether the job could be paused. */
  pause(id: string): Promise<boolean> {
    return this.withFamily((tx) => pauseJob(tx, id));
  }

  /** Resumes a paused job. Returns whether it was paused. */
  resume(id: string): Promise<boolean> {
    return this.withFamily((tx) => resumeJob(tx, this, id));
  }

  /** A stop and the end of a child both lock a crawl and its child; on a deadlock one of them tries again. */
  private async withFamily(work: (tx: Sql) => Promise<boolean>): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await transaction(this.pool, work);
      } catch (error) {
        if (!hasSqlState(error, 'DEADLOCK') || attempt >= MAX_DEADLOCKS) throw error;
      }
    }
  }

  /** Makes the next step of a CRAWL. */
  advance(tx: Sql, id: string): Promise<void> {
    return advance(tx, this, id);
  }

  /** Sends the messages for waiting tasks of a job again. */
  async announce(tx: Sql, id: string): Promise<void> {
    const waiting = await rows<TaskMessage>(tx)`
      update job_task set queued_at = now() where job = ${id} and state = 'WAITING' returning job, id as task`;
    await this.queue.send(tx, waiting);
  }

  /** Moves a job to `to`, or returns undefined if its present state forbids it. */
  async move(
    tx: Sql,
    id: string,
    to: JobState,
    more: { msg: string; result?: JobResult; from?: JobState[] },
  ): Promise<JobRow | undefined> {
    const from = more.from ?? statesBefore(to);
    const moved = await row<JobRow>(tx)`
      update job
         set state = ${to}, msg = ${storable(more.msg)}, result = coalesce(${more.result ?? null}::jsonb, result),
             counted = parent is not null and ${isCountedAt(to)}::boolean,
             started_at = case when ${to === 'RUNNING'} then now() else started_at end,
             ended_at = case when ${finalStates.includes(to)} then now() end
       where id = ${id} and state = any (${from}::text[])
      returning ${jobColumns}`;
    if (moved) {
      await logEvent(tx, id, 'state', { state: to, msg: more.msg });
      await tx.query(sql`select pg_notify(${JOB_CHANNEL}, ${id})`);
      if (finalStates.includes(to)) await faultPoint('job.ended', tx);
      if (moved.parent && isCountedAt(to)) await countInCrawl(tx, id, moved.parent);
      if (moved.parent && finalStates.includes(to)) await advance(tx, this, moved.parent);
    }
    return moved;
  }

  /** Fails a job with a message; its other tasks end by themselves. @param failure the reason as a code */
  async fail(tx: Sql, id: string, msg: string, failure: FailureCode): Promise<JobRow | undefined> {
    const counters = await this.counters(id, tx);
    const result = { result: '-1', reason: 'failed', failure, counters, ...(await warned(tx, id)) };
    return this.move(tx, id, 'FAILED', { msg: msg.slice(0, STORED_LENGTHS.message), result });
  }

  /**
   * Ends a job whose tasks are all done. The job's row is locked, so of two last tasks one sees the other. NO KEY, because
   * transactions that have inserted tasks, or changed one twice, already have a key lock on it: two of them would deadlock.
   */
  async endIfDone(tx: Sql, id: string): Promise<void> {
    const job = await row<{ type: JobType; state: JobState }>(
      tx,
    )`select type, state from job where id = ${id} for no key update`;
    if (!job || finalStates.includes(job.state)) return;
    const tasks = await rows<{ state: TaskState; counters: CounterGroups; outcome: TaskOutcome | null }>(tx)`
      select state, counters, outcome from job_task where job = ${id} order by part`;
    if (tasks.some((task) => task.state !== 'DONE')) return;
    const result = { ...resultOf(tasks, job), ...(await warned(tx, id)) };
    if (job.state === 'KILLING') await this.move(tx, id, 'KILLED', { msg: 'killed', result });
    else
      await this.move(tx, id, 'FINISHED', { msg: job.state === 'STOPPING' ? 'OK: stopped on request' : 'OK', result });
  }

  /** Stores the plan that the first task made, unless one is stored; returns the stored one, which every attempt uses. */
  async savePlan<P extends Record<string, unknown>>(tx: Sql, id: string, plan: P): Promise<P> {
    const saved = await row<{ plan: P }>(tx)`
      update job set plan = coalesce(plan, ${plan}) where id = ${id} returning plan`;
    return saved!.plan;
  }

  /** Sets `msg` of a running job to what it is doing or waiting for. */
  async setMessage(id: string, msg: string): Promise<void> {
    const message = storable(msg);
    await this.pool.query(
      sql`update job set msg = ${message} where id = ${id} and state = 'RUNNING' and msg <> ${message}`,
    );
  }

  /**
   * Takes the lock of a crawl and step for a running job. Returns null when this job has it, else the id of the job
   * that has it. The lock ends with the state: its index covers running jobs only. A job that failed keeps
   * it until the last of its other tasks has stopped.
   */
  async lock(id: string, key: string): Promise<string | null> {
    // Looked up first: an UPDATE that fails aborts its connection, and adds a line to the log of PostgreSQL.
    const holder = await row<{ id: string }>(this.pool)`
      select id from job where lock_key = ${key} and id <> ${id} and state in ${BEGUN}
       union all
      (select job.id from job_task task join job on job.id = task.job
        where task.state = 'RUNNING' and job.lock_key = ${key} and job.id <> ${id} limit 1)`;
    if (holder) return holder.id;
    try {
      await this.pool.query(
        sql`update job set lock_key = ${key} where id = ${id} and lock_key is distinct from ${key}`,
      );
      return null;
    } catch (error) {
      if (!hasSqlState(error, 'UNIQUE_VIOLATION')) throw error;
      return this.lock(id, key);
    }
  }

  /**
   * Deletes ended jobs, what they leave behind, batches of no use and old events, in chunks, so that no lock is kept for long;
   * returns the number of deleted jobs.
   */
  async purge({ jobDays, eventDays }: { jobDays: number; eventDays: number }): Promise<number> {
    await purgeEvents(this.pool, eventDays);
    const deleted = await purgeJobs(this.pool, jobDays);
    await purgeBatches(this.pool, jobDays);
    await inChunks(SEED_LISTS_PER_PURGE, (limit) => purgeSeedLists(this.pool, limit));
    await inChunks(SNAPSHOTS_PER_PURGE, (limit) => purgeSnapshots(this.pool, limit));
    return deleted;
  }
}

/** Calls `work` until it returns fewer than `limit`. */
async function inChunks(limit: number, work: (limit: number) => Promise<number>): Promise<void> {
  while ((await work(limit)) >= limit);
}

/** The warnings of a job as a field of its result, if it has any: clients that poll a job do not read its log. */
async function warned(tx: Sql, id: string): Promise<{ warnings?: string[] }> {
  const warnings = await warningsOf(tx, id);
  return warnings.length === 0 ? {} : { warnings };
}

function resultOf(
  tasks: { counters: CounterGroups; outcome: TaskOutcome | null }[],
  { type, state }: { type: JobType; state: JobState },
): JobResult {
  const counters = tasks.reduce((sum, task) => addCounters(sum, task.counters), {} as CounterGroups);
  const extra = Object.assign({}, ...tasks.map((task) => task.outcome?.extra ?? {})) as Record<string, unknown>;
  const reasons = tasks.map((task) => task.outcome?.reason ?? 'done');
  const reason = state === 'RUNNING' ? (reasons.find((candidate) => candidate !== 'done') ?? 'done') : 'stopped';
  return { result: reason === 'no-urls' ? '1' : '0', reason, counters: withBase(type, counters), ...extra };
}
