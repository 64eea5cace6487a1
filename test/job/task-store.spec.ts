import { describe, expect, it } from 'vitest';
import { transaction } from '../../src/db/sql.js';
import { LeaseLost } from '../../src/job/claim.js';
import type { TaskStore } from '../../src/job/task.store.js';
import { under, useJobs } from './jobs-under-test.js';

useJobs({ without: 'jobs' });

describe('TaskStore.claim', () => {
  it('sets token, owner and lease, and moves the job from IDLE to RUNNING', async () => {
    const { id } = await under.create();
    const claim = await under.claimNext('worker 1');
    expect(claim).toMatchObject({ job: id, part: 0, token: 1, writes: 0, counters: {}, progress: null });
    expect((await under.tasksOf(id))[0]).toMatchObject({ state: 'RUNNING', owner: 'worker 1', lost: 1, leased: true });
    expect(await under.job(id)).toMatchObject({ state: 'RUNNING', msg: 'OK' });
  });

  it('succeeds for one of several workers that claim the same task at once', async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await under.create();
      const [message] = await under.announced();
      const claims = await Promise.all(['a', 'b', 'c'].map((owner) => under.tasks.claim(message!, owner)));
      expect(claims.filter(Boolean)).toHaveLength(1);
      expect((await under.tasksOf(id))[0]).toMatchObject({ token: 1, lost: 1 });
    }
  });

  it('ignores a message that arrives twice or late (fault F15)', async () => {
    const { id } = await under.create();
    const [message] = await under.announced();
    const claim = (await under.tasks.claim(message!, 'a'))!;
    expect(await under.tasks.claim(message!, 'b')).toBeUndefined();
    await under.tasks.finish(claim, { reason: 'done' });
    const before = [await under.job(id), await under.tasksOf(id)];
    expect(await under.tasks.claim(message!, 'b')).toBeUndefined();
    expect([await under.job(id), await under.tasksOf(id)]).toEqual(before);
  });

  it('returns undefined for a message with an unknown task or another job', async () => {
    const { id } = await under.create();
    const [message] = await under.announced();
    expect(await under.tasks.claim({ job: id, task: '0' }, 'a')).toBeUndefined();
    expect(await under.tasks.claim({ job: 'none-c-FETCH-1', task: message!.task }, 'a')).toBeUndefined();
  });

  it('split creates each partition once when repeated', async () => {
    const { id } = await under.running(1);
    for (const parts of [3, 3, 2]) await transaction(under.pool, (tx) => under.tasks.split(tx, id, parts));
    expect((await under.tasksOf(id)).map(({ part }) => part)).toEqual([0, 1, 2]);
    expect(await under.announced()).toHaveLength(2);
  });
});

describe('the token of a claim', () => {
  /** A task whose first owner lost it to a second one. */
  async function handedOver() {
    const { id, claims } = await under.running(1);
    await under.expire(claims[0]!.task);
    await under.tasks.rescue();
    const second = (await under.claimNext('second'))!;
    expect(second.token).toBeGreaterThan(claims[0]!.token);
    return { id, stale: claims[0]!, second };
  }

  it('locks its task for a transaction', async () => {
    const { stale, second } = await handedOver();
    await transaction(under.pool, async (tx) => {
      expect(await under.tasks.lock(tx, second)).toBe(0);
      await expect(under.tasks.lock(tx, stale)).rejects.toThrow(LeaseLost);
    });
  });

  it.each<[string, (claim: Parameters<TaskStore['finish']>[0]) => Promise<unknown>]>([
    ['a write', (claim) => under.write(claim, { FetcherStatus: { SUCCESS: 1 } })],
    ['finish', (claim) => under.tasks.finish(claim, { reason: 'done' })],
    ['fail', (claim) => under.tasks.fail(claim, 'ERROR: late')],
  ])('when stale makes %s fail without a change', async (_what, act) => {
    const { id, stale } = await handedOver();
    const before = [await under.job(id), await under.tasksOf(id)];
    await expect(act(stale)).rejects.toThrow(LeaseLost);
    expect([await under.job(id), await under.tasksOf(id)]).toEqual(before);
  });

  it('when stale makes release have no effect', async () => {
    const { id, stale } = await handedOver();
    const before = await under.tasksOf(id);
    await under.tasks.release(stale);
    expect(await under.tasksOf(id)).toEqual(before);
    expect(await under.announced()).toEqual([]);
  });

  it('is invalid as soon as the task is rescued, before the next claim', async () => {
    const { claims } = await under.running(1);
    await under.expire(claims[0]!.task);
    await under.tasks.rescue();
    await expect(under.tasks.finish(claims[0]!, { reason: 'done' })).rejects.toThrow(LeaseLost);
  });

  it('protects an open write: rescue skips the task although its lease has expired, and frees it after the commit', async () => {
    const { claims } = await under.running(1);
    const [claim] = claims;
    await transaction(under.pool, async (tx) => {
      await under.tasks.lock(tx, claim!);
      await under.expire(claim!.task);
      expect(await under.tasks.rescue()).toBe(0);
      await under.tasks.wrote(tx, claim!, { FetcherStatus: { SUCCESS: 1 } }, { place: 7 });
    });
    expect(await under.tasks.rescue()).toBe(1);
    expect(await under.claimNext()).toMatchObject({
      writes: 1,
      counters: { FetcherStatus: { SUCCESS: 1 } },
      progress: { place: 7 },
    });
  });

  it('survives rescue with expired: false after the lease has expired, unless the owner is dead', async () => {
    const { id } = await under.create();
    const claim = (await under.claimNext('silent one'))!;
    await under.expire(claim.task);
    const state = async () => (await under.tasksOf(id))[0]!.state;
    await under.tasks.rescue({ expired: false, owners: ['another'] });
    expect(await state()).toBe('RUNNING');
    await under.tasks.rescue({ expired: false, owners: ['silent one'] });
    expect(await state()).toBe('WAITING');
  });

  it('does not block the renewal of the lease during a long write', async () => {
    const { id, claims } = await under.running(1);
    await transaction(under.pool, async (tx) => {
      await under.tasks.lock(tx, claims[0]!);
      await under.expire(claims[0]!.task);
      await under.db.query(`update job_task set lease_until = now() + interval '20 s' where id = $1`, [
        claims[0]!.task,
      ]);
    });
    expect(await under.tasks.rescue()).toBe(0);
    expect((await under.tasksOf(id))[0]).toMatchObject({ state: 'RUNNING', leased: true });
  });
});

describe('tasks that end concurrently', () => {
  it('do not deadlock, and the last one ends the job with the summed counters', async () => {
    const { id, claims } = await under.running(8);
    const ends = claims.map((claim) => under.tasks.finish(claim, { reason: 'done' }, { F: { left: 1 } }));
    expect((await Promise.allSettled(ends)).filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(await under.job(id)).toMatchObject({ state: 'FINISHED', result: { counters: { F: { left: 8 } } } });
  });

  it('of a KILLING job end it together with the rescue of lost ones', async () => {
    const { id, claims } = await under.running(8);
    await under.jobs.requestAbort(id);
    for (const { task } of claims.slice(0, 4)) await under.expire(task);
    const ends = claims.slice(4).map((claim) => under.tasks.finish(claim, { reason: 'stopped' }, {}));
    const all = await Promise.allSettled([under.tasks.rescue(), under.tasks.rescue(), ...ends]);
    expect(all.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect((await under.job(id)).state).toBe('KILLED');
  });
});

describe('TaskStore.rescue', () => {
  it('frees and announces tasks with an expired lease, and no others', async () => {
    const [dead, living] = [await under.running(1), await under.running(1)];
    await under.expire(dead.claims[0]!.task);
    expect(await under.tasks.rescue()).toBe(1);
    expect((await under.tasksOf(dead.id))[0]).toMatchObject({ state: 'WAITING', leased: null });
    expect((await under.tasksOf(living.id))[0]).toMatchObject({ state: 'RUNNING', token: living.claims[0]!.token });
    expect(await under.announced()).toEqual([{ job: dead.id, task: dead.claims[0]!.task }]);
  });

  it('frees the tasks of dead owners regardless of their lease', async () => {
    const { id } = await under.create();
    await under.claimNext('dead one');
    expect(await under.tasks.owners()).toContain('dead one');
    expect(await under.tasks.rescue({ owners: ['dead one'] })).toBe(1);
    expect((await under.tasksOf(id))[0]!.state).toBe('WAITING');
  });

  it('frees a task once when run concurrently', async () => {
    const { id, claims } = await under.running(1);
    await under.expire(claims[0]!.task);
    const freed = await Promise.all([under.tasks.rescue(), under.tasks.rescue(), under.tasks.rescue()]);
    expect(freed.reduce((sum, n) => sum + n)).toBe(1);
    expect((await under.tasksOf(id))[0]!.token).toBe(claims[0]!.token + 1);
  });

  it('announces a waiting task again after ten seconds without a claim', async () => {
    const { id } = await under.create();
    await under.announced();
    await under.tasks.rescue();
    expect(await under.announced()).toEqual([]);
    await under.db.query(`update job_task set queued_at = now() - interval '11 seconds' where job = $1`, [id]);
    await under.tasks.rescue();
    expect((await under.announced()).map(({ job }) => job)).toEqual([id]);
    await under.tasks.rescue();
    expect(await under.announced()).toEqual([]);
  });

  it('does not send a second message while the first is in the queue', async () => {
    const { id } = await under.create();
    for (let i = 0; i < 3; i++) {
      await under.db.query(`update job_task set queued_at = now() - interval '11 seconds' where job = $1`, [id]);
      await under.tasks.rescue();
    }
    expect((await under.announced()).map(({ job }) => job)).toEqual([id]);
  });

  it.each(['KILLING', 'FAILED'] as const)('ends the freed tasks of a job that is %s', async (state) => {
    const { id, claims } = await under.running(2);
    if (state === 'KILLING') await under.jobs.requestAbort(id);
    else await under.tasks.fail(claims[0]!, 'ERROR: x');
    for (const { task } of claims) {
      await under.db.query(
        `update job_task set lease_until = now() - interval '1 s' where id = $1 and state = 'RUNNING'`,
        [task],
      );
    }
    await under.tasks.rescue();
    expect((await under.tasksOf(id)).map((task) => task.state)).toEqual(['DONE', 'DONE']);
    expect((await under.job(id)).state).toBe(state === 'KILLING' ? 'KILLED' : 'FAILED');
  });

  it('frees the task of a STOPPING job, which the next worker ends', async () => {
    const { id, claims } = await under.running(1);
    await under.jobs.requestStop(id);
    await under.expire(claims[0]!.task);
    await under.tasks.rescue();
    await under.tasks.finish((await under.claimNext())!, { reason: 'stopped' });
    expect(await under.job(id)).toMatchObject({ state: 'FINISHED', result: { reason: 'stopped' } });
  });
});

describe('TaskStore.release', () => {
  it('announces the task at once and keeps its writes and counters', async () => {
    const { id, claims } = await under.running(1);
    await under.write(claims[0]!, { ParserStatus: { success: 3 } });
    await under.tasks.release(claims[0]!);
    expect(await under.claimNext('next')).toMatchObject({
      job: id,
      writes: 1,
      counters: { ParserStatus: { success: 3 } },
    });
    await expect(under.tasks.finish(claims[0]!, { reason: 'done' })).rejects.toThrow(LeaseLost);
  });
});
