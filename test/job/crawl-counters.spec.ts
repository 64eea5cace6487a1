import { describe, expect, it } from 'vitest';
import type { CounterGroups } from '../../src/core/job/job-types.js';
import type { CrawlPlan } from '../../src/core/job/crawl-plan.js';
import { transaction } from '../../src/db/sql.js';
import { countersSoFar } from '../../src/job/crawl-counters.sql.js';
import { WITHOUT_LIMITS } from '../core/job/plans.js';
import { CONF_HASH, under, useJobs } from './jobs-under-test.js';

/** The counters of a CRAWL: those of its jobs, each once, whatever has become of it. */

useJobs({ without: 'jobs' });

const plan: CrawlPlan = { ...WITHOUT_LIMITS };
const generated = { 'generate.batch.id': 'b1', 'generate.count': 5 };

const crawl = async () =>
  (await under.jobs.create({ type: 'CRAWL', crawlId: 'k', confId: 'c', confHash: CONF_HASH, args: {}, plan })).id;
/** Claims the waiting task, counts, and ends it. */
const step = async (counters: CounterGroups, extra?: Record<string, unknown>) => {
  const claim = (await under.claimNext())!;
  await under.write(claim, counters);
  await under.tasks.finish(claim, { reason: 'done', ...(extra && { extra }) });
};
/** The sum in the row of the CRAWL, and which of its jobs are in it. */
const stored = async (id: string) => {
  const [job] = await under.db.query<{ sum: CounterGroups | null }>(
    'select child_counters as sum from job where id = $1',
    [id],
  );
  const jobs = await under.db.query<{ type: string }>(
    'select type from job where parent = $1 and counted order by number',
    [id],
  );
  return { sum: job!.sum, counted: jobs.map(({ type }) => type) };
};

describe('the counters of a CRAWL', () => {
  it('are the sum of those of its ended jobs, in its row, and of those that run', async () => {
    const id = await crawl();
    await step({ injector: { urls_injected: 3 } });
    await step({ Generator: { GENERATE_MARK: 5 } }, generated);
    const fetch = (await under.claimNext())!;
    await under.write(fetch, { FetcherStatus: { SUCCESS: 2 }, Generator: { GENERATE_MARK: 1 } });
    expect(await stored(id)).toEqual({
      sum: { injector: { urls_injected: 3 }, Generator: { GENERATE_MARK: 5 } },
      counted: ['INJECT', 'GENERATE'],
    });
    expect(await under.jobs.counters(id)).toEqual({
      injector: { urls_injected: 3 },
      Generator: { GENERATE_MARK: 6 },
      FetcherStatus: { SUCCESS: 2 },
    });
  });

  it('have those of a job once, if the transaction of its end fails first', async () => {
    const id = await crawl();
    const claim = (await under.claimNext())!;
    await under.write(claim, { injector: { urls_injected: 3 } });
    const end = (tx: Parameters<typeof under.jobs.endIfDone>[0]) => under.jobs.endIfDone(tx, claim.job);
    const failing = transaction(under.pool, async (tx) => {
      await tx.query(
        `update job_task set state = 'DONE', lease_until = null, outcome = '{"reason":"done"}' where job = '${claim.job}'`,
      );
      await end(tx);
      throw new Error('cut');
    });
    await expect(failing).rejects.toThrow('cut');
    expect(await stored(id)).toEqual({ sum: null, counted: [] });
    expect(await under.jobs.counters(id)).toEqual({ injector: { urls_injected: 3 } });
    await under.tasks.finish(claim, { reason: 'done' });
    await transaction(under.pool, end);
    expect(await stored(id)).toEqual({ sum: { injector: { urls_injected: 3 } }, counted: ['INJECT'] });
    expect(await under.jobs.counters(id)).toEqual({ injector: { urls_injected: 3 } });
  });

  it('have those of an aborted job, and of a failed one with tasks that still count', async () => {
    const aborted = await crawl();
    const first = (await under.claimNext())!;
    await under.write(first, { injector: { urls_injected: 3 } });
    await under.jobs.requestAbort(aborted);
    await under.tasks.finish(first, { reason: 'stopped' }, { injector: { urls_filtered: 1 } });
    expect((await under.job(aborted)).result!.counters).toEqual({ injector: { urls_injected: 3, urls_filtered: 1 } });
    expect((await stored(aborted)).counted).toEqual(['INJECT']);

    const failed = await crawl();
    const [one] = [(await under.claimNext())!];
    await transaction(under.pool, (tx) => under.tasks.split(tx, one.job, 2));
    const other = (await under.claimNext())!;
    await under.tasks.fail(one, 'ERROR: no such list', { counters: { injector: { urls_injected: 1 } } });
    await under.write(other, { injector: { urls_injected: 4 } });
    expect(await under.jobs.counters(failed)).toEqual({ injector: { urls_injected: 5 } });
    expect(await stored(failed)).toEqual({ sum: null, counted: [] });
  });

  it('have those of jobs that ended under a program without such a sum', async () => {
    const id = await crawl();
    await step({ injector: { urls_injected: 3 } });
    await under.db.query('update job set counted = false, child_counters = null');
    await step({ Generator: { GENERATE_MARK: 5 } }, generated);
    const sum = { injector: { urls_injected: 3 }, Generator: { GENERATE_MARK: 5 } };
    expect(await countersSoFar(under.pool, id)).toEqual(sum);
    expect((await stored(id)).counted).toEqual(['GENERATE']);
  });
});
