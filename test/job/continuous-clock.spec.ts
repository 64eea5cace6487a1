import { describe, expect, it } from 'vitest';
import type { CrawlPlan } from '../../src/core/job/crawl-plan.js';
import type { Claim } from '../../src/job/claim.js';
import { WITHOUT_LIMITS } from '../core/job/plans.js';
import { CONF_HASH, under, useJobs } from './jobs-under-test.js';

/**
 * A continuous crawl after the clock of the database was set back by an hour (an operator, a failover): its steps still follow
 * one another. What happened before has times in the future then.
 */

useJobs({ without: 'jobs' });

const plan: CrawlPlan = { ...WITHOUT_LIMITS, parsesWhileFetching: true, continuous: true };
const HOUR = `interval '1 hour'`;

/** A crawl whose FETCH runs. */
async function fetchingCrawl() {
  const crawl = await under.jobs.create({
    type: 'CRAWL',
    crawlId: 'k',
    confId: 'c',
    confHash: CONF_HASH,
    args: {},
    plan: { ...plan, seedName: null },
  });
  const typesOf = async () => (await under.jobs.children(crawl.id)).map(({ type, round }) => `${type} ${round}`);
  const finish = (claim: Claim, selected?: number) =>
    under.tasks.finish(claim, {
      reason: 'done',
      ...(selected !== undefined && {
        extra: { 'generate.count': selected, 'generate.batch.id': selected > 0 ? 'b' : null },
      }),
    });
  /** Ends the only waiting step, as a worker would. */
  const step = async (selected?: number) => finish((await under.claimNext())!, selected);
  await step(5);
  const fetching = (await under.claimNext())!;
  /** Number of the last batch. */
  const last = async () => (await under.jobs.children(crawl.id)).findLast(({ type }) => type === 'GENERATE')!.number;
  const report = async (backlog: 'low' | 'none') =>
    under.tasks.reportBacklog(fetching, backlog, { id: crawl.id, last: Number(await last()) });
  const isClosed = async () =>
    (
      await under.db.query<{ closed: boolean }>('select closed_at is not null as closed from job where id = $1', [
        fetching.job,
      ])
    )[0]!.closed;
  return { typesOf, step, report, isClosed };
}

describe('a continuous crawl when the clock of the database is set back', () => {
  it.each(['low', 'none'] as const)('after a batch was made: that a task has %s left counts as later', async (left) => {
    const { typesOf, report } = await fetchingCrawl();
    await under.db.query(`update job set ended_at = ended_at + ${HOUR} where type = 'GENERATE'`);
    await report(left);
    expect(await typesOf()).toEqual(['GENERATE 1', 'FETCH 1', 'UPDATEDB 1']);
  });

  it('after an UPDATEDB was made: a later report leads to another one', async () => {
    const { typesOf, step, report } = await fetchingCrawl();
    await report('low');
    await under.db.query(`update job set created_at = created_at + ${HOUR} where type = 'UPDATEDB'`);
    await step();
    await step(3);
    await report('low');
    expect((await typesOf()).slice(2)).toEqual(['UPDATEDB 1', 'GENERATE 2', 'UPDATEDB 2']);
  });

  it('after a task has reported: UPDATEDB does not run again and again, and the FETCH is closed', async () => {
    const { typesOf, step, report, isClosed } = await fetchingCrawl();
    await report('none');
    await under.db.query(`update job_task set low_since = low_since + ${HOUR}, dry_since = dry_since + ${HOUR}`);
    for (const selected of [undefined, 0, undefined, 0]) await step(selected);
    expect((await typesOf()).slice(2)).toEqual(['UPDATEDB 1', 'GENERATE 2', 'UPDATEDB 2', 'GENERATE 3']);
    expect([await isClosed(), await under.claimNext()]).toEqual([true, undefined]);
  });

  it('without that: each report leads to one UPDATEDB, and a dry FETCH is closed when nothing is due', async () => {
    const { typesOf, step, report, isClosed } = await fetchingCrawl();
    await report('low');
    await step();
    await step(2);
    expect(await isClosed()).toBe(false);
    await report('none');
    await step();
    await step(0);
    expect((await typesOf()).slice(2)).toEqual(['UPDATEDB 1', 'GENERATE 2', 'UPDATEDB 2', 'GENERATE 3']);
    expect(await isClosed()).toBe(true);
  });
});
