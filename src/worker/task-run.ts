/** One attempt at one task: the worker's side of the cycle's `Run`. */
import type { TaskWait } from '../core/job/task-wait.js';
import type { OwnPort } from '../core/address/own-ports.js';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Conf } from '../core/conf/properties.js';
import { unreverseUrl } from '../core/url/row-key.js';
import { atPage } from '../cycle/page-error.js';
import type { Count, CrawlBatches, Progress, Run, Trace } from '../cycle/step.js';
import { type FaultPoint, faultPoint } from '../db/fault-point.js';
import { type Sql, storableStart, transaction } from '../db/sql.js';
import { failureWords, isTransient, isUpToOthers } from '../db/transient.js';
import { openAmong, openBatches } from '../job/crawl-batches.sql.js';
import { logEvent } from '../job/job-event.store.js';
import { type CounterGroups, type StepType, addCounters } from '../core/job/job-types.js';
import type { JobRow } from '../job/job-row.js';
import type { JobStore } from '../job/job.store.js';
import { MAX_LOST } from '../job/lost-tasks.js';
import { saveWait } from '../job/task-wait.sql.js';
import { type Claim, LeaseLost } from '../job/claim.js';
import type { TaskStore } from '../job/task.store.js';
import { ComputePauses } from './compute-pauses.js';
import type { CrashMarker } from './crash-marker.js';
import { STORED_LENGTHS } from '../core/page/stored-lengths.js';
import { growingPause } from '../core/queueing/growing-pause.js';

/** Milliseconds for which a transaction is retried after a failure of the database: restarts and failovers take minutes. */
const RETRY_MS = 900_000;
/** Milliseconds after which the job reports what it waits for: shorter waits are normal. */
const REPORT_AFTER_MS = 1_000;
/** Pauses between two checks whether a lock is free: they grow from the first to the longest. */
const FIRST_LOOK_MS = 200;
const LOOK_GROWTH_MS = 20;
const MAX_LOOK_MS = 1_000;
/** Pauses between two attempts at a transaction: they double, from the first to the longest. */
const RETRY_PAUSE = { firstMs: 20, maxMs: 2_000 };

type Work<T> = (tx: Sql, count: Count) => Promise<T>;

/** What an attempt at a write did, if it was committed. */
interface CommittedWrite<T> {
  result: T;
  counters: CounterGroups;
  progress: Progress | null;
}

/** The task is still ours, but its state in the database is not the one this attempt knows: another attempt begins from there. */
export class StaleState extends LeaseLost {}

export interface TaskRunOptions {
  pool: Pool;
  jobs: JobStore;
  tasks: TaskStore;
  job: JobRow;
  claim: Claim;
  conf: Conf;
  workers: number;
  /** Servers whose workers run partitions of the job; default one. */
  servers?: number;
  ownPorts: readonly OwnPort[];
  /** Folder in which index writers write; default none. */
  indexDir?: string | undefined;
  /** Whether the job is a step of a continuous CRAWL. */
  isContinuous?: boolean;
  /** Where the task traces what becomes of pages; default nowhere. */
  log?: Logger;
  /** The crash marker of the process; default none. */
  marker?: CrashMarker | undefined;
  /** How many tasks of the process compute beside a FETCH of it, this one included; 0: no FETCH runs in it. Default 0. */
  besideFetch?: () => number;
  /** Called while the task only waits, so that another task can use its slot. */
  onWaiting: (waiting: boolean) => void;
}

/** One line a page: job, task, URL, and the page as the step leaves it. The log level is checked once. */
function traceOf({ log, job, claim }: TaskRunOptions): Trace | undefined {
  if (!log?.isLevelEnabled('debug')) return undefined;
  const about = log.child({ job: job.id, task: claim.task });
  return (key, datum) => about.debug({ url: unreverseUrl(key), datum }, job.type);
}

/** For a step of a continuous CRAWL: the batches of the CRAWL. */
function batchesOfCrawl({
  pool,
  tasks,
  job,
  claim,
  isContinuous,
  onWaiting,
}: TaskRunOptions): CrawlBatches | undefined {
  const { id, parent } = job;
  if (parent === null || !isContinuous) return undefined;
  return {
    open: (after) => openBatches(pool, { crawl: parent, id, after }),
    among: (batches) => openAmong(pool, parent, batches),
    async report(backlog, last) {
      await tasks.reportBacklog(claim, backlog, { id: parent, last });
      onWaiting(backlog === 'none');
    },
    advance: () => tasks.advanceCrawl(parent),
  };
}

export class TaskRun<A extends object> implements Run<A> {
  readonly job: Run['job'];
  readonly part: number;
  readonly conf: Conf;
  readonly pool: Pool;
  readonly retrying: Sql;
  readonly workers: number;
  readonly servers: number;
  readonly ownPorts: readonly OwnPort[];
  readonly indexDir: string | undefined;
  readonly task: string;
  readonly trace: Trace | undefined;
  readonly batches: CrawlBatches | undefined;
  readonly stop = new AbortController();
  readonly abort = new AbortController();
  /** Counters of this task, all attempts, as committed. */
  counters: CounterGroups;
  progress: Progress | null;
  private writes: number;
  /** What the step waits for, and the database; stored is the latter, if there is one. */
  private stepWait: TaskWait | null = null;
  private databaseWait: TaskWait | null = null;
  private storedWait: TaskWait | null | undefined = null;
  private writing: Promise<unknown> = Promise.resolve();
  private ended = false;
  private readonly pauses: ComputePauses;

  constructor(
    private readonly options: TaskRunOptions,
    readonly args: A,
  ) {
    const { job, claim } = options;
    this.job = {
      id: job.id,
      type: job.type,
      crawl: job.crawl,
      crawlId: job.crawlId,
      startedAt: job.startedAt ?? new Date(),
    };
    this.part = claim.part;
    this.conf = options.conf;
    this.pool = options.pool;
    this.retrying = { query: (statement) => this.retried(() => this.pool.query(statement)) };
    this.workers = options.workers;
    this.servers = options.servers ?? 1;
    this.ownPorts = options.ownPorts;
    this.indexDir = options.indexDir;
    this.task = `task ${claim.task}#${claim.token}`;
    this.trace = traceOf(options);
    this.batches = batchesOfCrawl(options);
    this.pauses = new ComputePauses(options.besideFetch ?? (() => 0));
    this.counters = claim.counters;
    this.progress = claim.progress;
    this.writes = claim.writes;
  }

  get stopping(): AbortSignal {
    return this.stop.signal;
  }

  get aborted(): AbortSignal {
    return this.abort.signal;
  }

  /** The step has ended. If it threw, it may have begun a write: that ends first, so that no row changes after the job failed. */
  async close(): Promise<void> {
    this.ended = true;
    await this.writing;
  }

  async plan<P extends { parts: number }>(make: () => Promise<P | null>): Promise<P | null> {
    const kept = this.options.job.plan as P | null;
    if (kept) return kept;
    const plan = await make();
    if (plan === null) return null;
    return this.write(async (tx) => {
      const saved = await this.options.jobs.savePlan(tx, this.job.id, plan);
      await this.options.tasks.split(tx, this.job.id, saved.parts);
      return saved;
    });
  }

  addPartition(tx: Sql, part: number, progress: Progress): Promise<void> {
    return this.options.tasks.addPartition(tx, this.job.id, { part, progress, deaths: this.options.claim.deaths });
  }

  async lock(lockName: string): Promise<boolean> {
    const key = `${this.job.crawl}/${lockName}`;
    const since = new Date().toISOString();
    for (let waits = 0; !this.stopping.aborted && !this.aborted.aborted; waits++) {
      const holder = await this.options.jobs.lock(this.job.id, key);
      if (holder === null) {
        if (waits > 0) {
          this.options.onWaiting(false);
          await this.options.tasks.setBusy(this.options.claim);
          await this.waitsFor(null);
        }
        await this.options.jobs.setMessage(this.job.id, 'OK');
        return true;
      }
      if (waits === 0) {
        this.options.onWaiting(true);
        await this.options.tasks.setIdle(this.options.claim);
      }
      const words = `${holder}, which holds ${lockName} of this crawl`;
      await this.options.jobs.setMessage(this.job.id, `OK: waiting for ${words}`);
      await this.waitsFor({ for: 'job', what: words, url: null, pages: null, since });
      await sleep(Math.min(MAX_LOOK_MS, FIRST_LOOK_MS + LOOK_GROWTH_MS * waits));
    }
    return false;
  }

  /** Writes run one after another: each needs the counters that the one before it committed. */
  write<T>(work: Work<T>, progress?: Progress | ((result: T) => Progress)): Promise<T> {
    const next = this.writing.then(() => {
      if (this.ended) throw new LeaseLost(this.options.claim);
      return this.writeNow(work, progress);
    });
    this.writing = next.catch(() => undefined);
    return next;
  }

  private async writeNow<T>(work: Work<T>, progress: Progress | ((result: T) => Progress) | undefined): Promise<T> {
    const tried: CommittedWrite<T>[] = [];
    await this.retried(async () => {
      if (tried.length > 0) await this.options.tasks.awaitWrites(this.options.claim);
      await transaction(this.pool, (tx) => this.writeIn(tx, work, { progress, tried }));
      await faultPoint(this.faultAt('afterCommit'));
    });
    const { result, counters, progress: next } = tried.at(-1)!;
    this.writes++;
    this.counters = counters;
    this.progress = next;
    return result;
  }

  /** Retries after failures of the database, and reports what it waits for. */
  private async retried<T>(work: () => Promise<T>): Promise<T> {
    const begun = performance.now();
    let since: string | undefined;
    for (let attempt = 0; ; attempt++) {
      try {
        const result = await work();
        if (since !== undefined) void this.waitsForDatabase(null);
        return result;
      } catch (error) {
        const waited = performance.now() - begun;
        const retrying = isUpToOthers(error) || waited < RETRY_MS;
        if (!isTransient(error) || !retrying || this.aborted.aborted) throw error;
        if (waited > REPORT_AFTER_MS) {
          since ??= new Date(Date.now() - waited).toISOString();
          const what = `the database (${storableStart(failureWords(error), STORED_LENGTHS.error)})`;
          void this.waitsForDatabase({ for: 'database', what, url: null, pages: null, since });
        }
        await sleep(growingPause(attempt, RETRY_PAUSE, Math.random()));
      }
    }
  }

  /**
   * One attempt. A COMMIT whose answer was lost may have succeeded: the count of writes shows it, and then nothing is left to
   * do.
   */
  private async writeIn<T>(
    tx: Sql,
    work: Work<T>,
    { progress, tried }: { progress: Progress | ((result: T) => Progress) | undefined; tried: CommittedWrite<T>[] },
  ): Promise<void> {
    const { tasks, claim } = this.options;
    const writes = await tasks.lock(tx, claim);
    if (writes > this.writes && tried.length > 0) return;
    // An earlier write was abandoned although it had been committed, or (a failover to a replica that lagged behind)
    // the database has lost one: this attempt does not know the present state of the task.
    if (writes !== this.writes) throw new StaleState(claim);
    await faultPoint(this.faultAt('locked'), tx);
    const counters = structuredClone(this.counters);
    const result = await work(tx, (group, name, n = 1) => void addCounters(counters, { [group]: { [name]: n } }));
    const next = typeof progress === 'function' ? progress(result) : (progress ?? this.progress);
    await tasks.wrote(tx, claim, counters, next);
    tried.push({ result, counters, progress: next });
    await faultPoint(this.faultAt('beforeCommit'), tx);
  }

  /**
   * The fault point of a write of this step, such as `fetch.beforeCommit`: there tests kill the process or cut the
   * connection, and check whether the next attempt loses a page or writes one twice. READDB writes nothing and has none.
   */
  private faultAt(point: 'locked' | 'beforeCommit' | 'afterCommit'): FaultPoint {
    return `${this.job.type.toLowerCase() as Lowercase<Exclude<StepType, 'READDB'>>}.${point}`;
  }

  atRisk<T>(key: string, work: () => T): T | undefined {
    const { claim, marker } = this.options;
    if ((claim.deaths[key] ?? 0) >= MAX_LOST) return undefined;
    return atPage(key, () => (marker ? marker.during({ task: claim.task, token: claim.token, key }, work) : work()));
  }

  async report(message: string): Promise<void> {
    // Nothing that the step says meanwhile explains why it does not go on.
    if (this.databaseWait !== null) return;
    await this.options.jobs.setMessage(this.job.id, `OK: ${message}`).catch(() => undefined);
  }

  async waitsFor(wait: TaskWait | null): Promise<void> {
    this.stepWait = wait;
    await this.storeWait();
  }

  /** For how long it has sent no request because it waits for its hosts, ms. */
  get hostWaitMs(): number {
    const wait = this.stepWait;
    return wait?.for === 'host' ? Date.now() - Date.parse(wait.since) : 0;
  }

  private async waitsForDatabase(wait: TaskWait | null): Promise<void> {
    this.databaseWait = wait;
    const message = wait === null ? 'OK' : `OK: waiting for ${wait.what}`;
    await this.options.jobs.setMessage(this.job.id, message).catch(() => undefined);
    await this.storeWait();
  }

  private async storeWait(): Promise<void> {
    const wait = this.databaseWait ?? this.stepWait;
    if (JSON.stringify(wait) === JSON.stringify(this.storedWait)) return;
    this.storedWait = wait;
    await saveWait(this.pool, this.options.claim, wait && storableWait(wait)).catch(() => {
      // The next report stores it.
      this.storedWait = undefined;
    });
  }

  pause(): Promise<void> {
    return this.pauses.pause();
  }

  totals(): Promise<CounterGroups> {
    return this.options.jobs.counters(this.job.id);
  }

  async warn(message: string, data: Record<string, unknown> = {}): Promise<void> {
    await logEvent(this.pool, this.job.id, 'warning', {
      part: this.part,
      message: message.slice(0, STORED_LENGTHS.message),
      ...data,
    });
  }
}

/** URLs may be as long as a page likes. */
const storableWait = (wait: TaskWait): TaskWait => ({
  ...wait,
  url: wait.url && storableStart(wait.url, STORED_LENGTHS.url),
});
