/**
 * Claims tasks from the queue and runs them, several at once in this process.
 *
 * A message wakes it (LISTEN), with a poll each second as fallback. A task that only waits for a lock yields its slot
 * to another. Events from outside reach running tasks in two ways, both through the task's two signals:
 * the job's state (stop, abort, failed by another task) and the lease (lost to another worker).
 */
import type { OwnPort } from '../core/address/own-ports.js';
import { setImmediate as nextIteration, setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { isTransient, isUpToOthers } from '../db/transient.js';
import { logEvent } from '../job/job-event.store.js';
import type { JobQueue } from '../job/job-queue.js';
import type { StepType } from '../core/job/job-types.js';
import type { JobRow } from '../job/job-row.js';
import type { JobStore } from '../job/job.store.js';
import type { JobState } from '../core/job/job-states.js';
import { type Claim, LeaseLost } from '../job/claim.js';
import type { TaskStore } from '../job/task.store.js';
import { taskToYield } from '../core/job/fair-scheduling.js';
import { countWorkers } from '../job/worker.store.js';
import type { ConfStore } from '../conf/conf.store.js';
import { readArgs } from '../cycle/args.js';
import type { StepEnd } from '../cycle/step.js';
import { type StepOf, steps } from '../cycle/steps.js';
import { keepStatistics } from '../webpage/planner-statistics.sql.js';
import { failureCode, failureText } from './failure-text.js';
import { StaleState, TaskRun } from './task-run.js';
import type { CrashMarker } from './crash-marker.js';
import type { Heartbeat, Lease } from './heartbeat-client.js';
import { StrayRejection, catchingStrays, outside } from './stray-rejections.js';

/** Default number of running tasks in one process. Fetching is mostly waiting: a core serves many. */
export const SLOTS = 10;
/** Pause of a busy process before it takes a further task, for each running one, up to so many. */
const PAUSE_PER_TASK_MS = 25;
const MAX_BUSY = 10;
/** Retries of the statement that ends a task, and the pause between two of them: a minute in total. */
const MAX_END_RETRIES = 30;
const END_RETRY_MS = 2_000;
/** Between two entries of the counters of a running task in the log of its job. */
const PROGRESS_MS = 1_000;
/** Between two looks whether all tasks have ended. */
const CLOSE_POLL_MS = 20;

export interface TaskRunnerOptions {
  pool: Pool;
  queue: JobQueue;
  jobs: JobStore;
  tasks: TaskStore;
  confs: ConfStore;
  stepOf: StepOf;
  heartbeat: Heartbeat;
  owner: string;
  /** Worker processes of this server. */
  workers: number;
  ownPorts: readonly OwnPort[];
  /** Folder in which index writers write. */
  indexDir?: string | undefined;
  log: Logger;
  /** Maximum number of running tasks. */
  slots?: number;
  /** Resident memory above which no task is claimed while another runs, bytes. */
  memoryBytes?: number;
  /** The crash marker of this process. */
  marker?: CrashMarker | undefined;
}

/** Number of pages that a task has visited, or read. */
const pagesOf = ({ job, counters }: TaskRun<object>): number =>
  Object.values(counters[job.type === 'PARSE' ? 'ParserStatus' : 'FetcherStatus'] ?? {}).reduce((sum, n) => sum + n, 0);

/** Fields of a log line about a task. */
const aboutOf = ({ job, task, part }: Claim) => ({ job, task, part });

interface RunningTask {
  run: TaskRun<object>;
  claim: Claim;
  /** The job is paused, or the task yields: it is released when its current pages are written. */
  toRelease: boolean;
  /** When it began, ms by the monotonic clock; plus the time it has waited for locks. */
  since: number;
  /** Since when it only waits for a lock. */
  idleSince: number | undefined;
  /** Its promises that were rejected and not awaited: the reason of the first, and how many. */
  stray: { readonly first: unknown; count: number } | undefined;
}

export class TaskRunner {
  /** Tasks claimed by this process, from the claim until their end is recorded. */
  private readonly claims = new Set<Claim>();
  private readonly running = new Map<Claim, RunningTask>();
  private waitingTasks = 0;
  private closing = false;
  /** Attempts whose lease has gone to another one: those that have not begun do not begin. */
  private readonly lost = new WeakSet<Claim>();
  private taking: Promise<void> | undefined;
  private wokenMeanwhile = false;
  private readonly slots: number;
  pages = 0;

  constructor(private readonly options: TaskRunnerOptions) {
    this.slots = options.slots ?? SLOTS;
  }

  /** Claims tasks from the queue while slots are free. Calls meanwhile lead to one more pass. */
  wake(): void {
    this.wokenMeanwhile = true;
    // A task that waits for its lock calls this too: tasks claimed then must not run in its context.
    this.taking ??= outside(() => this.takeAll().finally(() => (this.taking = undefined)));
  }

  private async takeAll(): Promise<void> {
    while (this.wokenMeanwhile && !this.closing) {
      this.wokenMeanwhile = false;
      try {
        while (!this.closing && this.hasFreeSlot() && (await this.takeOne()));
      } catch (error) {
        this.options.log.warn({ err: error }, 'cannot take a task; retrying in a second');
      }
    }
  }

  /** Tasks that do not only wait. */
  private get runningCount(): number {
    return this.claims.size - this.waitingTasks;
  }

  private hasFreeSlot(): boolean {
    const { runningCount } = this;
    if (runningCount >= this.slots) return false;
    return runningCount === 0 || process.memoryUsage.rss() < (this.options.memoryBytes ?? Infinity);
  }

  /** Number of INDEX tasks that run here; 0 if no FETCH that has work runs here. */
  private computingBesideFetch(): number {
    const types = [...this.running.values()].flatMap(({ run, idleSince }) =>
      idleSince === undefined ? [run.job.type] : [],
    );
    return types.includes('FETCH') ? types.filter((type) => type === 'INDEX').length : 0;
  }

  private async takeOne(): Promise<boolean> {
    // A busy process leaves the next task to an idle one, which may be notified late.
    if (this.runningCount > 0) await sleep(Math.min(this.runningCount, MAX_BUSY) * PAUSE_PER_TASK_MS);
    // A process that is ending must not claim again what it has just released.
    const message = this.closing ? undefined : await this.options.queue.take();
    if (!message) return false;
    const claim = await this.options.tasks.claimNext(message, this.options.owner);
    if (claim) this.start(claim);
    return true;
  }

  private start(claim: Claim): void {
    // A lease that expired here may be claimed here again: the older attempt has lost it, though it was not notified yet.
    for (const older of this.claims) if (older.task === claim.task) this.loseLease(older);
    this.claims.add(claim);
    void this.perform(claim)
      .catch((error: unknown) => this.options.log.error({ ...aboutOf(claim), err: error }, 'the end of a task failed'))
      .finally(() => {
        this.claims.delete(claim);
        this.running.delete(claim);
        this.options.heartbeat.remove(claim);
        this.wake();
      });
  }

  private async perform(claim: Claim): Promise<void> {
    const { options } = this;
    options.heartbeat.add(claim);
    let entry: RunningTask | undefined;
    let waiting = false;
    let reporter: { stop(): void } | undefined;
    const setWaiting = (now: boolean): void => {
      if (now !== waiting) this.waitingTasks += now ? 1 : -1;
      waiting = now;
      if (entry && now) entry.idleSince ??= performance.now();
      else if (entry?.idleSince !== undefined) {
        entry.since += performance.now() - entry.idleSince;
        entry.idleSince = undefined;
      }
      if (now) this.wake();
    };
    try {
      // A CRAWL has no tasks: a claimed job is a step.
      const job = (await options.jobs.find(claim.job)) as JobRow & { type: StepType };
      const conf = await options.confs.ofSnapshot(job.confHash);
      const args = await readArgs(steps[job.type].args, job.args);
      await keepStatistics(options.pool);
      const { processes, servers } = await countWorkers(options.pool);
      const counts = { workers: Math.max(options.workers, processes), servers };
      const isContinuous = job.parent !== null && (await options.jobs.find(job.parent))?.plan?.['continuous'] === true;
      // While the database was read, the lease may have expired and gone to another attempt.
      if (this.lost.has(claim)) throw new LeaseLost(claim);
      const about = { ...counts, job, claim, conf, isContinuous };
      const run = new TaskRun(
        { ...options, ...about, onWaiting: setWaiting, besideFetch: () => this.computingBesideFetch() },
        args,
      );
      entry = { run, claim, toRelease: false, since: performance.now(), idleSince: undefined, stray: undefined };
      this.running.set(claim, entry);
      options.log.info({ ...aboutOf(claim), type: job.type, attempt: claim.token }, 'task begins');
      if (this.closing) run.stop.abort();
      this.applyState(entry, job);
      reporter = this.reportProgress(run, claim);
      const step = options.stepOf(job.type);
      await this.end(claim, await this.withStrayRejections(entry, () => step.run(run).finally(() => run.close())));
    } catch (error) {
      await this.endFailed(claim, error, entry);
    } finally {
      reporter?.stop();
      setWaiting(false);
    }
  }

  /** Runs a step. If a promise of it is rejected and not awaited, the step is aborted and fails with that. */
  private async withStrayRejections(entry: RunningTask, step: () => Promise<StepEnd>): Promise<StepEnd> {
    const { run, claim } = entry;
    let over = false;
    const onStray = (reason: unknown): void => {
      this.options.log.error({ ...aboutOf(claim), err: reason }, 'unhandled rejection');
      if (over || (run.aborted.aborted && !entry.stray)) return;
      entry.stray ??= { first: reason, count: 0 };
      entry.stray.count++;
      run.stop.abort();
      run.abort.abort();
    };
    const ended = await catchingStrays(onStray, step).catch((error: unknown) => {
      // An error that the step itself has thrown later is no stray rejection.
      if (!entry.stray || entry.stray.first === error || error instanceof LeaseLost) throw error;
      this.options.log.warn({ ...aboutOf(claim), err: error }, 'the step failed again after an unhandled rejection');
    });
    // Node reports the last rejections at the end of this tick.
    await nextIteration();
    over = true;
    if (!entry.stray) return ended!;
    const { first } = entry.stray;
    throw first instanceof LeaseLost ? first : new StrayRejection(first);
  }

  private async end(claim: Claim, { left, ...outcome }: StepEnd): Promise<void> {
    const toRelease = this.closing || this.running.get(claim)?.toRelease;
    if (toRelease && outcome.reason === 'stopped' && !(await this.isStopping(claim.job))) {
      await this.options.tasks.release(claim);
    } else {
      const counters = await left?.();
      await this.retrying(claim, () => this.options.tasks.finish(claim, outcome, counters));
    }
    this.options.log.info({ ...aboutOf(claim), reason: outcome.reason }, 'task ends');
  }

  private async isStopping(job: string): Promise<boolean> {
    return (await this.options.jobs.find(job))?.state !== 'RUNNING';
  }

  private async endFailed(claim: Claim, error: unknown, entry: RunningTask | undefined): Promise<void> {
    const about = aboutOf(claim);
    const strays = entry?.stray?.count ?? 0;
    const aborted = strays === 0 && entry?.run.aborted.aborted === true;
    if (error instanceof StaleState) {
      this.options.log.warn(about, 'the state of the task is stale: it is released');
      await this.retrying(claim, () => this.options.tasks.release(claim, { counts: true }));
    } else if (error instanceof LeaseLost) {
      this.options.log.warn(about, 'lease lost: another worker carries on');
    } else if (aborted) {
      if (this.closing && !(await this.isStopping(claim.job))) await this.options.tasks.release(claim);
      else await this.retrying(claim, () => this.options.tasks.finish(claim, { reason: 'stopped' }));
    } else if (!(error instanceof StrayRejection) && isTransient(error)) {
      // Not the fault of the job: the task continues from its last write. Should it crash the database, it is given up in the
      // end.
      this.options.log.warn({ ...about, err: error }, 'the database was unavailable: the task is released');
      await this.retrying(claim, () => this.options.tasks.release(claim, { counts: !isUpToOthers(error) }));
    } else {
      this.options.log.error({ ...about, err: error }, 'task failed');
      const counters = strays > 0 ? { Task: { unhandled_rejections: strays } } : undefined;
      await this.retrying(claim, async () => {
        const job = (await this.options.jobs.find(claim.job))!;
        await this.options.tasks.fail(claim, failureText(job, claim.part, error), { counters, ...failureCode(error) });
      });
    }
  }

  /** The end of a task is worth waiting for the database: it is retried for some time, then the lease expires. */
  private async retrying(claim: Claim, last: () => Promise<void>): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await last();
      } catch (error) {
        if (error instanceof LeaseLost || attempt >= MAX_END_RETRIES) throw error;
        this.options.log.warn({ err: error, job: claim.job }, 'cannot record the end of a task; retrying');
        await sleep(END_RETRY_MS);
      }
    }
  }

  /** At intervals, the counters of a running task are written to the log of its job if they have changed. */
  private reportProgress(run: TaskRun<object>, claim: Claim): { stop(): void } {
    let reported = '';
    let pages = pagesOf(run);
    const timer = setInterval(() => {
      this.pages += pagesOf(run) - pages;
      pages = pagesOf(run);
      const now = JSON.stringify(run.counters);
      if (now === reported) return;
      reported = now;
      logEvent(this.options.pool, claim.job, 'progress', { part: claim.part, counters: run.counters }).catch(
        () => undefined,
      );
    }, PROGRESS_MS);
    return { stop: () => clearInterval(timer) };
  }

  /** Reads the states of the jobs that run here, and applies them to their tasks. */
  async checkStates(): Promise<void> {
    // Tasks that begin while the states are read are left for the next call: their states are missing.
    const entries = [...this.running.values()];
    const jobs = [...new Set(entries.map(({ claim }) => claim.job))];
    if (jobs.length === 0) return;
    const states = await this.options.jobs.statesOf(jobs);
    const byId = new Map(states.map((job) => [job.id, job]));
    for (const entry of entries) {
      this.applyState(entry, byId.get(entry.claim.job) ?? { state: 'KILLED', pausedAt: null });
    }
  }

  private applyState(entry: RunningTask, { state, pausedAt }: { state: JobState; pausedAt: Date | null }): void {
    const { run } = entry;
    if (state === 'RUNNING' && pausedAt === null) return;
    entry.toRelease ||= pausedAt !== null;
    run.stop.abort();
    if (state === 'RUNNING') return;
    if (state !== 'STOPPING') run.abort.abort();
  }

  /**
   * When all slots are in use, a task yields to a crawl that waits (fair-scheduling.ts). All workers check this; so that
   * they do not all yield to the same crawl, one of them on average acts.
   */
  async yieldSlot(): Promise<void> {
    if (this.closing || this.hasFreeSlot()) return;
    if (Math.random() * this.options.workers >= 1) return;
    const now = performance.now();
    const tasks = [...this.running.values()]
      // A task that waits for a lock uses no slot.
      .filter(({ run, idleSince }) => idleSince === undefined && !run.stopping.aborted)
      .map((entry) => ({
        entry,
        crawl: entry.run.job.crawl,
        ms: now - entry.since,
        // The final part of UPDATEDB, over the whole table, would begin again.
        mayPause: entry.run.job.type !== 'UPDATEDB',
        hostWaitMs: entry.run.hostWaitMs,
      }));
    const yielding = taskToYield(await this.options.tasks.loads(), tasks);
    if (yielding === undefined) return;
    yielding.entry.toRelease = true;
    yielding.entry.run.stop.abort();
  }

  /** Called by the heartbeat: this attempt at a task has ended, its lease has gone to another one. */
  loseLease({ task, token }: Lease): void {
    for (const claim of this.claims) {
      if (claim.task !== task || claim.token !== token) continue;
      this.lost.add(claim);
      const run = this.running.get(claim)?.run;
      run?.stop.abort();
      run?.abort.abort();
    }
  }

  /** Number of claimed tasks (for tests). */
  get busy(): number {
    return this.claims.size;
  }

  /** Whether it claims no more tasks. */
  get leaving(): boolean {
    return this.closing;
  }

  /** Claims no more tasks; running ones write their current pages, or are aborted after `graceMs`. */
  async close(graceMs: number): Promise<void> {
    this.closing = true;
    this.running.forEach(({ run }) => run.stop.abort());
    const cut = setTimeout(() => this.running.forEach(({ run }) => run.abort.abort()), graceMs);
    await this.taking?.catch(() => undefined);
    while (this.claims.size > 0) await sleep(CLOSE_POLL_MS);
    clearTimeout(cut);
  }
}
