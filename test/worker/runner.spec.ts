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

  async function runnerOf(step: Step<object>, pool = under.pool): Promise<Runner> {
    const { queue, jobs, tasks } = under;
    const log = pino({ level: 'silent' });
    const confs = new ConfStore(await under.db.dataSource());
    const own = { owner: 'w', workers: 1, ownPorts: [] };
    return new Runner({ pool, queue, jobs, tasks, confs, log, heartbeat, stepOf: () => step, ...own });
  }

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
    const runner = await runnerOf(step, pool);
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

  it('that comes back after its lease ran out keeps its place, its beats and its signals when the attempt before ends', async () => {
    const attempts: { run: Run; end: PromiseWithResolvers<TaskOutcome> }[] = [];
    const runner = await runnerOf({
      run: (run) => {
        const end = Promise.withResolvers<TaskOutcome>();
        attempts.push({ run, end });
        return end.promise;
      },
    });
    const { id } = await under.create();
    runner.wake();
    await expect.poll(() => attempts.length).toBe(1);
    expect(await under.tasks.rescue(['w'])).toBe(1);
    runner.wake();
    await expect.poll(() => attempts.length).toBe(2);
    const [before, now] = attempts as [(typeof attempts)[0], (typeof attempts)[0]];
    expect(before.run.aborted.aborted).toBe(true);
    expect(now.run.aborted.aborted).toBe(false);
    expect(runner.busy).toBe(2);
    before.end.resolve(before.run.write(async () => ({ reason: 'done' })));
    await expect.poll(() => runner.busy).toBe(1);

    const [task] = await under.tasksOf(id);
    await under.expire(task!.id);
    heartbeat.now();
    await expect.poll(async () => (await under.tasksOf(id))[0]!.leased).toBe(true);

    await under.jobs.pause(id);
    await runner.checkStates();
    expect(now.run.stopping.aborted).toBe(true);
    now.end.resolve({ reason: 'stopped' });
    await runner.close(1_000);
  });
});
