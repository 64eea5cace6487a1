import { describe, expect, it } from 'vitest';
import { transaction } from '../../src/db/sql.js';
import { MAX_GIVEN_UP, MAX_KILLED, MAX_LOST } from '../../src/job/lost-tasks.js';
import { eventsOf } from '../../src/job/job-event.store.js';
import type { Claim } from '../../src/job/claim.js';
import { under, useJobs } from './jobs-under-test.js';

useJobs({ without: 'jobs' });

describe('lost attempts of a task', () => {
  async function lose(task: string): Promise<void> {
    await under.expire(task);
    await under.tasks.rescue();
  }

  it(`${MAX_LOST} in a row without a write fail the job with a message`, async () => {
    const { id, claims } = await under.running(1);
    for (let i = 1; i < MAX_LOST; i++) {
      await lose(claims[0]!.task);
      expect((await under.job(id)).state).toBe('RUNNING');
      expect((await under.claimNext())!.task).toBe(claims[0]!.task);
    }
    await lose(claims[0]!.task);
    expect(await under.job(id)).toMatchObject({
      state: 'FAILED',
      msg: expect.stringMatching(/^ERROR: FETCH: task \d+ was lost 3 times in a row without any progress$/),
      result: { result: '-1', reason: 'failed' },
    });
    expect(await under.claimNext()).toBeUndefined();
  });

  it('are events of the job, with the lost worker', async () => {
    const { id, claims } = await under.running(1);
    await lose(claims[0]!.task);
    const events = (await eventsOf(under.pool, id)).filter(({ data }) => data['lost'] !== undefined);
    expect(events).toMatchObject([{ kind: 'task', data: { part: 0, state: 'WAITING', lost: true, msg: 'lost by w' } }]);
  });

  it(`that ended with their whole server fail the job only after ${MAX_KILLED} in a row`, async () => {
    await under.announced();
    const { id } = await under.create();
    const task = (await under.claimNext('doomed'))!.task;
    for (let i = 1; i < MAX_KILLED; i++) {
      await under.tasks.rescue({ owners: ['doomed'], withServer: ['doomed'] });
      expect((await under.tasksOf(id))[0]).toMatchObject({ state: 'WAITING', lost: 0 });
      expect((await under.claimNext('doomed'))!.task).toBe(task);
    }
    await under.tasks.rescue({ owners: ['doomed'], withServer: ['doomed'] });
    expect(await under.job(id)).toMatchObject({ state: 'FAILED', msg: expect.stringContaining('30 times') as string });
  });

  describe('with a crash marker that names a page', () => {
    const key = 'test.site:http/deadly';
    const die = ({ task, token }: Claim, { key: hand = key, withServer = false } = {}) =>
      under.tasks.rescue({
        owners: ['worker'],
        withServer: withServer ? ['worker'] : [],
        pages: [{ owner: 'worker', task, token, key: hand }],
      });

    it(`count for the page, also with writes between: after ${MAX_LOST} the page is given up, not the task`, async () => {
      await under.announced();
      const { id } = await under.create();
      for (let n = 0; n < MAX_LOST; n++) {
        const claim = (await under.claimNext('worker'))!;
        expect(claim.deaths).toEqual(n === 0 ? {} : { [key]: n });
        if (n === 1) await under.write(claim, {});
        await die(claim);
      }
      const claim = (await under.claimNext('worker'))!;
      expect(claim.deaths).toEqual({ [key]: MAX_LOST });
      expect((await under.tasksOf(id))[0]).toMatchObject({ lost: 1 });
      const warnings = (await eventsOf(under.pool, id)).filter(({ kind }) => kind === 'warning');
      expect(warnings.map(({ data }) => data)).toEqual([
        { part: 0, message: 'given up: it has ended 3 workers', url: 'http://site.test/deadly' },
      ]);
      await under.tasks.finish(claim, { reason: 'done' });
    });

    it('count per page in any order, and not for the task', async () => {
      await under.announced();
      const { id } = await under.create();
      const pages = ['a', 'b', 'a', 'c', 'b', 'c', 'a', 'b', 'c'];
      for (const one of pages) await die((await under.claimNext('worker'))!, { key: one });
      const claim = (await under.claimNext('worker'))!;
      expect(claim).toMatchObject({ job: id, deaths: { a: 3, b: 3, c: 3 } });
      await under.tasks.finish(claim, { reason: 'done' });
    });

    it(`fail the job when more than ${MAX_GIVEN_UP} pages were given up`, async () => {
      await under.announced();
      const { id } = await under.create();
      for (let n = 0; n < (MAX_GIVEN_UP + 1) * MAX_LOST; n++) {
        expect((await under.job(id)).state).not.toBe('FAILED');
        await die((await under.claimNext('worker'))!, { key: `test.site:http/${Math.floor(n / MAX_LOST)}` });
      }
      const msg = expect.stringMatching(
        /^ERROR: FETCH: task \d+ has 11 pages that have ended 3 workers each, the last one http:\/\/site\.test\/10$/,
      ) as string;
      expect(await under.job(id)).toMatchObject({ state: 'FAILED', msg });
    });

    it('are passed on to a new part of the task', async () => {
      await under.announced();
      const { id } = await under.create();
      await die((await under.claimNext('worker'))!);
      const { deaths } = (await under.claimNext('worker'))!;
      await transaction(under.pool, (tx) => under.tasks.addPartition(tx, id, { part: 1, progress: {}, deaths }));
      expect((await under.claimNext('worker'))!).toMatchObject({ part: 1, deaths: { [key]: 1 } });
      await under.jobs.requestAbort(id);
      await under.tasks.rescue({ owners: ['worker'] });
    });

    it('do not count for other tasks of the process', async () => {
      await under.announced();
      const [guilty, other] = [await under.create(), await under.create()];
      for (let n = 0; n < MAX_LOST; n++) {
        const claims = [(await under.claimNext('worker'))!, (await under.claimNext('worker'))!];
        await die(claims.find(({ job }) => job === guilty.id)!);
      }
      expect((await under.tasksOf(other.id))[0]).toMatchObject({ state: 'WAITING', lost: 0 });
      expect(await under.job(other.id)).toMatchObject({ state: 'RUNNING' });
      await under.announced();
    });

    it('do not count for the page if from an older attempt or of a process that ended with its server', async () => {
      await under.announced();
      await under.create();
      const first = (await under.claimNext('worker'))!;
      await die(first, { withServer: true });
      const second = (await under.claimNext('worker'))!;
      await die({ ...second, token: first.token });
      expect((await under.claimNext('worker'))!.deaths).toEqual({});
    });
  });

  it('are reset by any write: a job finishes after a hundred lost attempts with writes', async () => {
    const { id, claims } = await under.running(1);
    let claim = claims[0]!;
    for (let i = 0; i < 100; i++) {
      await under.write(claim, { FetcherStatus: { SUCCESS: i + 1 } });
      await lose(claim.task);
      claim = (await under.claimNext())!;
    }
    await under.tasks.finish(claim, { reason: 'done' });
    expect(await under.job(id)).toMatchObject({
      state: 'FINISHED',
      result: { counters: { FetcherStatus: { SUCCESS: 100 } } },
    });
  });

  it('do not include attempts released at shutdown', async () => {
    const { id, claims } = await under.running(1);
    let claim = claims[0]!;
    for (let i = 0; i < 5; i++) {
      await under.tasks.release(claim);
      expect((await under.tasksOf(id))[0]).toMatchObject({ state: 'WAITING', lost: 0 });
      claim = (await under.claimNext())!;
      expect(claim.token).toBe(2 * (i + 1) + 1);
    }
    expect((await under.job(id)).state).toBe('RUNNING');
  });

  it('make an aborted job KILLED when the last one is lost', async () => {
    const { id, claims } = await under.running(1);
    for (let i = 1; i < MAX_LOST; i++) {
      await lose(claims[0]!.task);
      await under.claimNext();
    }
    await under.jobs.requestAbort(id);
    await lose(claims[0]!.task);
    expect((await under.job(id)).state).toBe('KILLED');
  });
});
