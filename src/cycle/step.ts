/**
 * What a crawl job may do with the world: the interface between the cycle, which decides what happens to pages, and the
 * worker, which holds the lease. A step reads its batch, decides in pure code and writes its batch through `write`,
 * where the data, the marks that vouch for it and the job's counters change together or not at all.
 */
import type { OwnPort } from '../net/own-ports.js';
import type { Pool } from 'pg';
import type { Sql } from '../db/sql.js';
import type { Conf } from '../conf/properties.js';
import type { FailureCode } from '../job/failure-codes.js';
import type { CounterGroups, JobType, TaskOutcome } from '../job/job-row.js';
import type { OpenBatches } from '../job/job.store.js';
import type { TaskWait } from '../job/task-wait.js';
import type { Backlog } from '../job/task.store.js';

/** Adds `n` to a counter of the job (`FetcherStatus`, `SUCCESS`). It counts when the transaction commits. */
export type Count = (group: string, name: string, n?: number) => void;

/** Writes to the log what a step makes of the page with this row key. */
export type Trace = (key: string, datum: Readonly<Record<string, unknown>>) => void;

/** What a later attempt at a task needs to go on. */
export type Progress = Record<string, unknown>;

/** What a task waits for, as clients see it. */
export type Wait = TaskWait;

export interface Run<A extends object = object> {
  readonly job: { id: string; type: JobType; crawl: number; crawlId: string; startedAt: Date };
  /** The task and this attempt at it, `task <id>#<token>`: what it holds for a while outside of the task's own rows has this name. */
  readonly task: string;
  /** Which part of the job this task is, from 0. */
  readonly part: number;
  readonly args: A;
  readonly conf: Conf;
  /** For reading. Every write goes through `write`. */
  readonly pool: Pool;
  /**
   * For single statements amid work that must not be lost: they are tried again as `write` is. One whose answer was lost may be
   * done twice.
   */
  readonly retrying: Sql;
  /** How many worker processes share the work, on all machines: a good number of parts. */
  readonly workers: number;
  /** To how many servers they belong: each brings its own threads (`fetcher.threads.fetch`). */
  readonly servers: number;
  /** Where this server and its database listen: no fetch may reach it. */
  readonly ownPorts: readonly OwnPort[];
  /** Folder below which writers of files write; undefined: there is none. */
  readonly indexDir?: string | undefined;
  /** How far an earlier attempt of this task came, as given to `write`. */
  readonly progress: Progress | null;
  /** Fires when the job is asked to stop, or the worker shuts down: begin nothing new. */
  readonly stopping: AbortSignal;
  /** Fires when the job is aborted or the lease is lost: cut everything. */
  readonly aborted: AbortSignal;

  /**
   * The plan that all parts and all attempts of the job share: `make` is called once, by part 0, and its answer kept.
   * `parts` of it says into how many tasks the job is split. Null: there is none, because the job was stopped meanwhile.
   */
  plan<P extends { parts: number }>(make: () => Promise<P | null>): Promise<P | null>;

  /** Makes one more task of this job, which begins with `progress`. In a transaction of `write`. */
  addPartition(tx: Sql, part: number, progress: Progress): Promise<void>;

  /** Waits for the lock of this crawl and `what`; returns false when the job was stopped meanwhile. */
  lock(what: string): Promise<boolean>;

  /**
   * One fenced transaction, retried as a whole when PostgreSQL asks for it: it commits only while this worker holds
   * the task. `progress` is what a later attempt needs to go on from here, or makes it from the answer of `work`.
   * @throws LeaseLost when the task was handed to another worker
   */
  write<T>(work: (tx: Sql, count: Count) => Promise<T>, progress?: Progress | ((result: T) => Progress)): Promise<T>;

  /**
   * Does, up to its first wait, what the content of a page may make the end of this process: who takes the task up then knows
   * the page.
   * @returns undefined when the page has ended so many processes that it is given up (`GIVEN_UP`)
   */
  atRisk<T>(key: string, work: () => T): T | undefined;

  /**
   * There only when the log has level `debug`: callers write `run.trace?.(key, …)`, which builds nothing otherwise. What is
   * traced in a transaction that is tried again is written again.
   */
  readonly trace?: Trace | undefined;

  /** Writes into the job's `msg` what it is doing now. Nothing depends on it: a failed write is ignored. */
  report(message: string): Promise<void>;

  /** There only for a step of a CRAWL that keeps going. */
  readonly batches?: CrawlBatches | undefined;

  /** Says what this task waits for, for those who look at workers and hosts; null: for nothing. Nothing depends on it either. */
  waitsFor(wait: Wait | null): Promise<void>;

  /** Counters of the whole job so far, all its tasks, as committed. */
  totals(): Promise<CounterGroups>;

  /** Puts a warning into the job's event log. */
  warn(message: string, data?: Record<string, unknown>): Promise<void>;
}

/** The batches of a CRAWL that keeps going (job/continuous-rounds.ts). */
export interface CrawlBatches {
  /** Those that are open, oldest first, each with the pages that were selected for it; `closed`: no further ones come. */
  open(): Promise<OpenBatches>;
  /** Says how much this task has left to fetch; one that has nothing needs no slot. */
  report(backlog: Backlog): Promise<void>;
}

export interface StepEnd extends TaskOutcome {
  /** What it leaves undone, or found: counters that are asked for where the task ends, and not where it is handed back. */
  left?: () => Promise<CounterGroups>;
}

/** A crawl job: what it accepts, and what one task of it does. */
export interface Step<A extends object> {
  run(run: Run<A>): Promise<StepEnd>;
}

/** A failure that the user of the job can act on: the job's `msg` says it, behind the name of the step; its code says what to do (failure-codes.ts). */
export class StepError extends Error {
  constructor(
    message: string,
    readonly failure: FailureCode,
  ) {
    super(message);
  }
}
