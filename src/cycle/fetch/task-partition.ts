/**
 * What one task of a FETCH has to do: a part of the batch, and threads. It begins as one of equal parts, with threads by the
 * pages that fell into it; while the task is at the end of its means and workers of the cluster have nothing to do, it gives
 * part of its hosts away (division.ts).
 */
import { performance } from 'node:perf_hooks';
import { crewOf, idleWorkers } from '../../job/worker.store.js';
import type { Sql } from '../../db/sql.js';
import type { Run } from '../step.js';
import { type Partition, dealOut, divide } from './split-task.js';
import { lockedPartitions, openPartitions, waitingByQueue, workByPartition } from './split-task.sql.js';
import type { FetchArgs } from './fetch.args.js';
import type { ChunkQuery } from './fetch.sql.js';

/** How often a task looks whether it is at the end of its means; and looks so many times before it looks for others. */
const LOOK_MS = 500;
const LOOKS = 2;
/** Looks until the next try when nothing could be given away. */
const LOOKS_AFTER_NONE = 10;
/** Each try reads the whole part: the next one comes after this many times as long as it took. */
const REST_OF_TRY = 20;
/**
 * Parts of a job at once that are not done, for each worker: those of a crawl that keeps going are not before its end, and each has a
 * parser with verdicts of its own.
 */
const MAX_PARTS = 6;
/** Share of the time in which the event loop is busy that counts as the end of a core. */
const CORE_IS_BUSY = 0.85;

/**
 * Requests that the whole job may have open: the argument `threads`; else each server brings `fetcher.threads.fetch`, as each
 * node does in Nutch.
 */
export const threadsOfJob = (run: Run<FetchArgs>, servers: number): number =>
  run.args.threads ?? run.conf['fetcher.threads.fetch'] * servers;

/** How the pages and threads of a job were dealt out when it began. */
export interface PartitionPlan {
  parts: number;
  /** Of all parts. */
  threads: number;
  /** Of each part. */
  each: number[];
}

/** Deals out the threads of a job to its parts: by the pages that each has, and the hosts that bear them. */
export async function planPartitions(
  run: Run<FetchArgs>,
  from: Pick<ChunkQuery, 'batches' | 'sitemap'>,
  { parts, threads, selected }: { parts: number; threads: number; selected: number },
): Promise<PartitionPlan> {
  if (parts === 1) return { parts, threads, each: [threads] };
  const perQueue = run.conf['fetcher.threads.per.queue'];
  const max = (perQueue * selected) / threads;
  const work = await workByPartition(run.pool, { crawl: run.job.crawl, ...from }, { parts, max, perQueue });
  return { parts, threads, each: dealOut(threads, work) };
}

/** The part of a task: as it keeps it, else the one that the plan gave it. */
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

/** Looks after a task at work, and says when part of it should be given away. */
export class DivisionWatch {
  private readonly when = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private busy = performance.eventLoopUtilization();
  private looks = 0;
  private asking = false;

  /** @param saturated whether all threads of the task were at work since it was last asked */
  constructor(
    private readonly task: PlannedTask,
    private readonly saturated: () => boolean,
  ) {
    this.timer = setInterval(() => void this.look(), LOOK_MS);
  }

  /** Fires when the task should end what it has in hand and divide what is left. */
  get signal(): AbortSignal {
    return this.when.signal;
  }

  end(): void {
    clearInterval(this.timer);
  }

  private async look(): Promise<void> {
    const busy = performance.eventLoopUtilization();
    const load = performance.eventLoopUtilization(busy, this.busy).utilization;
    this.busy = busy;
    if (!this.saturated() && load < CORE_IS_BUSY) this.looks = Math.min(0, this.looks);
    else if (++this.looks >= LOOKS && !this.asking) await this.ask();
  }

  private async ask(): Promise<void> {
    this.asking = true;
    this.looks = 0;
    try {
      if ((await idleWorkers(this.task.run.pool)) === 0) return;
      const begun = performance.now();
      const { classes } = await divisionOf(this.task.run.pool, this.task);
      if (classes) this.when.abort();
      else this.looks = -Math.max(LOOKS_AFTER_NONE, ((performance.now() - begun) * REST_OF_TRY) / LOOK_MS);
    } catch {
      // Only a chance was missed.
    } finally {
      this.asking = false;
    }
  }
}

/** A task with its part, and how the parts were dealt out that none has divided yet. */
interface PlannedTask {
  run: Run<FetchArgs>;
  query: ChunkQuery;
  own: Partition;
  plan: PartitionPlan;
}

/**
 * Divides what is left of a part; returns the part that this task has from now on. It may be the same, with more threads where
 * parts that are done have left some.
 */
export function giveAway(task: PlannedTask): Promise<Partition> {
  const { run, own } = task;
  return run.write(
    async (tx) => {
      const { classes, free } = await divisionOf(tx, task, lockedPartitions);
      const [mine, ...others] = classes ?? [{ ...own, threads: own.threads + free }];
      await addPartitions(tx, run, { own, mine, others });
      return mine!;
    },
    (part) => ({ ...part }),
  );
}

/** The classes that what is left of a part falls into, if anything is gained by them, and the threads of the job that no task has. */
async function divisionOf(
  db: Sql,
  { run, query, own, plan }: PlannedTask,
  partsOf = openPartitions,
): Promise<{ classes: ReturnType<typeof divide>; free: number }> {
  const [waits, { processes, servers }] = [await waitingByQueue(db, query), await crewOf(db)];
  const open = await partsOf(db, run.job.id);
  const used = open.reduce((n, { part, kept }) => n + (kept ?? plannedPartition(part, plan)).threads, 0);
  const free = Math.max(0, threadsOfJob(run, servers) - used);
  const perQueue = run.conf['fetcher.threads.per.queue'];
  const isFull = open.length >= MAX_PARTS * processes;
  return { classes: isFull ? undefined : divide(own, waits, free, perQueue), free };
}

/** New tasks are numbered by their classes, which no task of the job has had; the class that has our number gets that of ours. */
async function addPartitions(
  tx: Parameters<Run['addPartition']>[0],
  run: Run,
  { own, mine, others }: { own: Partition; mine: Partition | undefined; others: Partition[] },
): Promise<void> {
  for (const other of others)
    await run.addPartition(tx, other.part === own.part ? mine!.part : other.part, { ...other });
}
