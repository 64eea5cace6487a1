/**
 * The partition of one task of a FETCH, with its threads. Initially all partitions are equal, with threads in
 * proportion to their pages; when the task is saturated and other workers are idle, its partition is divided
 * (divide-partition.ts).
 */
import { performance } from 'node:perf_hooks';
import { countWorkers, idleWorkers } from '../../job/worker.store.js';
import type { Sql } from '../../db/sql.js';
import type { Run } from '../step.js';
import { type Partition, assignThreads, divide } from '../../core/frontier/divide-partition.js';
import { lockedPartitions, openPartitions, waitingByQueue, workByPartition } from './divide-partition.sql.js';
import type { FetchArgs } from './fetch.args.js';
import type { ChunkQuery } from './fetch.sql.js';

/** Interval of checks whether a task is saturated; and the number of such checks in a row before it tries to divide. */
const CHECK_MS = 500;
const MIN_SATURATED_CHECKS = 2;
/** Minimum of checks until the next attempt after one without a division. */
const CHECKS_AFTER_NONE = 10;
/** An attempt reads the whole partition: the pause until the next one is this many times as long as the attempt. */
const PAUSE_FACTOR = 20;
/**
 * Maximum of unfinished partitions of a job per worker: those of a continuous crawl do not finish before its end, and each has a
 * parser with its own results in memory.
 */
const MAX_PARTITIONS = 6;
/** Utilization of the event loop at which a core counts as saturated. */
const CORE_IS_BUSY = 0.85;

/**
 * Concurrent requests of the whole job: the argument `threads`; else `fetcher.threads.fetch` for each server, as for each node
 * in Nutch.
 */
export const threadsOfJob = (run: Run<FetchArgs>, servers: number): number =>
  run.args.threads ?? run.conf['fetcher.threads.fetch'] * servers;

/** Initial partitions of a job. */
export interface PartitionPlan {
  parts: number;
  /** Of all partitions. */
  threads: number;
  /** Of each partition. */
  each: number[];
}

/** Assigns the threads of a job to its partitions, by the pages and hosts of each. */
export async function planPartitions(
  run: Run<FetchArgs>,
  from: Pick<ChunkQuery, 'batches' | 'sitemap'>,
  { parts, threads, selected }: { parts: number; threads: number; selected: number },
): Promise<PartitionPlan> {
  if (parts === 1) return { parts, threads, each: [threads] };
  const perQueue = run.conf['fetcher.threads.per.queue'];
  const max = (perQueue * selected) / threads;
  const work = await workByPartition(run.pool, { crawl: run.job.crawl, ...from }, { parts, max, perQueue });
  return { parts, threads, each: assignThreads(threads, work) };
}

/** The partition of a task: the one in its progress, else the planned one. */
export function partitionOf(run: Run, plan: PartitionPlan): Partition {
  const kept = run.progress as Partial<Partition> | null;
  if (kept?.parts !== undefined && kept.part !== undefined && kept.threads !== undefined) return kept as Partition;
  return plannedPartition(run.part, plan);
}

const plannedPartition = (part: number, { parts, each }: PartitionPlan): Partition => ({
  part,
  parts,
  threads: each[part] ?? 1,
});

/** Watches a running task, and signals when its partition should be divided. */
export class DivisionWatch {
  private readonly when = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private busy = performance.eventLoopUtilization();
  private checks = 0;
  private trying = false;

  /** @param saturated whether all threads of the task were busy at some moment since the last call */
  constructor(
    private readonly task: PlannedTask,
    private readonly saturated: () => boolean,
  ) {
    this.timer = setInterval(() => void this.check(), CHECK_MS);
  }

  /** Fires when the task should end its running visits and divide its remaining pages. */
  get signal(): AbortSignal {
    return this.when.signal;
  }

  end(): void {
    clearInterval(this.timer);
  }

  private async check(): Promise<void> {
    const busy = performance.eventLoopUtilization();
    const load = performance.eventLoopUtilization(busy, this.busy).utilization;
    this.busy = busy;
    if (!this.saturated() && load < CORE_IS_BUSY) this.checks = Math.min(0, this.checks);
    else if (++this.checks >= MIN_SATURATED_CHECKS && !this.trying) await this.tryDivision();
  }

  private async tryDivision(): Promise<void> {
    this.trying = true;
    this.checks = 0;
    try {
      if ((await idleWorkers(this.task.run.pool)) === 0) return;
      const begun = performance.now();
      const { classes } = await divisionOf(this.task.run.pool, this.task);
      if (classes) this.when.abort();
      else this.checks = -Math.max(CHECKS_AFTER_NONE, ((performance.now() - begun) * PAUSE_FACTOR) / CHECK_MS);
    } catch {
      // The division is optional: a later attempt follows.
    } finally {
      this.trying = false;
    }
  }
}

/** A task with its partition, and the initial partitions, which still apply to undivided tasks. */
interface PlannedTask {
  run: Run<FetchArgs>;
  query: ChunkQuery;
  partition: Partition;
  plan: PartitionPlan;
}

/**
 * Divides the remaining pages of a partition; returns the partition that this task keeps. It may be the same partition, with more
 * threads if finished partitions have left some.
 */
export function dividePartition(task: PlannedTask): Promise<Partition> {
  const { run, partition } = task;
  return run.write(
    async (tx) => {
      const { classes, free } = await divisionOf(tx, task, lockedPartitions);
      const [mine, ...others] = classes ?? [{ ...partition, threads: partition.threads + free }];
      await addPartitions(tx, run, { partition, mine, others });
      return mine!;
    },
    (part) => ({ ...part }),
  );
}

/**
 * The classes into which to divide the remaining pages of a partition, if that gains anything, and the free threads of the job.
 */
async function divisionOf(
  db: Sql,
  { run, query, partition, plan }: PlannedTask,
  openOf = openPartitions,
): Promise<{ classes: ReturnType<typeof divide>; free: number }> {
  const [waits, { processes, servers }] = [await waitingByQueue(db, query), await countWorkers(db)];
  const open = await openOf(db, run.job.id);
  const used = open.reduce((n, { part, kept }) => n + (kept ?? plannedPartition(part, plan)).threads, 0);
  const free = Math.max(0, threadsOfJob(run, servers) - used);
  const perQueue = run.conf['fetcher.threads.per.queue'];
  const isFull = open.length >= MAX_PARTITIONS * processes;
  return { classes: isFull ? undefined : divide(partition, waits, free, perQueue), free };
}

/** New tasks have the unused number of their class; the class with the number of this task gets that of the class it keeps. */
async function addPartitions(
  tx: Parameters<Run['addPartition']>[0],
  run: Run,
  { partition, mine, others }: { partition: Partition; mine: Partition | undefined; others: Partition[] },
): Promise<void> {
  for (const other of others)
    await run.addPartition(tx, other.part === partition.part ? mine!.part : other.part, { ...other });
}
