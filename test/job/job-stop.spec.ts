import { describe, expect, it } from 'vitest';
import { transaction } from '../../src/db/sql.js';
import { under, useJobs } from './jobs-under-test.js';

useJobs();

describe('stop and abort', () => {
  const request = (how: 'stop' | 'abort', id: string) =>
    how === 'stop' ? under.jobs.requestStop(id) : under.jobs.requestAbort(id);

  it.each(['stop', 'abort'] as const)('%s of an IDLE job makes it KILLED, and its task is not claimed', async (how) => {
    const { id } = await under.create();
    expect(await request(how, id)).toBe(true);
    expect(await under.job(id)).toMatchObject({
      state: 'KILLED',
      startedAt: null,
      result: { reason: 'stopped', counters: {} },
    });
    expect(await under.claimNext()).toBeUndefined();
    expect((await under.tasksOf(id)).map(({ state }) => state)).toEqual(['DONE']);
  });

  it('stop of a running job: FINISHED with reason stopped and its counters', async () => {
    const { id, claims } = await under.running(2);
    await under.write(claims[0]!, { FetcherStatus: { SUCCESS: 4 } });
    expect(await under.jobs.requestStop(id)).toBe(true);
    expect(await under.job(id)).toMatchObject({ state: 'STOPPING', endedAt: null });
    expect(await under.jobs.requestStop(id)).toBe(false);
    await under.tasks.finish(claims[0]!, { reason: 'stopped' });
    await under.tasks.finish(claims[1]!, { reason: 'done' });
    expect(await under.job(id)).toMatchObject({
      state: 'FINISHED',
      msg: 'OK: stopped on request',
      result: { result: '0', reason: 'stopped', counters: { FetcherStatus: { SUCCESS: 4 } } },
    });
  });

  it('stop of a running job whose tasks all end with done: reason stopped', async () => {
    const { id, claims } = await under.running(2);
    await under.jobs.requestStop(id);
    for (const claim of claims) await under.tasks.finish(claim, { reason: 'done' });
    expect(await under.job(id)).toMatchObject({ state: 'FINISHED', result: { result: '0', reason: 'stopped' } });
  });

  it.each([false, true])('abort of a running job: KILLED (stopped before: %s)', async (stopped) => {
    const { id, claims } = await under.running(1);
    if (stopped) await under.jobs.requestStop(id);
    expect(await under.jobs.requestAbort(id)).toBe(true);
    expect(await under.job(id)).toMatchObject({ state: 'KILLING', endedAt: null });
    expect(await under.jobs.requestAbort(id)).toBe(false);
    expect(await under.jobs.requestStop(id)).toBe(false);
    await under.tasks.finish(claims[0]!, { reason: 'stopped' });
    expect(await under.job(id)).toMatchObject({ state: 'KILLED', msg: 'killed', result: { reason: 'stopped' } });
  });

  it('abort of a running job whose task then fails: KILLED', async () => {
    const { id, claims } = await under.running(1);
    await under.jobs.requestAbort(id);
    await under.tasks.fail(claims[0]!, 'ERROR: cut off');
    expect((await under.job(id)).state).toBe('KILLED');
  });

  it('abort makes a job KILLED at once when all its tasks wait', async () => {
    const { id, claims } = await under.running(1);
    await under.tasks.release(claims[0]!);
    expect(await under.jobs.requestAbort(id)).toBe(true);
    expect((await under.job(id)).state).toBe('KILLED');
    expect(await under.claimNext()).toBeUndefined();
  });

  it('after an abort unstarted tasks are claimed while others run, so that each reports its rest', async () => {
    await under.create({ crawlId: 'another' });
    const { id, claims } = await under.running(1);
    await transaction(under.db.pool, (tx) => under.tasks.split(tx, id, 2));
    expect(await under.jobs.requestAbort(id)).toBe(true);
    await under.tasks.rescue();
    const claim = (await under.claimNext())!;
    expect(claim).toMatchObject({ job: id, part: 1 });
    await under.tasks.finish(claims[0]!, { reason: 'stopped' });
    expect((await under.job(id)).state).toBe('KILLING');
    await under.tasks.finish(claim, { reason: 'stopped', extra: { left: 7 } });
    expect(await under.job(id)).toMatchObject({ state: 'KILLED', result: { reason: 'stopped', left: 7 } });
  });

  it('an aborted job ends when no task runs, although one was not started', async () => {
    const { id, claims } = await under.running(1);
    await transaction(under.db.pool, (tx) => under.tasks.split(tx, id, 2));
    await under.jobs.requestAbort(id);
    await under.tasks.finish(claims[0]!, { reason: 'stopped' });
    await under.tasks.rescue();
    expect((await under.job(id)).state).toBe('KILLED');
  });

  it('after a stop its waiting tasks are claimed before all others, so that each reports its rest', async () => {
    await under.create({ crawlId: 'another' });
    const { id, claims } = await under.running(1);
    await under.tasks.release(claims[0]!);
    expect(await under.jobs.requestStop(id)).toBe(true);
    expect((await under.job(id)).state).toBe('STOPPING');
    const claim = (await under.claimNext())!;
    expect(claim.job).toBe(id);
    await under.tasks.finish(claim, { reason: 'stopped', extra: { left: 7 } });
    expect(await under.job(id)).toMatchObject({ state: 'FINISHED', result: { reason: 'stopped', left: 7 } });
  });

  it.each(['stop', 'abort'] as const)(
    '%s of an ended or unknown job returns false and changes nothing',
    async (how) => {
      const { id, claims } = await under.running(1);
      await under.tasks.finish(claims[0]!, { reason: 'done' });
      const before = await under.job(id);
      expect(await request(how, id)).toBe(false);
      expect(await under.job(id)).toEqual(before);
      expect(await request(how, 'none-c-FETCH-1')).toBe(false);
    },
  );

  it('a stop concurrent with a claim ends the job in either order', async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await under.create();
      const [message] = await under.announced();
      const [stopped, claim] = await Promise.all([under.jobs.requestStop(id), under.tasks.claim(message!, 'w')]);
      expect(stopped).toBe(true);
      if (claim) await under.tasks.finish(claim, { reason: 'stopped' });
      expect((await under.job(id)).state).toBe(claim ? 'FINISHED' : 'KILLED');
    }
  });
});
