/**
 * The interface between the cycle, which decides what happens to pages, and the worker, which has the lease: all that a
 * step can do. A step reads its batch, decides in pure code and writes its batch through `write`,
 * where the data, the marks that vouch for it and the job's counters change together or not at all.
 */
import type { OwnPort } from '../core/address/own-ports.js';
import type { Pool } from 'pg';
import type { Sql } from '../db/sql.js';
import type { Conf } from '../core/conf/properties.js';
import type { FailureCode } from '../core/job/failure-codes.js';
import type { CounterGroups, JobType, TaskOutcome } from '../core/job/job-types.js';
import type { OpenBatches } from '../job/crawl-batches.sql.js';
import type { TaskWait } from '../core/job/task-wait.js';
import type { Backlog } from '../job/task.store.js';

/** Adds `n` to a counter of the job (`FetcherStatus`, `SUCCESS`). It counts when the transaction commits. */
export type Count = (group: string, name: string, n?: number) => void;

/** Writes the page with this row key, as a step leaves it, to the log. */
export type Trace = (key: string, datum: Readonly<Record<string, unknown>>) => void;

/** What a later attempt at a task needs to continue. */
export type Progress = Record<string, unknown>;

export interface Run<A extends object = object> {
  readonly job: { id: string; type: JobType; crawl: number; crawlId: string; startedAt: Date };
  /** The task and this attempt at it, `task <id>#<token>`: the name under which it leases things outside of its own rows. */
  readonly task: string;
  /** Which partition of the job this task is, from 0. */
  readonly part: number;
  readonly args: A;
  readonly conf: Conf;
  /** For reading. All writes go through `write`. */
  readonly pool: Pool;
  /**
   * For single statements in the middle of work that must not be lost: they are retried like `write`. One whose answer was
   * lost may be executed twice.
   */
  readonly retrying: Sql;
  /** Number of worker processes, on all machines: a good number of partitions. */
  readonly workers: number;
  /** Number of servers that they belong to: each brings its own threads (`fetcher.threads.fetch`). */
  readonly servers: number;
  /** Ports on which this server and its database listen: no fetch may connect to them. */
  readonly ownPorts: readonly OwnPort[];
  /** Folder in which writers of files write; undefined: none. */
  readonly indexDir?: string | undefined;
  /** The progress of an earlier attempt at this task, as given to `write`. */
  readonly progress: Progress | null;
  /** Fires when the job is asked to stop, or the worker shuts down: begin nothing new. */
  readonly stopping: AbortSignal;
  /** Fires when the job is aborted or the lease is lost: cancel everything. */
  readonly aborted: AbortSignal;

  /**
   * The plan that all partitions and all attempts of the job use: `make` is called once, by partition 0, and its result is
   * stored. Its `parts` is the number of tasks of the job. Null: there is none, because the job was stopped meanwhile.
   */
  plan<P extends { parts: number }>(make: () => Promise<P | null>): Promise<P | null>;

  /** Adds a task to this job, which begins with `progress`. In a transaction of `write`. */
  addPartition(tx: Sql, part: number, progress: Progress): Promise<void>;

  /** Waits for the lock `name` of this crawl; returns false when the job was stopped meanwhile. */
  lock(name: string): Promise<boolean>;

  /**
   * One fenced transaction, retried as a whole when PostgreSQL requires it: it commits only while this worker has
   * the task. `progress` is what a later attempt needs to continue from here, or computes it from the result of `work`.
   * @throws LeaseLost when the task was handed to another worker
   */
  write<T>(work: (tx: Sql, count: Count) => Promise<T>, progress?: Progress | ((result: T) => Progress)): Promise<T>;

  /**
   * Runs, up to its first wait, work that may crash this process because of the content of a page: the next attempt at the
   * task then knows the page.
   * @returns undefined if the page has crashed so many processes that it is given up (`GIVEN_UP`)
   */
  atRisk<T>(key: string, work: () => T): T | undefined;

  /**
   * Set only if the log has level `debug`: callers write `run.trace?.(key, …)`, which costs nothing otherwise. Lines
   * traced in a transaction that is retried are written again.
   */
  readonly trace?: Trace | undefined;

  /** Writes into the job's `msg` what it is doing now. Nothing depends on it: a failed write is ignored. */
  report(message: string): Promise<void>;

  /** Set only for a step of a continuous CRAWL. */
  readonly batches?: CrawlBatches | undefined;

  /** Reports what this task waits for, for the lists of workers and hosts, and so that one that waits long may yield; null: nothing. */
  waitsFor(wait: TaskWait | null): Promise<void>;

  /** Between steps of long computing: lets other tasks of the process run, a FETCH beside it as long as it needs. */
  pause(): Promise<void>;

  /** Counters of the whole job so far, all its tasks, as committed. */
  totals(): Promise<CounterGroups>;

  /** Puts a warning into the job's event log. */
  warn(message: string, data?: Record<string, unknown>): Promise<void>;
}

/** The batches of a continuous CRAWL (core/job/continuous-rounds.ts). */
export interface CrawlBatches {
  /** @param after only those made after the batch with this number */
  open(after?: number): Promise<OpenBatches>;
  /** Those of some batches that are open ones of the CRAWL. */
  among(batches: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Reports how much this task has left to fetch; with nothing left it needs no slot.
   * @param last number of the last batch that it has taken
   */
  report(backlog: Backlog, last?: number): Promise<void>;
  /** Lets the crawl begin a step that has waited only for time to pass. */
  advance(): Promise<void>;
}

export interface StepEnd extends TaskOutcome {
  /** Counters of what it leaves undone, or found: called when the task ends, and not when it is released. */
  left?: () => Promise<CounterGroups>;
}

/** A crawl job: what arguments it accepts, and what one task of it does. */
export interface Step<A extends object> {
  run(run: Run<A>): Promise<StepEnd>;
}

/** A failure that the user can act on: its message becomes the job's `msg`, its code names the cure (failure-codes.ts). */
export class StepError extends Error {
  constructor(
    message: string,
    readonly failure: FailureCode,
  ) {
    super(message);
  }
}
