/**
 * The crawl cycle on a real database, in this process: jobs are created, claimed, run and ended by the product's own
 * stores, one task after another, without a server around them.
 */
import 'reflect-metadata';
import type { Logger } from 'pino';
import type { Pool } from 'pg';
import type { PooledDataSource } from '../../src/db/pooled-data-source.js';
import { ConfStore } from '../../src/conf/conf.store.js';
import { SeedListStore } from '../../src/conf/seed-list.store.js';
import { readArgs } from '../../src/cycle/args.js';
import type { CrawlBatches, Step } from '../../src/cycle/step.js';
import { steps } from '../../src/cycle/steps.js';
import { JobQueue } from '../../src/job/job-queue.js';
import type { JobType, StepType } from '../../src/core/job/job-types.js';
import type { JobRow } from '../../src/job/job-row.js';
import { JobStore } from '../../src/job/job.store.js';
import { TaskStore } from '../../src/job/task.store.js';
import { ensureHistoryPartitions } from '../../src/webpage/fetch-history.store.js';
import { failureCode, failureText } from '../../src/worker/failure-text.js';
import { TaskRun } from '../../src/worker/task-run.js';
import { type TestDatabase, testDatabase } from './database.js';

/** What a crawl of a loopback site needs: a name, and the guard opened for 127.0.0.0/8. */
export const loopback = {
  'http.agent.name': 'orbweaver-test',
  'http.filter.ipaddress.exclude': '',
  'fetcher.server.delay': '0',
};

export interface Cycle {
  db: TestDatabase;
  pool: Pool;
  dataSource: PooledDataSource;
  jobs: JobStore;
  tasks: TaskStore;
  queue: JobQueue;
  /** Where tasks trace what becomes of pages. */
  log?: Logger;
  /** Where index writers write. */
  indexDir?: string;
  /** The batches of a FETCH, as a continuous crawl makes them. */
  batches?: CrawlBatches;
  /** The task that was begun last. */
  running?: TaskRun<object>;
  /** Runs a job to its end and answers its row. `conf` is laid over `loopback`. */
  run(
    type: JobType,
    args?: Record<string, unknown>,
    options?: { conf?: Record<string, string>; crawlId?: string; workers?: number },
  ): Promise<JobRow>;
  /** Stores seed lines and runs INJECT over them. */
  inject(
    lines: string[],
    args?: Record<string, unknown>,
    options?: { conf?: Record<string, string>; crawlId?: string },
  ): Promise<JobRow>;
  /** GENERATE, FETCH, PARSE, UPDATEDB; returns the number of pages generated. */
  round(options?: { conf?: Record<string, string>; topN?: number; crawlId?: string }): Promise<number>;
  close(): Promise<void>;
}

/** @param connections of the pool, at most; default as `openDataSource` has it */
export async function openCycle(connections?: number): Promise<Cycle> {
  const db = await testDatabase();
  const dataSource = await db.dataSource(connections);
  const pool = dataSource.pool;
  await ensureHistoryPartitions(pool);
  const queue = await JobQueue.open(pool, { maintain: false, onError: () => undefined });
  const jobs = new JobStore(pool, queue);
  const tasks = new TaskStore(pool, queue, jobs);
  const confs = new ConfStore(dataSource);
  const seeds = new SeedListStore(dataSource);
  let confNumber = 0;
  let seedNumber = 0;

  const cycle: Cycle = {
    db,
    pool,
    dataSource,
    jobs,
    tasks,
    queue,
    async run(type, args = {}, { conf = {}, crawlId = 'k', workers = 1 } = {}) {
      const confId = `c${++confNumber}`;
      await confs.create(confId, { ...loopback, ...conf }, true);
      const { hash } = (await confs.snapshot(confId))!;
      const job = await jobs.create({ type, crawlId, confId, confHash: hash, args });
      for (let message = await queue.take(); message; message = await queue.take()) {
        const claim = await tasks.claim(message, 'test');
        if (!claim) continue;
        const claimed = (await jobs.find(claim.job))!;
        const entry = steps[claimed.type as StepType];
        const run = new TaskRun(
          {
            pool,
            jobs,
            tasks,
            job: claimed,
            claim,
            conf: await confs.ofSnapshot(claimed.confHash),
            workers,
            ownPorts: [],
            indexDir: cycle.indexDir,
            onWaiting: () => undefined,
            ...(cycle.log && { log: cycle.log }),
          },
          await readArgs(entry.args, claimed.args),
        );
        if (cycle.batches) Object.assign(run, { batches: cycle.batches });
        cycle.running = run;
        const step: Step<object> = new entry.job();
        try {
          const { left, ...outcome } = await step.run(run).finally(() => run.close());
          await tasks.finish(claim, outcome, await left?.());
        } catch (error) {
          const msg = `${failureText(job, claim.part, error)}\n${(error as Error).stack}`;
          await tasks.fail(claim, msg, failureCode(error));
        }
      }
      return (await jobs.find(job.id))!;
    },
    async inject(lines, args = {}, options) {
      const name = `list${++seedNumber}`;
      await seeds.save(
        { name, id: null },
        lines.map((line) => ({ id: null, line })),
      );
      return cycle.run('INJECT', { seedName: name, ...args }, options);
    },
    async round({ conf, topN, crawlId } = {}) {
      const options = { ...(conf ? { conf } : {}), ...(crawlId === undefined ? {} : { crawlId }) };
      const generated = await cycle.run('GENERATE', topN === undefined ? {} : { topN }, options);
      const n = Number(generated.result?.['generate.count'] ?? -1);
      if (generated.state !== 'FINISHED') throw new Error(generated.msg);
      if (n === 0) return 0;
      for (const type of ['FETCH', 'PARSE', 'UPDATEDB'] as const) {
        const job = await cycle.run(type, { batch: generated.result!['generate.batch.id'] }, options);
        if (job.state !== 'FINISHED') throw new Error(`${type}: ${job.msg}`);
      }
      return n;
    },
    async close() {
      await queue.close();
      await db.drop();
    },
  };
  return cycle;
}
