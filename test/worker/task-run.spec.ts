import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Conf } from '../../src/core/conf/properties.js';
import type { Step } from '../../src/cycle/step.js';
import { eventsOf } from '../../src/job/job-event.store.js';
import { type Claim, LeaseLost } from '../../src/job/claim.js';
import { MAX_LOST } from '../../src/job/lost-tasks.js';
import { TaskRun } from '../../src/worker/task-run.js';
import { type JobsUnderTest, openJobs } from '../job/jobs-under-test.js';

/** Writes of one attempt at a task, and interference of the database or another worker. */

let under: JobsUnderTest;
beforeAll(async () => {
  under = await openJobs();
  await under.db.query('create table note (n integer primary key)');
});
beforeEach(() => under.db.query('truncate note'));
afterAll(() => under.close());

async function runOf(id: string, claim: Claim, options: { pool?: Pool; onWaiting?: (waiting: boolean) => void } = {}) {
  const { jobs, tasks } = under;
  const { pool = under.pool, onWaiting = () => undefined } = options;
  const job = await under.job(id);
  return new TaskRun({ pool, jobs, tasks, job, claim, conf: {} as Conf, workers: 1, ownPorts: [], onWaiting }, {});
}

/** A running job with one task and its run. */
async function start(options: { pool?: Pool } = {}) {
  const { id, claims } = await under.running(1);
  const run = await runOf(id, claims[0]!, options);
  return { id, claim: claims[0]!, run };
}

const note = (n: number) => async (tx: { query(s: { text: string; values: unknown[] }): Promise<unknown> }) => {
  await tx.query({ text: 'insert into note values ($1)', values: [n] });
};
const notes = async () => (await under.db.query<{ n: number }>('select n from note order by n')).map(({ n }) => n);
const taskOf = async (id: string) => (await under.tasksOf(id))[0]!;

type Connection = Pick<PoolClient, 'query' | 'release'>;

/** The pool; `change` overrides methods of each of its connections. */
function changedPool(change: (client: PoolClient) => Partial<Record<keyof Connection, unknown>>): Pool {
  return new Proxy(under.pool, {
    get(pool, name) {
      if (name !== 'connect') return Reflect.get(pool, name) as unknown;
      return async () => {
        const client = await pool.connect();
        const usual = { query: client.query.bind(client), release: client.release.bind(client) };
        return { ...usual, on: () => undefined, off: () => undefined, ...change(client) };
      };
    },
  });
}

/** The pool with its first COMMIT replaced by `onCommit`. */
function poolWithOwnCommit(onCommit: (client: PoolClient) => Promise<void>): Pool {
  let done = false;
  return changedPool((client) => ({
    query: async (statement: string) => {
      if (statement !== 'commit' || done) return client.query(statement);
      done = true;
      return onCommit(client);
    },
  }));
}

/** The pool; its first transaction fails at once by a lost connection, while PostgreSQL still executes its COMMIT. */
function slowToCommit(): Pool {
  let done = false;
  return changedPool((client) => {
    if (done) return {};
    done = true;
    let committed: Promise<unknown> = Promise.resolve();
    return {
      query: async (statement: string) => {
        if (statement === 'rollback') return;
        if (statement !== 'commit') return client.query(statement);
        committed = sleep(300).then(() => client.query('commit'));
        throw lost;
      },
      release: () => void committed.then(() => client.release()),
    };
  });
}

const lost = Object.assign(new Error('Connection terminated unexpectedly'), { code: '08006' });

describe('a write of a task', () => {
  it('commits data, counters and progress together', async () => {
    const { id, run } = await start();
    const answer = await run.write(
      async (tx, count) => {
        await note(1)(tx);
        count('FetcherStatus', 'SUCCESS');
        count('FetcherStatus', 'bytes', 10);
        return 'written';
      },
      { place: 1 },
    );
    expect(answer).toBe('written');
    expect(await notes()).toEqual([1]);
    const counters = { FetcherStatus: { SUCCESS: 1, bytes: 10 } };
    expect(await taskOf(id)).toMatchObject({ writes: 1, lost: 0, counters, progress: { place: 1 } });
    expect(run).toMatchObject({ counters, progress: { place: 1 } });
  });

  it('keeps the progress when none is given, and can compute it from the result of the work', async () => {
    const { id, run } = await start();
    await run.write(note(1), { place: 1 });
    await run.write(note(2));
    expect((await taskOf(id)).progress).toEqual({ place: 1 });
    await run.write(
      async () => 7,
      (n) => ({ made: n }),
    );
    expect((await taskOf(id)).progress).toEqual({ made: 7 });
  });

  it('that fails changes neither data nor counters nor progress', async () => {
    const { id, run } = await start();
    await run.write(async (_tx, count) => count('G', 'n', 2), { place: 1 });
    const failed = run.write(
      async (tx, count) => {
        await note(1)(tx);
        count('G', 'n', 5);
        throw new Error('no');
      },
      { place: 2 },
    );
    await expect(failed).rejects.toThrow('no');
    expect(await notes()).toEqual([]);
    expect(await taskOf(id)).toMatchObject({ writes: 1, counters: { G: { n: 2 } }, progress: { place: 1 } });
    expect(run).toMatchObject({ counters: { G: { n: 2 } }, progress: { place: 1 } });
    await run.write(async (_tx, count) => count('G', 'n'));
    expect((await taskOf(id)).counters).toEqual({ G: { n: 3 } });
  });

  it('runs after the previous one, so that no count is lost', async () => {
    const { id, run } = await start();
    await Promise.all(Array.from({ length: 20 }, () => run.write(async (_tx, count) => count('G', 'n'))));
    expect(await taskOf(id)).toMatchObject({ writes: 20, counters: { G: { n: 20 } } });
  });

  it('continues with the counters of earlier attempts', async () => {
    const { id, claim, run } = await start();
    await run.write(async (_tx, count) => count('G', 'n', 4));
    await under.tasks.release(claim);
    const next = await runOf(id, (await under.claimNext())!);
    await next.write(async (_tx, count) => count('G', 'n', 3));
    expect(await taskOf(id)).toMatchObject({ writes: 2, counters: { G: { n: 7 } } });
  });

  it.each(['40P01', '40001', '55P03', '57P01', '08006', '53300'])('is repeated as a whole after %s', async (code) => {
    const { id, run } = await start();
    let attempts = 0;
    await run.write(async (tx, count) => {
      await note(1)(tx);
      count('G', 'n');
      if (++attempts < 3) throw Object.assign(new Error('again'), { code });
    });
    expect(attempts).toBe(3);
    expect(await notes()).toEqual([1]);
    expect(await taskOf(id)).toMatchObject({ writes: 1, counters: { G: { n: 1 } } });
  });

  it('is not repeated after an error of the statement itself', async () => {
    const { run } = await start();
    let attempts = 0;
    const wrong = run.write(async (tx) => {
      attempts++;
      await note(1)(tx);
      await note(1)(tx);
    });
    await expect(wrong).rejects.toMatchObject({ code: '23505' });
    expect(attempts).toBe(1);
  });

  it('is repeated when its connection is cut', async () => {
    const { id, run } = await start();
    let attempts = 0;
    await run.write(async (tx, count) => {
      await note(1)(tx);
      count('G', 'n');
      if (++attempts > 1) return;
      const pid = (await (tx as PoolClient).query('select pg_backend_pid() as pid')).rows[0].pid as number;
      await under.db.query('select pg_terminate_backend($1::int)', [pid]);
      await new Promise((wake) => setTimeout(wake, 100));
    });
    expect(attempts).toBe(2);
    expect(await notes()).toEqual([1]);
    expect(await taskOf(id)).toMatchObject({ writes: 1, counters: { G: { n: 1 } } });
  });
});

describe('a write whose COMMIT got no response', () => {
  const work =
    (n: number) => async (tx: Parameters<ReturnType<typeof note>>[0], count: (g: string, n: string) => void) => {
      await note(n)(tx);
      count('G', 'n');
      return n;
    };

  it('is not repeated when the COMMIT took effect, as the count of writes shows', async () => {
    const pool = poolWithOwnCommit(async (client) => {
      await client.query('commit');
      throw lost;
    });
    const { id, run } = await start({ pool });
    expect(await run.write(work(1), { place: 1 })).toBe(1);
    expect(await run.write(work(2), { place: 2 })).toBe(2);
    expect(await notes()).toEqual([1, 2]);
    expect(await taskOf(id)).toMatchObject({ writes: 2, counters: { G: { n: 2 } }, progress: { place: 2 } });
  });

  it('waits for a COMMIT still in progress and is not repeated', async () => {
    const { id, run } = await start({ pool: slowToCommit() });
    expect(await run.write(work(1), { place: 1 })).toBe(1);
    expect(await notes()).toEqual([1]);
    expect(await taskOf(id)).toMatchObject({ writes: 1, counters: { G: { n: 1 } }, progress: { place: 1 } });
  });

  it('is repeated when the COMMIT did not take effect', async () => {
    const pool = poolWithOwnCommit(async (client) => {
      await client.query('rollback');
      throw lost;
    });
    const { id, run } = await start({ pool });
    expect(await run.write(work(1))).toBe(1);
    expect(await notes()).toEqual([1]);
    expect(await taskOf(id)).toMatchObject({ writes: 1, counters: { G: { n: 1 } } });
  });

  it('writes nothing more when the attempt ends without knowing', async () => {
    const { id, claims } = await under.running(1);
    const pool = poolWithOwnCommit(async (client) => {
      await client.query('commit');
      run.abort.abort();
      throw lost;
    });
    const run = await runOf(id, claims[0]!, { pool });
    await expect(run.write(work(1))).rejects.toThrow(lost);
    await expect(run.write(work(2))).rejects.toThrow(LeaseLost);
    expect(await notes()).toEqual([1]);
    expect(await taskOf(id)).toMatchObject({ writes: 1, counters: { G: { n: 1 } } });
  });
});

describe('a run whose task another attempt has claimed', () => {
  it('writes neither data nor counters', async () => {
    const { id, claim, run } = await start();
    await under.expire(claim.task);
    await under.tasks.rescue();
    const next = await runOf(id, (await under.claimNext())!);
    await expect(run.write(note(1))).rejects.toThrow(LeaseLost);
    await next.write(note(2));
    expect(await notes()).toEqual([2]);
  });
});

describe('a step that throws', () => {
  it('ends when the write that it began has been committed; nothing is written later', async () => {
    const { id, run } = await start();
    const order: string[] = [];
    const write = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const failing: Step<object> = {
      async run(given) {
        void given.write(async (tx) => {
          begun.resolve();
          await write.promise;
          await note(1)(tx);
        });
        await begun.promise;
        throw new Error('a bug of ours');
      },
    };
    const ended = failing
      .run(run)
      .finally(() => run.close())
      .catch((error: Error) => order.push(error.message));
    await begun.promise;
    setTimeout(() => {
      order.push('committing');
      write.resolve();
    }, 100);
    await ended;
    expect(order).toEqual(['committing', 'a bug of ours']);
    expect(await notes()).toEqual([1]);
    await expect(run.write(note(2))).rejects.toThrow(LeaseLost);
    expect(await notes()).toEqual([1]);
    expect(await taskOf(id)).toMatchObject({ writes: 1 });
  });
});

describe('a page at whose parsing processes have ended', () => {
  it('is tried again until it has ended as many as are allowed, and then given up', async () => {
    const { id, claim } = await start();
    const deaths = { tried: MAX_LOST - 1, deadly: MAX_LOST };
    const run = await runOf(id, { ...claim, deaths });
    const parse = (key: string) => run.atRisk(key, () => `parsed ${key}`);
    expect(['new', 'tried', 'deadly'].map(parse)).toEqual(['parsed new', 'parsed tried', undefined]);
  });
});

describe('the plan of a job', () => {
  it('is made once and shared by all attempts and parts', async () => {
    const { id, claim, run } = await start();
    expect(await run.plan(async () => ({ parts: 3, batch: 'b' }))).toEqual({ parts: 3, batch: 'b' });
    expect((await under.tasksOf(id)).map(({ part }) => part)).toEqual([0, 1, 2]);
    await under.tasks.release(claim);
    for (let i = 0; i < 3; i++) {
      const next = await runOf(id, (await under.claimNext())!);
      expect(await next.plan(() => Promise.reject(new Error('made again')))).toEqual({ parts: 3, batch: 'b' });
    }
  });

  it('of null leaves the job without a plan', async () => {
    const { id, run } = await start();
    expect(await run.plan(async () => null)).toBeNull();
    expect(await under.job(id)).toMatchObject({ plan: null });
  });
});

it('a warning is stored as an event of the job', async () => {
  const { id, run } = await start();
  await run.warn('slow host', { host: 'x' });
  const [warning] = (await eventsOf(under.pool, id)).filter(({ kind }) => kind === 'warning');
  expect(warning!.data).toEqual({ part: 0, message: 'slow host', host: 'x' });
});
