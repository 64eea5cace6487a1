import { pino } from 'pino';
import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ConfStore } from '../../src/conf/conf.store.js';
import { type Run, type Step, StepError } from '../../src/cycle/step.js';
import type { TaskOutcome } from '../../src/core/job/job-types.js';
import { JobStore } from '../../src/job/job.store.js';
import type { TaskStore } from '../../src/job/task.store.js';
import type { Heartbeat } from '../../src/worker/heartbeat-client.js';
import { TaskRunner } from '../../src/worker/task-runner.js';
import { type JobsUnderTest, openJobs } from '../job/jobs-under-test.js';

/** Signals that reach a running task, and signals that must not. */

/** A pool whose query of job states, or another one, returns only when the test allows it. */
function hesitant(pool: Pool, held = /select id, state, paused_at/) {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const slow = new Proxy(pool, {
    get(target, name) {
      if (name !== 'query') return Reflect.get(target, name) as unknown;
      return async (statement: { text: string; values: unknown[] }) => {
        const found = await target.query(statement);
        if (held.test(statement.text)) {
          asked.resolve();
          await answer.promise;
        }
        return found;
      };
    },
  });
  return { pool: slow, asked: asked.promise, answer: answer.resolve };
}

describe('a running task', () => {
  let under: JobsUnderTest;
  let heartbeat: Heartbeat;
  beforeAll(async () => {
    under = await openJobs();
    // The built module, as its thread needs a file.
    const built = new URL('../../dist/src/worker/heartbeat-client.js', import.meta.url).href;
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

  async function runnerOf(
    step: Step<object>,
    pool = under.pool,
    { slots = 10, tasks = under.tasks }: { slots?: number; tasks?: TaskStore } = {},
  ): Promise<TaskRunner> {
    const { queue } = under;
    const jobs = new JobStore(pool, queue);
    const log = pino({ level: 'silent' });
    const confs = new ConfStore(await under.db.dataSource());
    const own = { owner: 'w', workers: 1, ownPorts: [], slots };
    return new TaskRunner({ pool, queue, jobs, tasks, confs, log, heartbeat, stepOf: () => step, ...own });
  }

  it('is not stopped by a check of states that started before the task', async () => {
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

  const nobody = new StepError('nobody to say who crawls', 'AGENT_NAME_MISSING');
  it.each([
    [1, nobody, 'ERROR: FETCH: nobody to say who crawls'],
    [1, new Error('the disk is full'), 'ERROR: FETCH: the disk is full'],
    [3, nobody, /^ERROR: FETCH partition [0-2]: nobody to say who crawls$/],
  ])('that fails, of %i parts, names its step and part in msg of the job', async (parts, error, msg) => {
    const runner = await runnerOf({
      async run(run) {
        await run.plan(async () => ({ parts }));
        throw error;
      },
    });
    const { id } = await under.create();
    runner.wake();
    await expect.poll(async () => (await under.job(id)).state).toBe('FAILED');
    expect(await under.job(id)).toMatchObject({
      msg: typeof msg === 'string' ? msg : expect.stringMatching(msg),
      result: { failure: error === nobody ? 'AGENT_NAME_MISSING' : 'UNEXPECTED' },
    });
    await runner.close(1_000);
  });

  it('counts the remaining pages when it ends, and not when it is released', async () => {
    let asked = 0;
    const left = async () => ({ Fetcher: { left: ++asked } });
    const begun = Promise.withResolvers<void>();
    const stopped: Step<object> = {
      async run(run) {
        await run.plan(async () => ({ parts: 1 }));
        const stop = new Promise((wake) => run.stopping.addEventListener('abort', wake));
        begun.resolve();
        await stop;
        return { reason: 'stopped', left };
      },
    };
    const { id } = await under.create();
    const first = await runnerOf(stopped);
    first.wake();
    await begun.promise;
    await first.close(1_000);
    expect((await under.tasksOf(id))[0]).toMatchObject({ state: 'WAITING' });
    expect(asked).toBe(0);
    const second = await runnerOf({ run: async () => ({ reason: 'done', left }) });
    second.wake();
    await expect.poll(async () => (await under.job(id)).state).toBe('FINISHED');
    expect((await under.job(id)).result!.counters).toEqual({ Fetcher: { left: 1 } });
    await second.close(1_000);
  });

  it('under which the database crashes each time is given up in the end', async () => {
    let attempts = 0;
    const crash = () => Object.assign(new Error('the server process was killed'), { code: '57P02' });
    const runner = await runnerOf({
      async run() {
        attempts++;
        throw crash();
      },
    });
    const { id } = await under.create();
    await expect
      .poll(async () => {
        runner.wake();
        return (await under.job(id)).state;
      })
      .toBe('FAILED');
    expect(attempts).toBeGreaterThan(1);
    await runner.close(1_000);
  });

  it('waits for the database to record its end, and does not run again', async () => {
    let runs = 0;
    let tries = 0;
    const tasks = new Proxy(under.tasks, {
      get(target, name) {
        if (name !== 'finish') return Reflect.get(target, name) as unknown;
        return async (...args: Parameters<TaskStore['finish']>) => {
          if (++tries === 1) throw Object.assign(new Error('connection terminated'), { code: 'ECONNRESET' });
          return target.finish(...args);
        };
      },
    });
    const runner = await runnerOf({ run: async () => ({ reason: `done ${++runs}` }) }, under.pool, { tasks });
    const { id } = await under.create();
    runner.wake();
    await expect.poll(async () => (await under.job(id)).state).toBe('FINISHED');
    expect([tries, runs]).toEqual([2, 1]);
    await runner.close(1_000);
  });

  it('is aborted when its job is deleted', async () => {
    const begun = Promise.withResolvers<Run>();
    const runner = await runnerOf({
      async run(run) {
        begun.resolve(run);
        await new Promise((wake) => run.aborted.addEventListener('abort', wake));
        return { reason: 'stopped' };
      },
    });
    const { id } = await under.create();
    runner.wake();
    const run = await begun.promise;
    await under.db.query('delete from job where id = $1', [id]);
    await runner.checkStates();
    expect(run.aborted.aborted).toBe(true);
    await runner.close(1_000);
  });

  it('with invalid arguments fails with the name of its step in msg', async () => {
    const runner = await runnerOf({ run: async () => ({ reason: 'done' }) });
    const { id } = await under.create();
    await under.db.query(`update job set args = '{"threads": "many"}' where id = $1`, [id]);
    runner.wake();
    await expect.poll(async () => (await under.job(id)).state).toBe('FAILED');
    expect((await under.job(id)).msg).toMatch(/^ERROR: FETCH: the arguments of the job are not valid: /);
    await runner.close(1_000);
  });

  it('claimed again after its lease expired keeps heartbeats and stop signal when the earlier attempt ends', async () => {
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
    expect(await under.tasks.rescue({ owners: ['w'] })).toBe(1);
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

  it('whose lease is lost before it has begun does not begin', async () => {
    const { pool, asked, answer } = hesitant(under.pool, /from job where id =/);
    let begun = 0;
    const runner = await runnerOf({ run: async () => ({ reason: `begun ${++begun}` }) }, pool);
    const { id } = await under.create();
    runner.wake();
    await asked;
    const [{ task, token }] = await under.db.query<{ task: string; token: number }>(
      'select id as task, token from job_task where job = $1',
      [id],
    );
    runner.loseLease({ task, token });
    answer();
    await expect.poll(() => runner.busy).toBe(0);
    expect(begun).toBe(0);
    await runner.close(1_000);
  });

  it('uses a slot again when it has got the lock that it waited for, so that another one yields to a crawl', async () => {
    const runs = new Map<string, Run>();
    const holds = Promise.withResolvers<TaskOutcome>();
    const step: Step<object> = {
      run: async (run) => {
        if (run.job.crawlId === 'one lock' && !(await run.lock('PARSE'))) return { reason: 'stopped' };
        runs.set(run.job.id, run);
        const stopped = new Promise<TaskOutcome>((resolve) =>
          run.stopping.addEventListener('abort', () => resolve({ reason: 'stopped' })),
        );
        return Promise.race(runs.size === 1 ? [holds.promise, stopped] : [stopped]);
      },
    };
    const runner = await runnerOf(step, under.pool, { slots: 2 });
    const begin = async (crawlId: string): Promise<string> => {
      const { id } = await under.create({ crawlId });
      runner.wake();
      return id;
    };
    let passed = 0;
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + passed);
    try {
      const holder = await begin('one lock');
      await expect.poll(() => runs.has(holder)).toBe(true);
      const waiter = await begin('one lock');
      await expect.poll(async () => (await under.job(waiter)).msg).toMatch(/waiting for/);
      const other = await begin('of another');
      await expect.poll(() => runs.has(other)).toBe(true);
      passed += 310_000;
      holds.resolve({ reason: 'done' });
      await expect.poll(() => runs.has(waiter)).toBe(true);
      await expect.poll(() => runner.busy).toBe(2);
      const { id } = await under.create({ crawlId: 'without a task' });
      await under.db.query(`update job_task set waiting_since = now() - interval '2 seconds' where job = $1`, [id]);
      await runner.yieldSlot();
      expect([waiter, other].filter((one) => runs.get(one)!.stopping.aborted)).toEqual([other]);
    } finally {
      vi.restoreAllMocks();
      await runner.close(1_000);
      await under.forget();
    }
  });

  it('yields to another crawl; one that waits for its lock does not, and its time starts with the lock', async () => {
    const runs = new Map<string, Run>();
    const locks = Promise.withResolvers<void>();
    const done = Promise.withResolvers<TaskOutcome>();
    const step: Step<object> = {
      run: async (run) => {
        runs.set(run.job.id, run);
        const isFirst = runs.size === 1;
        if (isFirst) await locks.promise;
        if (run.job.crawlId === 'locked' && !(await run.lock('PARSE'))) return { reason: 'stopped' };
        const stopped = new Promise<TaskOutcome>((resolve) =>
          run.stopping.addEventListener('abort', () => resolve({ reason: 'stopped' })),
        );
        return Promise.race(run.job.crawlId === 'locked' && !isFirst ? [stopped, done.promise] : [stopped]);
      },
    };
    const runner = await runnerOf(step, under.pool, { slots: 3 });
    let passed = 0;
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + passed);
    const begin = async (crawlId: string): Promise<string> => {
      const { id } = await under.create({ crawlId });
      runner.wake();
      await expect.poll(() => runs.has(id)).toBe(true);
      return id;
    };
    const message = (id: string) => expect.poll(async () => (await under.job(id)).msg);
    const waits = async (crawlId: string): Promise<string> => {
      const { id } = await under.create({ crawlId });
      await under.db.query(`update job_task set waiting_since = now() - interval '2 seconds' where job = $1`, [id]);
      return id;
    };
    try {
      // It has started first, and releases its slot to another job of its crawl.
      const waiter = await begin('locked');
      const holder = await begin('locked');
      await expect
        .poll(async () => (await under.db.query('select from job where lock_key is not null')).length)
        .toBe(1);
      locks.resolve();
      await message(waiter).toMatch(/waiting for/);
      const [first, second] = [await begin('two'), await begin('two')];
      const none = await waits('none');
      passed += 11_000;
      await runner.yieldSlot();
      const stopped = () => [waiter, holder, first, second].filter((id) => runs.get(id)!.stopping.aborted);
      expect(stopped()).toEqual([first]);
      await expect.poll(() => runs.has(none)).toBe(true);

      passed += 400_000;
      done.resolve({ reason: 'done' });
      await expect.poll(async () => (await under.job(waiter)).msg).toBe('OK');
      await expect.poll(() => runner.busy).toBe(4);
      await waits('last');
      await runner.yieldSlot();
      // The first runs again; the one that waited has been running for a short time.
      expect(stopped()).toEqual([second]);
    } finally {
      vi.restoreAllMocks();
      await runner.close(1_000);
    }
  });

  it('yields to a crawl that runs no task if it has waited for its hosts for ten seconds', async () => {
    const runs = new Map<string, Run>();
    const untilStopped = (run: Run) =>
      new Promise<TaskOutcome>((resolve) =>
        run.stopping.addEventListener('abort', () => resolve({ reason: 'stopped' })),
      );
    const step: Step<object> = { run: (run) => untilStopped(runs.set(run.job.id, run).get(run.job.id)!) };
    await under.forget();
    const runner = await runnerOf(step, under.pool, { slots: 2 });
    const now = performance.now.bind(performance);
    try {
      const ids = [await under.create({ crawlId: 'fetches' }), await under.create({ crawlId: 'waits' })];
      runner.wake();
      await expect.poll(() => runs.size).toBe(2);
      vi.spyOn(performance, 'now').mockImplementation(() => now() + 11_000);
      const since = new Date(Date.now() - 11_000).toISOString();
      await runs.get(ids[1]!.id)!.waitsFor({ for: 'host', what: 'a.test', url: null, pages: 3, since });
      const { id } = await under.create({ crawlId: 'without a task' });
      await under.db.query(`update job_task set waiting_since = now() - interval '2 seconds' where job = $1`, [id]);
      await runner.yieldSlot();
      expect(ids.map((job) => runs.get(job.id)!.stopping.aborted)).toEqual([false, true]);
      await expect.poll(() => runs.has(id)).toBe(true);
    } finally {
      vi.restoreAllMocks();
      await runner.close(1_000);
    }
  });
});
