import { describe, expect, it } from 'vitest';
import { transaction } from '../../src/db/sql.js';
import type { Claim } from '../../src/job/task.store.js';
import { under, useJobs } from './jobs-under-test.js';

useJobs({ without: 'jobs' });

/** As a worker does it: a message, and then the task that is next by the rule. */
async function next(owner = 'w'): Promise<Claim | undefined> {
  const message = await under.queue.take();
  return message && under.tasks.claimNext(message, owner);
}

/** A job with so many tasks, none claimed. */
async function waiting(crawlId: string, parts: number): Promise<string> {
  const { id } = await under.create({ crawlId });
  await transaction(under.pool, (tx) => under.tasks.split(tx, id, parts));
  return id;
}

describe('claiming tasks of several crawls', () => {
  it('a crawl with one task is claimed from at once, although another has 50 that have waited longer', async () => {
    const many = await waiting('many', 50);
    const first = [await next(), await next(), await next()];
    expect(first.map((claim) => claim!.job)).toEqual([many, many, many]);
    const one = await waiting('one', 1);
    expect((await next())!.job).toBe(one);
    expect((await next())!.job).toBe(many);
  });

  it('crawls alternate, whatever the order of their messages', async () => {
    const jobs = [await waiting('a', 8), await waiting('b', 8), await waiting('c', 2)];
    const claims: Claim[] = [];
    for (let i = 0; i < 12; i++) claims.push((await next())!);
    const held = jobs.map((id) => claims.filter(({ job }) => job === id).length);
    expect(held).toEqual([5, 5, 2]);
  });

  it('of one crawl the task that has waited longest is claimed first where messages do not say otherwise', async () => {
    const [older, newer] = [await waiting('a', 1), await waiting('a', 1)];
    await under.announced();
    const message = { job: 'gone', task: '0' };
    expect((await under.tasks.claimNext(message, 'w'))!.job).toBe(older);
    expect((await under.tasks.claimNext(message, 'w'))!.job).toBe(newer);
    expect(await under.tasks.claimNext(message, 'w')).toBeUndefined();
  });

  it('a task that was released comes after those that waited', async () => {
    const [first, second] = [await waiting('a', 1), await waiting('a', 1)];
    const claim = (await next())!;
    expect(claim.job).toBe(first);
    await under.tasks.release(claim);
    await under.announced();
    expect((await under.tasks.claimNext({ job: 'gone', task: '0' }, 'w'))!.job).toBe(second);
  });

  it('tasks of jobs that are paused, or have ended, are not claimed', async () => {
    const [paused, over, open] = [await waiting('a', 1), await waiting('b', 1), await waiting('c', 1)];
    await under.jobs.pause(paused);
    await under.jobs.requestAbort(over);
    expect((await under.tasks.claimNext({ job: 'gone', task: '0' }, 'w'))!.job).toBe(open);
    expect(await under.tasks.claimNext({ job: 'gone', task: '0' }, 'w')).toBeUndefined();
  });

  it('of many claims at once each task goes to one', async () => {
    await waiting('a', 20);
    await waiting('b', 20);
    const messages = await under.announced();
    const claims = await Promise.all(messages.map((message, i) => under.tasks.claimNext(message, `w${i}`)));
    const tasks = claims.flatMap((claim) => (claim ? [claim.task] : []));
    expect(new Set(tasks).size).toBe(tasks.length);
    const [left] = await under.db.query<{ n: number }>(
      `select count(*)::int as n from job_task where state = 'RUNNING'`,
    );
    expect(left!.n).toBe(tasks.length);
  });

  it('the load of each crawl is its running tasks, and whether one has waited for more than a moment', async () => {
    await waiting('a', 3);
    await waiting('b', 1);
    const claim = (await next())!;
    const crawl = async (id: string) => (await under.job(id)).crawl;
    expect(await under.tasks.loads()).toContainEqual({
      crawl: await crawl(claim.job),
      running: 1,
      waits: false,
      ends: false,
    });
    await under.db.query(`update job_task set waiting_since = now() - interval '2 seconds'`);
    expect((await under.tasks.loads()).map(({ waits }) => waits)).toEqual([true, true]);
  });

  it('a task that only waits for a lock does not count as running until it has the lock', async () => {
    const many = await waiting('many', 6);
    const [at, ...locked] = [(await next())!, (await next())!, (await next())!];
    const few = await waiting('few', 3);
    expect([(await next())!.job, (await next())!.job]).toEqual([few, few]);
    for (const claim of locked) await under.tasks.markIdle(claim);
    const { crawl } = await under.job(many);
    const running = async () => (await under.tasks.loads()).find((share) => share.crawl === crawl)!.running;
    expect(await running()).toBe(1);
    expect((await next())!.job).toBe(many);
    await under.tasks.markBusy(locked[0]!);
    expect(await running()).toBe(3);
    expect((await next())!.job).toBe(few);
    // Another attempt begins with a place.
    await under.tasks.release(locked[1]!);
    await under.tasks.release(at);
    expect(await running()).toBe(2);
    while (await next());
    expect(await running()).toBe(6);
  });
});
