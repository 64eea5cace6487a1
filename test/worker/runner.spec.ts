import { pino } from 'pino';
import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfStore } from '../../src/conf/conf.store.js';
import type { Run, Step } from '../../src/cycle/step.js';
import type { TaskOutcome } from '../../src/job/job-row.js';
import type { Heartbeat } from '../../src/worker/heartbeat.js';
import { Runner } from '../../src/worker/runner.js';
import { type JobsUnderTest, openJobs } from '../job/jobs-under-test.js';

/** What reaches a running task from outside, and what does not. */

/** A pool whose look at the states of jobs ends only when the test lets it. */
function hesitant(pool: Pool) {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const slow = new Proxy(pool, {
    get(target, name) {
      if (name !== 'query') return Reflect.get(target, name) as unknown;
      return async (statement: { text: string; values: unknown[] }) => {
        const found = await target.query(statement);
        if (/select id, state, paused_at/.test(statement.text)) {
          asked.resolve();
          await answer.promise;
        }
        return found;
      };
    },
  });
  return { pool: slow, asked: asked.promise, answer: answer.resolve };
}

describe('a task at work', () => {
  let under: JobsUnderTest;
  let heartbeat: Heartbeat;
  beforeAll(async () => {
    under = await openJobs();
    // The built one: its thread is a file.
    const built = new URL('../../dist/src/worker/heartbeat.js', import.meta.url).href;
    const module = (await import(built)) as { Heartbeat: typeof Heartbeat };
    const fail = (error: Error) => {
      throw error;
    };
    heartbeat = new module.Heartbeat(under.db.url, () => undefined, fail);
  });
  afterAll(async () => {
    await heartbeat.close();
    await under.close();
  });

  it('is not stopped by a look at states that began before it did', async () => {
    const { pool, asked, answer } = hesitant(under.pool);
    const runs = new Map<string, Run>();
    const end = Promise.withResolvers<TaskOutcome>();
    const step: Step<object> = {
      run: (run) => {
        runs.set(run.job.id, run);
        return end.promise;
      },
    };
    const { queue, jobs, tasks } = under;
    const log = pino({ level: 'silent' });
    const confs = new ConfStore(await under.db.dataSource());
    const parts = {
      pool,
      queue,
      jobs,
      tasks,
      confs,
      log,
      heartbeat,
      stepOf: () => step,
      owner: 'w',
      workers: 1,
      ownPorts: [],
    };
    const runner = new Runner(parts);
    const first = await under.create();
    runner.wake();
    await expect.poll(() => runs.has(first.id)).toBe(true);
    const looking = runner.checkStates();
    await asked;
    const second = await under.create();
    runner.wake();
    await expect.poll(() => runs.has(second.id)).toBe(true);
    answer();
    await looking;
    expect(runs.get(second.id)!.stopping.aborted).toBe(false);
    expect(runs.get(second.id)!.aborted.aborted).toBe(false);
    end.resolve({ reason: 'done' });
    await runner.close(1_000);
    expect((await under.job(second.id)).state).toBe('FINISHED');
  });
});
