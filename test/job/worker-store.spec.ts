import { beforeEach, describe, expect, it } from 'vitest';
import {
  type WorkerStatistics,
  type WorkerSelf,
  countWorkers,
  declareLost,
  deleteLost,
  idleWorkers,
  listWorkers,
  livingWorkers,
  recordHeartbeat,
  registerWorker,
  removeWorker,
  removeWorkers,
} from '../../src/job/worker.store.js';
import { under, useJobs } from './jobs-under-test.js';

useJobs({ without: 'jobs' });
beforeEach(() => under.db.query('delete from worker'));

const self = (id: string, server = 's1'): WorkerSelf => ({
  id,
  server,
  machine: 'm',
  pid: 7,
  role: 'worker',
  version: '0.1.0',
  slots: 3,
});
const well: WorkerStatistics = { leaving: false, pagesPerSecond: 12.5, load: 0.5, memoryBytes: 3e9 };
const sign = (id: string, server?: string, statistics = well) =>
  registerWorker(under.pool, self(id, server), statistics);
const silentFor = (id: string, seconds: number) =>
  under.db.query(`update worker set seen_at = now() - make_interval(secs => $2) where id = $1`, [id, seconds]);
const all = () => listWorkers(under.pool, { after: '', limit: 100 });

describe('the table worker', () => {
  it('has one row per worker, which signOn updates', async () => {
    await sign('a');
    await sign('a', 's1', { ...well, memoryBytes: 4e9 });
    expect(await all()).toEqual([
      {
        ...self('a'),
        leaving: false,
        pagesPerSecond: 12.5,
        load: 0.5,
        memoryBytes: 4e9,
        state: 'alive',
        tasks: [],
        startedAt: expect.any(Date) as Date,
        seenAt: expect.any(Date) as Date,
      },
    ]);
  });

  it('contains leaving and lost workers; lost ones are deleted after an hour', async () => {
    for (const id of ['a', 'b', 'c', 'd']) await sign(id, 's1', { ...well, leaving: id === 'b' });
    await silentFor('c', 21);
    await silentFor('d', 3_700);
    expect((await all()).map(({ id, state }) => [id, state])).toEqual([
      ['a', 'alive'],
      ['b', 'leaving'],
      ['c', 'lost'],
      ['d', 'lost'],
    ]);
    expect(await deleteLost(under.pool)).toBe(1);
    await removeWorker(under.pool, 'b');
    expect((await all()).map(({ id }) => id)).toEqual(['a', 'c']);
  });

  it('is read by cursor, with the running tasks of each worker', async () => {
    for (const id of ['a', 'b', 'c']) await sign(id);
    const { id: job } = await under.create();
    const claim = (await under.claimNext('b'))!;
    await under.write(claim, { FetcherStatus: { SUCCESS: 2 } });
    const first = await listWorkers(under.pool, { after: '', limit: 2 });
    expect(first.map(({ id, tasks }) => [id, tasks.length])).toEqual([
      ['a', 0],
      ['b', 1],
    ]);
    expect(first[1]!.tasks[0]).toMatchObject({
      job,
      type: 'FETCH',
      crawlId: 'k',
      part: 0,
      counters: { FetcherStatus: { SUCCESS: 2 } },
      since: expect.any(Date) as Date,
    });
    expect((await listWorkers(under.pool, { after: 'b', limit: 2 })).map(({ id }) => id)).toEqual(['c']);
  });

  it('counts the alive workers that are not leaving, and their servers', async () => {
    expect(await countWorkers(under.pool)).toEqual({ processes: 1, servers: 1 });
    await sign('a');
    await sign('b');
    await sign('c', 's2');
    await sign('d', 's3', { ...well, leaving: true });
    await sign('e', 's4');
    await silentFor('e', 21);
    expect(await countWorkers(under.pool)).toEqual({ processes: 3, servers: 2 });
  });

  it('does not count workers that are declared lost', async () => {
    await sign('a');
    await sign('b', 's2');
    await declareLost(under.pool, ['b']);
    expect(await livingWorkers(under.pool)).toEqual(['a']);
    expect(await countWorkers(under.pool)).toEqual({ processes: 1, servers: 1 });
    expect((await all()).map(({ state }) => state)).toEqual(['alive', 'lost']);
  });

  it('contains a dead worker only if it was not leaving or had a task', async () => {
    await sign('killed');
    await sign('left', 's1', { ...well, leaving: true });
    await sign('holds', 's1', { ...well, leaving: true });
    await under.create();
    await under.claimNext('holds');
    await declareLost(under.pool, ['killed', 'left', 'holds']);
    expect((await all()).map(({ id, state }) => [id, state])).toEqual([
      ['holds', 'lost'],
      ['killed', 'lost'],
    ]);
  });

  it('gets no new row from a heartbeat after signOff', async () => {
    await sign('a');
    expect(await recordHeartbeat(under.pool, self('a'), { ...well, leaving: true })).toBe(true);
    expect((await all()).map(({ state }) => state)).toEqual(['leaving']);
    await removeWorker(under.pool, 'a');
    expect(await recordHeartbeat(under.pool, self('a'), well)).toBe(false);
    expect(await all()).toEqual([]);
  });

  it('contains no processes that their server has ended', async () => {
    await sign('a');
    await sign('b', 's2');
    await removeWorkers(under.pool, 's1', [7, 8]);
    await removeWorkers(under.pool, 's2', [8]);
    expect((await all()).map(({ id }) => id)).toEqual(['b']);
  });

  it('counts idle workers only while no task waits', async () => {
    await sign('a');
    await sign('b');
    expect(await idleWorkers(under.pool)).toBe(2);
    await under.create();
    expect(await idleWorkers(under.pool)).toBe(0);
    await under.claimNext('a');
    expect(await idleWorkers(under.pool)).toBe(1);
  });

  it('counts a worker as idle while its only task waits', async () => {
    await sign('a');
    await under.create();
    const claim = (await under.claimNext('a'))!;
    expect(await idleWorkers(under.pool)).toBe(0);
    await under.tasks.setIdle(claim);
    expect(await idleWorkers(under.pool)).toBe(1);
    await under.tasks.setBusy(claim);
    expect(await idleWorkers(under.pool)).toBe(0);
  });
});
