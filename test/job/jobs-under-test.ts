import type { Pool } from 'pg';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { PooledDataSource } from '../../src/db/pooled-data-source.js';
import { transaction } from '../../src/db/sql.js';
import { JobQueue, type TaskMessage } from '../../src/job/job-queue.js';
import type { JobType } from '../../src/core/job/job-types.js';
import type { JobRow } from '../../src/job/job-row.js';
import { JobStore } from '../../src/job/job.store.js';
import type { Claim } from '../../src/job/claim.js';
import { TaskStore } from '../../src/job/task.store.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

/** The stores of jobs and tasks on their own database, without a worker: a test makes every change itself. */

export interface TaskState {
  id: string;
  part: number;
  state: string;
  token: number;
  writes: number;
  lost: number;
  owner: string | null;
  leased: boolean;
  counters: Record<string, Record<string, number>>;
  progress: Record<string, unknown> | null;
  outcome: { reason: string } | null;
}

export interface JobsUnderTest {
  readonly db: TestDatabase;
  readonly pool: Pool;
  readonly dataSource: PooledDataSource;
  readonly queue: JobQueue;
  readonly jobs: JobStore;
  readonly tasks: TaskStore;
  create(options?: { type?: JobType; crawlId?: string; confId?: string }): Promise<JobRow>;
  /** The job as it is now. */
  job(id: string): Promise<JobRow>;
  /** The tasks of a job by partition. */
  tasksOf(id: string): Promise<TaskState[]>;
  /** Reads the announced messages and claims the first available task. */
  claimNext(owner?: string): Promise<Claim | undefined>;
  /** A job with `parts` tasks, all claimed. */
  running(parts: number, options?: { type?: JobType; crawlId?: string }): Promise<{ id: string; claims: Claim[] }>;
  /** Makes the lease of a task expire, as if its owner had sent no heartbeat. */
  expire(task: string): Promise<void>;
  /** Deletes all jobs and empties the queue: no lease of an earlier test expires in this one, however slow it is. */
  forget(): Promise<void>;
  /** Empties the queue and returns its messages. */
  announced(): Promise<TaskMessage[]>;
  /** One write of a claimed task that adds to its counters. */
  write(claim: Claim, counters: Claim['counters']): Promise<void>;
  close(): Promise<void>;
}

/** The stores of a spec, once it called `useJobs`. */
export let under: JobsUnderTest;

/**
 * Opens the stores for the tests of a spec, and closes them afterwards. Nothing is announced when a test begins.
 * @param without the tests also begin without any job, as they read all jobs
 */
export function useJobs({ without = 'messages' }: { without?: 'messages' | 'jobs' } = {}): void {
  beforeAll(async () => {
    under = await openJobs();
  });
  beforeEach(() => (without === 'jobs' ? under.forget() : under.announced()));
  afterAll(() => under.close());
}

/** Content hash of the one configuration snapshot that the jobs of these tests name. */
export const CONF_HASH = 'test';

export async function openJobs(): Promise<JobsUnderTest> {
  const db = await testDatabase();
  const dataSource = await db.dataSource();
  const { pool } = dataSource;
  const queue = await JobQueue.open(pool, { maintain: false, onError: () => undefined });
  const jobs = new JobStore(pool, queue);
  const tasks = new TaskStore(pool, queue, jobs);
  await db.query(`insert into conf_snapshot (hash, params) values ($1, '{}')`, [CONF_HASH]);

  const all: JobsUnderTest = {
    db,
    pool,
    dataSource,
    queue,
    jobs,
    tasks,
    create: ({ type = 'FETCH', crawlId = 'k', confId = 'c' } = {}) =>
      jobs.create({ type, crawlId, confId, confHash: CONF_HASH, args: {} }),
    job: async (id) => (await jobs.find(id))!,
    tasksOf: (id) =>
      db.query(
        `select id, part, state, token, writes, lost, owner, lease_until > now() as leased, counters, progress, outcome
           from job_task where job = $1 order by part`,
        [id],
      ),
    async claimNext(owner = 'w') {
      for (let message = await queue.take(); message; message = await queue.take()) {
        const claim = await tasks.claim(message, owner);
        if (claim) return claim;
      }
      return undefined;
    },
    async running(parts, options) {
      await all.announced();
      const { id } = await all.create(options);
      const claims = [(await all.claimNext())!];
      await transaction(pool, (tx) => tasks.split(tx, id, parts));
      while (claims.length < parts) claims.push((await all.claimNext())!);
      return { id, claims: claims.sort((a, b) => a.part - b.part) };
    },
    async expire(task) {
      await db.query(`update job_task set lease_until = now() - interval '1 second' where id = $1`, [task]);
    },
    async forget() {
      await db.query('delete from job');
      await all.announced();
    },
    async announced() {
      const found: TaskMessage[] = [];
      for (let message = await queue.take(); message; message = await queue.take()) found.push(message);
      return found;
    },
    write: (claim, counters) =>
      transaction(pool, async (tx) => {
        await tasks.lock(tx, claim);
        await tasks.wrote(tx, claim, counters, null);
      }),
    async close() {
      await queue.close();
      await db.drop();
    },
  };
  return all;
}
