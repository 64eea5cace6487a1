import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CrawlPlan } from '../../src/core/job/crawl-plan.js';
import { CONF_HASH, type JobsUnderTest, openJobs } from './jobs-under-test.js';
import { WITHOUT_LIMITS } from '../core/job/plans.js';

const plan: CrawlPlan = { ...WITHOUT_LIMITS, rounds: 2, topN: 10 };

describe('a CRAWL job and its children', () => {
  let under: JobsUnderTest;
  beforeAll(async () => {
    under = await openJobs();
  });
  afterAll(() => under.close());

  const crawl = async (more: Partial<CrawlPlan> = {}) => {
    await under.announced();
    return under.jobs.create({
      type: 'CRAWL',
      crawlId: 'k',
      confId: 'c',
      confHash: CONF_HASH,
      args: {},
      plan: { ...plan, ...more },
    });
  };
  const typesOf = async (id: string) => (await under.jobs.children(id)).map(({ type, round }) => `${type} ${round}`);
  /** Claims and ends the only waiting task, as a worker would. */
  const step = async (extra?: Record<string, unknown>) => {
    const claim = (await under.claimNext())!;
    await under.tasks.finish(claim, { reason: 'done', ...(extra && { extra }) });
    return claim.job;
  };
  const generated = { 'generate.batch.id': 'b1', 'generate.count': 5 };

  it('keeps its ended children while it is open, however old they are', async () => {
    const job = await crawl();
    await step();
    await step(generated);
    await under.db.query(`update job set ended_at = now() - interval '31 days' where ended_at is not null`);
    expect(await under.jobs.purge({ jobDays: 30, eventDays: 30 })).toBe(0);
    await step();
    expect(await typesOf(job.id)).toEqual(['INJECT 0', 'GENERATE 1', 'FETCH 1', 'PARSE 1']);
  });

  it('starts with its first child', async () => {
    const job = await crawl();
    expect(job).toMatchObject({ state: 'RUNNING', msg: 'OK: round 0, INJECT' });
    expect(await typesOf(job.id)).toEqual(['INJECT 0']);
    expect(await under.tasksOf(job.id)).toEqual([]);
  });

  it('creates each child when the previous one ends, with the configuration of the crawl', async () => {
    const job = await crawl();
    await step();
    await step(generated);
    for (const _ of ['FETCH', 'PARSE', 'UPDATEDB']) await step();
    await step({ 'generate.batch.id': null, 'generate.count': 0 });
    expect(await typesOf(job.id)).toEqual(['INJECT 0', 'GENERATE 1', 'FETCH 1', 'PARSE 1', 'UPDATEDB 1', 'GENERATE 2']);
    expect(await under.job(job.id)).toMatchObject({
      state: 'FINISHED',
      msg: 'OK: nothing more is due',
      result: { result: '0', reason: 'done', rounds: 1 },
    });
    const children = await under.jobs.children(job.id);
    expect(children.every((child) => child.confHash === CONF_HASH && child.parent === job.id)).toBe(true);
    expect(children[2]!.args).toEqual({ batch: 'b1' });
  });

  it('that is continuous counts GENERATE without pages as no round, while it runs and at its end', async () => {
    const job = await crawl({ seedName: null, rounds: null, continuous: true, parsesWhileFetching: true });
    const nothing = { 'generate.batch.id': null, 'generate.count': 0 };
    const msg = async () => (await under.job(job.id)).msg;
    const said = [await msg()];
    await step(generated);
    const fetching = (await under.claimNext())!;
    for (const made of [nothing, generated, nothing]) {
      const last = (await under.jobs.children(job.id)).findLast(({ type }) => type === 'GENERATE')!.number;
      await under.tasks.reportBacklog(fetching, 'low', { id: job.id, last: Number(last) });
      said.push(await msg());
      await step();
      said.push(await msg());
      await step(made);
    }
    expect(said).toEqual([
      'OK: round 1, GENERATE',
      'OK: round 1, UPDATEDB',
      'OK: round 2, GENERATE',
      'OK: round 1, UPDATEDB',
      'OK: round 2, GENERATE',
      'OK: round 2, UPDATEDB',
      'OK: round 3, GENERATE',
    ]);
    const counters = { FetcherStatus: { ACCESS_DENIED: 5 } };
    await under.tasks.finish(fetching, { reason: 'done', extra: { counters } });
    await step();
    expect(await msg()).toBe('OK: round 3, GENERATE');
    await step(nothing);
    expect(await under.job(job.id)).toMatchObject({ state: 'FINISHED', result: { rounds: 2 } });
  });

  it('sums the counters of its children', async () => {
    const job = await crawl();
    const claim = (await under.claimNext())!;
    await under.write(claim, { injector: { urls_injected: 3 } });
    expect(await under.jobs.counters(job.id)).toEqual({ injector: { urls_injected: 3 } });
  });

  it('fails with its child, and takes message and failure code from it', async () => {
    const job = await crawl();
    const claim = (await under.claimNext())!;
    await under.tasks.fail(claim, 'ERROR: no such list', { failure: 'LIST_GONE' });
    expect(await under.job(job.id)).toMatchObject({
      state: 'FAILED',
      msg: `ERROR: ${claim.job} failed: ERROR: no such list`,
      result: { result: '-1', reason: 'failed', failure: 'LIST_GONE' },
    });
  });

  it('runs PARSE and UPDATEDB before it ends when it is stopped during FETCH', async () => {
    const job = await crawl();
    await step();
    await step(generated);
    const fetch = (await under.claimNext())!;
    expect(await under.jobs.requestStop(job.id)).toBe(true);
    expect((await under.job(job.id)).state).toBe('STOPPING');
    expect((await under.job(fetch.job)).state).toBe('STOPPING');
    await under.tasks.finish(fetch, { reason: 'stopped' });
    await step();
    await step();
    expect((await typesOf(job.id)).slice(-2)).toEqual(['PARSE 1', 'UPDATEDB 1']);
    expect(await under.job(job.id)).toMatchObject({ state: 'FINISHED', result: { reason: 'stopped' } });
  });

  it('stops its SITEMAP when it is stopped', async () => {
    const job = await crawl({ sitemaps: true });
    await step();
    const sitemap = (await under.claimNext())!;
    await under.jobs.requestStop(job.id);
    expect(await under.job(sitemap.job)).toMatchObject({ type: 'SITEMAP', state: 'STOPPING' });
    await under.tasks.finish(sitemap, { reason: 'stopped' });
    expect(await under.job(job.id)).toMatchObject({ state: 'FINISHED', result: { reason: 'stopped' } });
  });

  it.each([
    ['INVERTLINKS', 5],
    ['DEDUP', 6],
    ['WEBGRAPH', 7],
    ['LINKRANK', 8],
    ['SCOREUPDATE', 9],
  ])('stops its %s when it is stopped, and creates no further child', async (type, before) => {
    const job = await crawl({ invertLinks: true, dedup: true, ranks: true });
    await step();
    await step(generated);
    for (let n = 2; n < before; n++) await step();
    const child = (await under.claimNext())!;
    await under.jobs.requestStop(job.id);
    expect(await under.job(child.job)).toMatchObject({ type, state: 'STOPPING' });
    await under.tasks.finish(child, { reason: 'stopped' });
    expect(await under.job(job.id)).toMatchObject({ state: 'FINISHED', result: { reason: 'stopped' } });
    expect((await typesOf(job.id)).at(-1)).toBe(`${type} 1`);
  });

  it('does not stop its PARSE when it is stopped', async () => {
    const job = await crawl();
    await step();
    await step(generated);
    await step();
    const parse = (await under.claimNext())!;
    await under.jobs.requestStop(job.id);
    expect((await under.job(parse.job)).state).toBe('RUNNING');
    await under.tasks.finish(parse, { reason: 'done' });
    await step();
    expect((await under.job(job.id)).state).toBe('FINISHED');
  });

  it('becomes KILLED by an abort once its running child is KILLED', async () => {
    const job = await crawl();
    await step();
    await step(generated);
    const fetch = (await under.claimNext())!;
    await under.jobs.requestAbort(job.id);
    expect((await under.job(job.id)).state).toBe('KILLING');
    await under.tasks.finish(fetch, { reason: 'stopped' });
    expect((await under.job(fetch.job)).state).toBe('KILLED');
    expect((await under.job(job.id)).state).toBe('KILLED');
  });

  it('becomes KILLED at once by an abort while its child waits for a worker', async () => {
    const job = await crawl();
    await under.jobs.requestAbort(job.id);
    expect((await under.job(job.id)).state).toBe('KILLED');
    expect(await under.claimNext()).toBeUndefined();
  });

  it('refuses stop and abort after its end', async () => {
    const job = await crawl();
    await under.jobs.requestAbort(job.id);
    expect(await under.jobs.requestStop(job.id)).toBe(false);
    expect(await under.jobs.requestAbort(job.id)).toBe(false);
  });

  it('while paused has no task claimed and creates no child, and continues after resume', async () => {
    const job = await crawl();
    expect(await under.jobs.pause(job.id)).toBe(true);
    expect(await under.claimNext()).toBeUndefined();
    expect(await under.jobs.resume(job.id)).toBe(true);
    const claim = (await under.claimNext())!;
    await under.jobs.pause(job.id);
    await under.tasks.finish(claim, { reason: 'done' });
    expect(await typesOf(job.id)).toEqual(['INJECT 0']);
    await under.jobs.resume(job.id);
    expect(await typesOf(job.id)).toEqual(['INJECT 0', 'GENERATE 1']);
    expect(await under.jobs.resume(job.id)).toBe(false);
  });

  it('while paused has its released task not claimed again before resume', async () => {
    const job = await crawl();
    const claim = (await under.claimNext())!;
    await under.jobs.pause(job.id);
    await under.tasks.release(claim);
    expect(await under.claimNext()).toBeUndefined();
    await under.jobs.resume(job.id);
    expect((await under.claimNext())!.task).toBe(claim.task);
  });

  it('while paused has its tasks not announced again', async () => {
    const job = await crawl();
    await under.jobs.pause(job.id);
    await under.announced();
    await under.db.query(`update job_task set queued_at = now() - interval '1 hour'`);
    await under.tasks.rescue();
    const child = (await under.jobs.children(job.id))[0]!.id;
    expect((await under.announced()).filter((message) => message.job === child)).toEqual([]);
  });

  it('while paused lets a stopping child end', async () => {
    const job = await crawl();
    await step();
    await step(generated);
    const fetch = (await under.claimNext())!;
    await under.jobs.requestStop(fetch.job);
    await under.tasks.release(fetch);
    expect(await under.jobs.pause(job.id)).toBe(true);
    expect((await under.claimNext())!.job).toBe(fetch.job);
  });

  it('while paused can be stopped', async () => {
    const job = await crawl();
    await under.jobs.pause(job.id);
    expect(await under.jobs.requestStop(job.id)).toBe(true);
    expect(await under.job(job.id)).toMatchObject({ state: 'FINISHED', pausedAt: null });
  });

  it('still closes the round when a stop and the end of FETCH happen at once', async () => {
    for (let i = 0; i < 20; i++) {
      const job = await crawl();
      await step();
      await step(generated);
      const fetch = (await under.claimNext())!;
      await Promise.all([under.jobs.requestStop(job.id), under.tasks.finish(fetch, { reason: 'done' })]);
      await step();
      await step();
      const types = await typesOf(job.id);
      expect(types).toEqual(['INJECT 0', 'GENERATE 1', 'FETCH 1', 'PARSE 1', 'UPDATEDB 1']);
      expect((await under.job(job.id)).state).toBe('FINISHED');
    }
  });
});
