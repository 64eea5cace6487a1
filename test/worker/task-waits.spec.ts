import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Conf } from '../../src/core/conf/properties.js';
import { row, sql } from '../../src/db/sql.js';
import type { Claim } from '../../src/job/claim.js';
import { TaskRun } from '../../src/worker/task-run.js';
import { type JobsUnderTest, openJobs } from '../job/jobs-under-test.js';

/** What one attempt at a task waits for: the lock of a crawl, the database. */

let under: JobsUnderTest;
beforeAll(async () => {
  under = await openJobs();
});
afterAll(() => under.close());

async function runOf(id: string, claim: Claim, { onWaiting = (_waiting: boolean): void => undefined } = {}) {
  const { jobs, tasks, pool } = under;
  const job = await under.job(id);
  return new TaskRun({ pool, jobs, tasks, job, claim, conf: {} as Conf, workers: 1, ownPorts: [], onWaiting }, {});
}

/** A running job with one task and its run. */
async function start() {
  const { id, claims } = await under.running(1);
  return { id, claim: claims[0]!, run: await runOf(id, claims[0]!) };
}

const taskOf = async (id: string) => (await under.tasksOf(id))[0]!;
const waitOf = async (id: string) =>
  (await under.db.query<{ waits: object | null }>('select waits from job_task where job = $1', [id]))[0]!.waits;

describe('the lock of a crawl and step', () => {
  it('makes a second job wait, release its slot, name the owner in msg, and continue when it is free', async () => {
    const first = await start();
    const waits: boolean[] = [];
    const other = await under.running(1);
    const second = await runOf(other.id, other.claims[0]!, { onWaiting: (waiting) => waits.push(waiting) });
    expect(await first.run.lock('UPDATEDB')).toBe(true);
    const waiting = second.lock('UPDATEDB');
    await expect
      .poll(async () => (await under.job(other.id)).msg)
      .toBe(`OK: waiting for ${first.id}, which holds UPDATEDB of this crawl`);
    await expect
      .poll(() => waitOf(other.id))
      .toMatchObject({ for: 'job', what: `${first.id}, which holds UPDATEDB of this crawl` });
    expect(waits).toEqual([true]);
    await under.tasks.finish(first.claim, { reason: 'done' });
    expect(await waiting).toBe(true);
    expect(waits).toEqual([true, false]);
    expect((await under.job(other.id)).msg).toBe('OK');
  });

  it('costs no connection while a job waits for it', async () => {
    const [first, second] = [await start(), await start()];
    await first.run.lock('DEDUP');
    let gone = 0;
    const count = (error: unknown) => void (gone += error ? 1 : 0);
    under.pool.on('release', count);
    const waiting = second.run.lock('DEDUP');
    await sleep(1_000);
    under.pool.off('release', count);
    second.run.stop.abort();
    await waiting;
    expect(gone).toBe(0);
  });

  it('does not make jobs of other crawls or other steps wait', async () => {
    const first = await start();
    const other = await under.running(1, { crawlId: 'another' });
    expect(await first.run.lock('PARSE/b')).toBe(true);
    expect(await (await runOf(other.id, other.claims[0]!)).lock('PARSE/b')).toBe(true);
    expect(await (await start()).run.lock('PARSE/c')).toBe(true);
  });

  it.each(['stop', 'abort'] as const)('returns false to a waiting job on %s', async (how) => {
    const [first, second] = [await start(), await start()];
    await first.run.lock(`GENERATE until ${how}`);
    const waiting = second.run.lock(`GENERATE until ${how}`);
    second.run[how].abort();
    expect(await waiting).toBe(false);
  });

  it('does not fail a waiting job for lost attempts', async () => {
    const first = await start();
    await first.run.lock('INVERT');
    const { id, claims } = await under.running(1);
    let claim = claims[0]!;
    for (let i = 0; i < 4; i++) {
      const run = await runOf(id, claim);
      const waiting = run.lock('INVERT');
      await expect.poll(async () => (await taskOf(id)).lost).toBe(0);
      run.stop.abort();
      await waiting;
      await under.expire(claim.task);
      await under.tasks.rescue();
      claim = (await under.claimNext())!;
    }
    expect((await under.job(id)).state).toBe('RUNNING');
  });
});

describe('a write that fails for a while', () => {
  it('reports after a second that it is waiting for the database, and that the step waits again', async () => {
    const { id, run } = await start();
    const since = '2026-11-21T08:00:00.000Z';
    const own = { for: 'host' as const, what: 'site.test: 1 page', url: null, pages: 1, since };
    await run.waitsFor(own);
    const release = Promise.withResolvers<void>();
    let isFree = false;
    void release.promise.then(() => (isFree = true));
    const writing = run.write(async () => {
      if (!isFree) throw Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });
    });
    await expect
      .poll(() => waitOf(id))
      .toMatchObject({ for: 'database', what: 'the database (canceling statement due to lock timeout)', url: null });
    await expect
      .poll(async () => (await under.job(id)).msg)
      .toBe('OK: waiting for the database (canceling statement due to lock timeout)');
    // A report of the step meanwhile does not hide it.
    await run.waitsFor({ ...own, what: 'site.test: 2 pages' });
    expect(await waitOf(id)).toMatchObject({ for: 'database' });
    await run.report('5 fetched');
    expect((await under.job(id)).msg).toBe('OK: waiting for the database (canceling statement due to lock timeout)');
    release.resolve();
    await writing;
    await expect.poll(() => waitOf(id)).toMatchObject({ for: 'host', what: 'site.test: 2 pages' });
    await expect.poll(async () => (await under.job(id)).msg).toBe('OK');
  });

  it('is tried again after an operator has cancelled its statement', async () => {
    const { id, run } = await start();
    const cancel = 'select pg_cancel_backend(pid) as done from pg_stat_activity';
    const attempts: number[] = [];
    await run.write(async (tx) => {
      const { pid } = (await row<{ pid: number }>(tx)`select pg_backend_pid() as pid`)!;
      attempts.push(pid);
      if (attempts.length > 1) return;
      const cancelled = () => under.db.query(`${cancel} where pid = $1 and query like '%pg_sleep%'`, [pid]);
      await Promise.all([tx.query(sql`select pg_sleep(60)`), expect.poll(cancelled).toEqual([{ done: true }])]);
    });
    expect(attempts).toHaveLength(2);
    expect((await under.job(id)).state).toBe('RUNNING');
  });
});
