/**
 * The tasks of a job: which worker has which, for how long, and how far it got. The statements that change the state
 * of a task are in task-moves.sql.ts.
 *
 * A task is WAITING, RUNNING or DONE. Claiming it raises its `token`; every write transaction of the holder begins with
 * `lock`, which tests that token, so the writes of an attempt that lost its lease change nothing. `lost` counts the
 * attempts in a row that died without having written: any write resets it, so a long crawl may be killed a hundred
 * times and still finish, while a task that kills its worker at once is given up. Attempts that ended with their whole
 * server are counted separately (`killed`), with a higher limit: someone who kills a server every few seconds does not aim at
 * a task. If a dead worker has left a crash marker, `deaths` counts it for the page being parsed, and that page is given up.
 */
import type { Pool } from 'pg';
import { leaseSeconds } from '../conf/lease-seconds.js';
import { faultPoint } from '../db/fault-point.js';
import { type Sql, count, fragment, prepared, row, rows, sql, transaction } from '../db/sql.js';
import type { FailureCode } from '../core/job/failure-codes.js';
import { logEvent } from './job-event.store.js';
import { type DeadOwners, recordLoss, whyGivenUp } from './lost-tasks.js';
import { shortenLeases } from './task-leases.sql.js';
import type { CrawlLoad } from '../core/job/fair-scheduling.js';
import type { JobQueue, TaskMessage } from './job-queue.js';
import { ENDING, OPEN } from './states.sql.js';
import { type CounterGroups, type TaskOutcome, addCounters } from '../core/job/job-types.js';
import { type Claim, LeaseLost } from './claim.js';
import type { JobStore } from './job.store.js';
import { claimTask, dropObsolete, endTask, freeLost, giveUpTask, releaseTask } from './task-moves.sql.js';

/** Seconds for which a worker keeps a task after its last heartbeat. */
export const TASK_LEASE_S = leaseSeconds(process.env);
/** Seconds after which a waiting task is announced again, in case its message was lost. */
const ANNOUNCE_AGAIN_S = 10;
/** Waiting tasks that one attempt at a claim tries: other workers may be faster. */
const MAX_CANDIDATES = 8;

/** How much a task of a FETCH has left to fetch: with `none` no request is open either. */
export type Backlog = 'enough' | 'low' | 'none';

/** A task waits, and not only for the next free slot. */
const hasWaited = fragment`task.state = 'WAITING' and task.waiting_since < now() - interval '1 second'`;

export class TaskStore {
  constructor(
    private readonly pool: Pool,
    private readonly queue: JobQueue,
    private readonly jobs: JobStore,
  ) {}

  /**
   * Claims the first waiting task: one of a job that is stopping, else one of the crawl with the smallest load, among
   * them the one that has waited longest. A message is only a hint at one task; if the load of its crawl is as small as any
   * other, its own task goes first, so that workers that take messages at the same time do not compete.
   */
  async claimNext(ticket: TaskMessage, owner: string): Promise<Claim | undefined> {
    const candidates = await rows<TaskMessage>(this.pool)`
      with busy as (
        select job.crawl, count(*) as n from job_task task join job on job.id = task.job where task.state = 'RUNNING' and not task.idle
         group by job.crawl)
      select task.job, task.id as task
        from job_task task join job on job.id = task.job left join busy on busy.crawl = job.crawl
       where task.state = 'WAITING' and job.paused_at is null and job.state in ${OPEN}
       order by job.state not in ${ENDING}, coalesce(busy.n, 0), task.id <> ${ticket.task}::bigint, task.waiting_since, task.id limit ${MAX_CANDIDATES}`;
    for (const candidate of candidates) {
      const claim = await this.claim(candidate, owner);
      if (claim) return claim;
    }
    return undefined;
  }

  /**
   * How many tasks of each crawl are running, and which crawls wait. Idle tasks are not counted: they wait for a lock, or for
   * pages to fetch.
   */
  loads(): Promise<CrawlLoad[]> {
    return rows<CrawlLoad>(this.pool)`
      select job.crawl, count(*) filter (where task.state = 'RUNNING' and not task.idle)::int as running,
             bool_or(${hasWaited} and job.paused_at is null and job.state in ${OPEN}) as waits,
             bool_or(${hasWaited} and job.state in ${ENDING}) as ends
        from job_task task join job on job.id = task.job
       where task.state <> 'DONE' group by job.crawl order by job.crawl`;
  }

  /** Claims a waiting task of a job that may run, and moves the job out of IDLE. Undefined if it is not available. */
  async claim(message: TaskMessage, owner: string): Promise<Claim | undefined> {
    const claimed = await transaction(this.pool, async (tx) => {
      const job = await row<{ paused: boolean }>(
        tx,
      )`select paused_at is not null as paused from job where id = ${message.job} for no key update`;
      if (!job || job.paused) return undefined;
      await this.jobs.move(tx, message.job, 'RUNNING', { msg: 'OK', from: ['IDLE'] });
      const claim = await claimTask(tx, message, { owner, seconds: TASK_LEASE_S });
      if (claim)
        await logEvent(tx, claim.job, 'task', { part: claim.part, state: 'RUNNING', owner, token: claim.token });
      await faultPoint('task.beforeClaim', tx);
      return claim;
    });
    await faultPoint('task.claimed');
    return claimed;
  }

  /** Inserts tasks for the partitions 1 to `parts` - 1 of a job and announces them; existing partitions stay. */
  async split(tx: Sql, job: string, parts: number): Promise<void> {
    const tasks = await rows<TaskMessage>(tx)`
      insert into job_task (job, part) select ${job}, part from generate_series(1, ${parts - 1}::int) part
      on conflict (job, part) do nothing returning job, id as task`;
    await this.queue.send(tx, tasks);
  }

  /**
   * Inserts one more task for a job, which begins with the progress of another and its counts of crashed workers, and
   * announces it; an existing partition stays as it is.
   */
  async addPartition(
    tx: Sql,
    job: string,
    { part, progress, deaths }: { part: number; progress: object; deaths: Claim['deaths'] },
  ): Promise<void> {
    const tasks = await rows<TaskMessage>(tx)`
      insert into job_task (job, part, progress, deaths) values (${job}, ${part}, ${progress}, ${deaths})
      on conflict (job, part) do nothing returning job, id as task`;
    await this.queue.send(tx, tasks);
  }

  /**
   * Locks the claimed task for the current transaction, or throws LeaseLost. Returns its count of writes. FOR KEY SHARE,
   * with the token in a key: nobody can hand the task on meanwhile, but heartbeats (of all tasks of the process) pass
   * however long the transaction takes.
   */
  async lock(tx: Sql, claim: Claim): Promise<number> {
    const locked = await row<{ writes: number }>(prepared(tx))`
      select writes from job_task where id = ${claim.task} and token = ${claim.token} and state = 'RUNNING' for key share`;
    if (!locked) throw new LeaseLost(claim);
    return locked.writes;
  }

  /**
   * Waits until no transaction writes to the task: a COMMIT whose connection broke may still be running in PostgreSQL. Call
   * it before a write is tried again, as a statement of its own, since `lock` does not wait for it and would see the task as
   * it was before.
   */
  async awaitWrites(claim: Claim): Promise<void> {
    await this.pool.query(sql`select from job_task where id = ${claim.task} for no key update`);
  }

  /** Records a write of the locked task: its counters and its progress. */
  async wrote(tx: Sql, claim: Claim, counters: CounterGroups, progress: Record<string, unknown> | null): Promise<void> {
    await prepared(tx).query(sql`
      update job_task set writes = writes + 1, lost = 0, killed = 0, counters = ${counters}, progress = ${progress}
       where id = ${claim.task}`);
  }

  /**
   * A task only waits for a lock: its slot is free for another task. A waiting task cannot crash its worker: the attempts
   * lost so far do not count.
   */
  async setIdle(claim: Claim): Promise<void> {
    await this.pool.query(
      sql`update job_task set idle = true, lost = 0, killed = 0 where id = ${claim.task} and token = ${claim.token}`,
    );
  }

  /**
   * Reports how much a task of a FETCH has left to fetch (`Backlog`), and lets its crawl take its next step. One transaction.
   *
   * The next step depends on what happened later: so a report is later than the last batch that its task has taken, and than
   * each UPDATEDB so far, even if the clock of the database was set back.
   */
  async reportBacklog(
    claim: Claim,
    backlog: Backlog,
    { id, last = null }: { id: string; last?: number | null | undefined },
  ): Promise<void> {
    await transaction(this.pool, async (tx) => {
      const isDry = backlog === 'none';
      const written = await count(tx)`
        with report as (
          select greatest(now(), (select ended_at from job where number = ${last}::bigint) + interval '1 ms',
                          (select created_at from job where parent = ${id} and type = 'UPDATEDB' order by number desc limit 1)
                          + interval '1 ms') as at)
        update job_task
           set low_since = case when ${backlog === 'enough'}::boolean then low_since else report.at end, idle = ${isDry},
               dry_since = case when ${isDry}::boolean then coalesce(dry_since, report.at) end,
               lost = case when ${isDry}::boolean then 0 else lost end, killed = case when ${isDry}::boolean then 0 else killed end
          from report
         where id = ${claim.task} and token = ${claim.token} and state = 'RUNNING'`;
      if (written > 0 && backlog !== 'enough') await this.jobs.advance(tx, id);
      await faultPoint('task.backlog', tx);
    });
  }

  /** Lets a crawl take its next step, if one is due. */
  advanceCrawl(id: string): Promise<void> {
    return transaction(this.pool, (tx) => this.jobs.advance(tx, id));
  }

  /** The task has its lock: it uses a slot again. */
  async setBusy(claim: Claim): Promise<void> {
    await this.pool.query(sql`update job_task set idle = false where id = ${claim.task} and token = ${claim.token}`);
  }

  /** The task is done; the job ends with it if it was the last. One transaction. @param counters to be added */
  async finish(claim: Claim, outcome: TaskOutcome, counters?: CounterGroups): Promise<void> {
    await faultPoint('task.beforeFinish');
    await transaction(this.pool, async (tx) => {
      const sum = await this.lockedCounters(tx, claim, counters);
      await endTask(tx, claim.task, outcome, sum);
      await logEvent(tx, claim.job, 'task', { part: claim.part, state: 'DONE', reason: outcome.reason });
      await this.jobs.endIfDone(tx, claim.job);
      await faultPoint('task.finishing', tx);
    });
    await faultPoint('task.finished');
  }

  /** Counters of a locked task, plus `more`. */
  private async lockedCounters(tx: Sql, claim: Claim, more: CounterGroups = {}): Promise<CounterGroups> {
    const locked = await row<{ counters: CounterGroups }>(tx)`
      select counters from job_task
       where id = ${claim.task} and token = ${claim.token} and state = 'RUNNING' for no key update`;
    if (!locked) throw new LeaseLost(claim);
    return addCounters(locked.counters, more);
  }

  /** The task failed for good, and its job with it. @param more.counters to be added */
  fail(
    claim: Claim,
    msg: string,
    { counters, failure = 'UNEXPECTED' }: { counters?: CounterGroups | undefined; failure?: FailureCode } = {},
  ): Promise<void> {
    return transaction(this.pool, async (tx) => {
      const sum = await this.lockedCounters(tx, claim, counters);
      await endTask(tx, claim.task, { reason: 'failed' }, sum);
      await faultPoint('task.failing', tx);
      await logEvent(tx, claim.job, 'task', { part: claim.part, state: 'DONE', reason: 'failed', msg });
      if (!(await this.jobs.fail(tx, claim.job, msg, failure))) await this.jobs.endIfDone(tx, claim.job);
    });
  }

  /**
   * Releases a task at shutdown, for a pause, or after the database was unavailable: another worker may claim it at once, and it
   * does not count as lost.
   * @param counts counted like an attempt that ended with its server: the task might be what crashes the database
   */
  async release(claim: Claim, { counts = false } = {}): Promise<void> {
    await transaction(this.pool, async (tx) => {
      const released = await releaseTask(tx, claim, counts);
      const why = released ? whyGivenUp({ ...released, givenUp: 0, deadly: null }) : null;
      if (released && why !== null) await this.giveUp(tx, released, why);
      else if (released) await this.queue.send(tx, [{ job: released.job, task: released.task }]);
      await faultPoint('task.releasing', tx);
    });
    await faultPoint('task.released');
  }

  /**
   * Frees the tasks of workers whose heartbeats stopped, and of those known to be dead; fails those lost too often. A task
   * that is locked by a write is left for the next call.
   */
  async rescue(dead: DeadOwners = {}): Promise<number> {
    const rescued = await transaction(this.pool, async (tx) => {
      await shortenLeases(tx, TASK_LEASE_S);
      const lost = await freeLost(tx, dead);
      for (const task of lost) {
        await recordLoss(tx, task);
        const why = whyGivenUp(task);
        if (why !== null) await this.giveUp(tx, task, why);
      }
      for (const job of await dropObsolete(tx)) await this.jobs.endIfDone(tx, job);
      const silent = await rows<TaskMessage>(tx)`
        update job_task set queued_at = now()
         where id in (select task.id from job_task task join job on job.id = task.job
                       where task.state = 'WAITING'
                         -- One from the future was announced by a clock that was ahead: no worker receives it until then.
                         and task.queued_at not between now() - make_interval(secs => ${ANNOUNCE_AGAIN_S})
                                                 and now() + make_interval(secs => ${ANNOUNCE_AGAIN_S})
                         and job.state in ${OPEN} and job.paused_at is null
                       order by task.id for update of task skip locked)
        returning job, id as task`;
      await this.queue.dropEarly(tx, silent, ANNOUNCE_AGAIN_S);
      await this.queue.send(tx, [...lost.map(({ job, task }) => ({ job, task })), ...silent]);
      await faultPoint('task.rescuing', tx);
      return lost.length;
    });
    await faultPoint('task.rescued');
    return rescued;
  }

  /** The processes that have claimed tasks; the caller knows which of those of its machine are alive. */
  async owners(): Promise<string[]> {
    const locked = await rows<{ owner: string }>(
      this.pool,
    )`select distinct owner from job_task where state = 'RUNNING'`;
    return locked.map(({ owner }) => owner);
  }

  private async giveUp(tx: Sql, task: TaskMessage, why: string): Promise<void> {
    const job = await giveUpTask(tx, task.task);
    const msg = `ERROR: ${job!.type}: task ${task.task} ${why}`;
    if (!(await this.jobs.fail(tx, task.job, msg, 'GIVEN_UP'))) await this.jobs.endIfDone(tx, task.job);
  }
}
