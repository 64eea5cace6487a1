import { describe, expect, it } from 'vitest';
import { transaction } from '../../src/db/sql.js';
import type { Claim } from '../../src/job/claim.js';
import { under, useJobs } from './jobs-under-test.js';

useJobs({ without: 'jobs' });

/** Claims as a worker does: a message first, then the task that the rule selects. */
async function next(owner = 'w'): Promise<Claim | undefined> {
  const message = await under.queue.take();
  return message && under.tasks.claimNext(message, owner);
}

/** A job with that many tasks, none claimed. */
async function waiting(crawlId: string, parts: number): Promise<string> {
  const { id } = await under.create({ crawlId });
  await transaction(under.pool, (tx) => under.tasks.split(tx, id, parts));
  return id;
}

describe('claiming tasks of several crawls', () => {
  it('claims from a crawl with one task before another with 50 older ones', async () => {
    const many = await waiting('many', 50);
    const first = [await next(), await next(), await next()];
    expect(first.map((claim) => claim!.job)).toEqual([many, many, many]);
    const one = await waiting('one', 1);
    expect((await next())!.job).toBe(one);
    expect((await next())!.job).toBe(many);
  });

  it('claims from the crawl with the fewest running tasks, regardless of the order of messages', async () => {
    const jobs = [await waiting('a', 8), await waiting('b', 8), await waiting('c', 2)];
    const claims: Claim[] = [];
    for (let i = 0; i < 12; i++) claims.push((await next())!);
    const running = jobs.map((id) => claims.filter(({ job }) => job === id).length);
    expect(running).toEqual([5, 5, 2]);
  });

  it('claims the oldest waiting task of a crawl when the message names none', async () => {
    const [older, newer] = [await waiting('a', 1), await waiting('a', 1)];
    await under.announced();
    const message = { job: 'gone', task: '0' };
    expect((await under.tasks.claimNext(message, 'w'))!.job).toBe(older);
    expect((await under.tasks.claimNext(message, 'w'))!.job).toBe(newer);
    expect(await under.tasks.claimNext(message, 'w')).toBeUndefined();
  });

  it('claims a released task after those that were waiting', async () => {
    const [first, second] = [await waiting('a', 1), await waiting('a', 1)];
    const claim = (await next())!;
    expect(claim.job).toBe(first);
    await under.tasks.release(claim);
    await under.announced();
    expect((await under.tasks.claimNext({ job: 'gone', task: '0' }, 'w'))!.job).toBe(second);
  });

  it('does not claim tasks of paused or ended jobs', async () => {
    const [paused, over, open] = [await waiting('a', 1), await waiting('b', 1), await waiting('c', 1)];
    await under.jobs.pause(paused);
    await under.jobs.requestAbort(over);
    expect((await under.tasks.claimNext({ job: 'gone', task: '0' }, 'w'))!.job).toBe(open);
    expect(await under.tasks.claimNext({ job: 'gone', task: '0' }, 'w')).toBeUndefined();
  });

  it('gives each task to one of many concurrent claims', async () => {
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

  it('reports the load of each crawl: running tasks, and whether one has waited for more than a second', async () => {
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

  it('does not count a task that waits for a lock as running', async () => {
    const many = await waiting('many', 6);
    const [at, ...locked] = [(await next())!, (await next())!, (await next())!];
    const few = await waiting('few', 3);
    expect([(await next())!.job, (await next())!.job]).toEqual([few, few]);
    for (const claim of locked) await under.tasks.setIdle(claim);
    const { crawl } = await under.job(many);
    const running = async () => (await under.tasks.loads()).find((share) => share.crawl === crawl)!.running;
    expect(await running()).toBe(1);
    expect((await next())!.job).toBe(many);
    await under.tasks.setBusy(locked[0]!);
    expect(await running()).toBe(3);
    expect((await next())!.job).toBe(few);
    // A new attempt counts as running.
    await under.tasks.release(locked[1]!);
    await under.tasks.release(at);
    expect(await running()).toBe(2);
    while (await next());
    expect(await running()).toBe(6);
  });
});
