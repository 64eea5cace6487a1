/**
 * The queue that delivers tasks to workers: pg-boss behind five methods (open, send, dropEarly, take, close).
 *
 * A message contains only (job, task); it is a hint that may be lost or arrive twice. Whether the task is really free, and
 * which worker has it, is decided by its row in `job_task` (task.store.ts), because pg-boss does not fence: a worker that was
 * paused could complete a message that another one already runs (docs/adr/0002).
 */
import { DAY_S } from '../core/day.js';
import { PgBoss } from 'pg-boss';
import type { Pool } from 'pg';
import { faultPoint } from '../db/fault-point.js';
import type { Sql } from '../db/sql.js';
import { deleteEarlyMessages, wakeListeners } from './job-queue.sql.js';

const QUEUE = 'task';
/** Channel of NOTIFY that wakes workers when a transaction with new tasks commits. */
export const TASK_CHANNEL = 'orbweaver_task';
/** Channel of NOTIFY for changes of a job's state; the payload is the job's id. */
export const JOB_CHANNEL = 'orbweaver_job';

export interface TaskMessage {
  job: string;
  task: string;
}

const executing = (db: Sql) => ({
  executeSql: (text: string, values: unknown[] = []) => db.query({ text, values }),
});

export class JobQueue {
  private constructor(private readonly boss: PgBoss) {}

  /**
   * @param options.maintain whether this process also does the queue's housekeeping
   * @param options.onError called with errors of the housekeeping; the queue itself continues
   */
  static async open(pool: Pool, options: { maintain: boolean; onError: (error: Error) => void }): Promise<JobQueue> {
    const boss = new PgBoss({
      db: executing(pool),
      schema: 'pgboss',
      schedule: false,
      supervise: options.maintain,
      superviseIntervalSeconds: 60,
      monitorVacuum: false,
    });
    boss.on('error', options.onError);
    await boss.start();
    // No retries and no expiry of its own: only the lease in job_task counts. `short`: one waiting message per task,
    // so tasks that wait for hours can be announced again and again without the queue growing.
    await boss.createQueue(QUEUE, {
      policy: 'short',
      retryLimit: 0,
      expireInSeconds: 60,
      deleteAfterSeconds: 3600,
      retentionSeconds: DAY_S,
    });
    // pg-boss looks a queue up at first use, over a connection of its own. It is done here, and not within the first transaction
    // that sends: that one would keep its row locks until the pool has a second connection.
    await boss.insert(QUEUE, []);
    return new JobQueue(boss);
  }

  /** Sends messages inside the caller's transaction and wakes idle workers when it commits. */
  async send(tx: Sql, messages: TaskMessage[]): Promise<void> {
    if (messages.length === 0) return;
    await this.boss.insert(
      QUEUE,
      messages.map((data) => ({ data, singletonKey: data.task })),
      { db: executing(tx) },
    );
    await wakeListeners(tx, TASK_CHANNEL);
  }

  /**
   * Deletes messages of these tasks that no worker may take for longer than `seconds`. A message can be taken as soon as it
   * is sent: these were sent by a clock that was ahead, and keep other messages of their tasks out of the queue.
   */
  async dropEarly(tx: Sql, messages: TaskMessage[], seconds: number): Promise<void> {
    if (messages.length === 0) return;
    const keys = messages.map(({ task }) => task);
    await deleteEarlyMessages(tx, QUEUE, { keys, seconds });
  }

  /** Takes one message, or returns undefined when there is none. Taking it removes it from the queue. */
  async take(): Promise<TaskMessage | undefined> {
    const [message] = await this.boss.fetch<TaskMessage>(QUEUE, { batchSize: 1 });
    if (!message) return undefined;
    await faultPoint('task.taken');
    await this.boss.complete(QUEUE, message.id);
    return message.data;
  }

  close(): Promise<void> {
    return this.boss.stop({ graceful: false, close: false });
  }
}
