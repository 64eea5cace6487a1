import { describe, expect, it } from 'vitest';
import type { CrawlPlan } from '../../src/core/job/crawl-plan.js';
import { batchesLeftBy, nextStep } from '../../src/core/job/crawl-rounds.js';
import { openAmong, openBatches } from '../../src/job/crawl-batches.sql.js';
import { allChildren, joinEarlierSteps, recentChildren } from '../../src/job/crawl-children.sql.js';
import { addPages } from '../api/seeded-pages.js';
import { WITHOUT_LIMITS } from '../core/job/plans.js';
import { CONF_HASH, under, useJobs } from './jobs-under-test.js';

/** Old steps of a continuous crawl are deleted while it runs, once nothing needs them. */

useJobs({ without: 'jobs' });

const PLAN: CrawlPlan = { ...WITHOUT_LIMITS, parsesWhileFetching: true, continuous: true };
/** More steps than are read at once. */
const ROUNDS = 400;

/** A CRAWL whose FETCH has run for 400 days, with a GENERATE, of batch `b1` …, and an UPDATEDB each day. The steps are joined. */
async function longCrawl(plan: CrawlPlan, isJoined = true): Promise<string> {
  const { id } = await under.create({ type: 'READDB', crawlId: 'k' });
  await under.db.query(
    `update job set type = 'CRAWL', state = 'RUNNING', started_at = created_at, plan = $2 where id = $1`,
    [id, JSON.stringify(plan)],
  );
  await under.db.query(
    `insert into job (id, number, crawl, crawl_id, conf_id, conf_hash, type, args, state, result, parent, round, counted, created_at, started_at, ended_at)
     select lower(step.type) || n, nextval('job_number'), (select crawl from job where id = $1), 'k', 'c', $2, step.type, '{"ofCrawl": "fetched"}',
            case step.type when 'FETCH' then 'RUNNING' else 'FINISHED' end, step.result, $1, n, step.type <> 'FETCH', at.time, at.time,
            case when step.type <> 'FETCH' then at.time + interval '1 s' end
       from generate_series(1, $3::int) as n
      cross join lateral (select now() - make_interval(days => $3::int - n, hours => -12) as time) as at
      cross join lateral (values (1, 'GENERATE', jsonb_build_object('reason', 'done', 'generate.batch.id', 'b' || n, 'generate.count', 7)),
                                 (2, 'FETCH', null), (3, 'UPDATEDB', '{"reason": "done"}')) as step (place, type, result)
      where step.type <> 'FETCH' or n = 1
      order by n, step.place`,
    [id, CONF_HASH, ROUNDS],
  );
  if (isJoined) await joinEarlierSteps(under.pool, id);
  return id;
}

const crawlOf = async (id: string): Promise<number> =>
  (await under.db.query<{ crawl: number }>('select crawl from job where id = $1', [id]))[0]!.crawl;

const planOf = async (id: string): Promise<CrawlPlan> =>
  (await under.db.query<{ plan: CrawlPlan }>('select plan from job where id = $1', [id]))[0]!.plan;

/** All that is derived from the steps of a crawl. */
async function derived(id: string) {
  const [children, all, plan] = [
    await recentChildren(under.pool, id),
    await allChildren(under.pool, id),
    await planOf(id),
  ];
  const limits = [{}, { limit: 300 }, { limit: 1_000, topN: 50 }];
  return {
    steps: (['RUNNING', 'STOPPING', 'KILLING'] as const).flatMap((state) =>
      limits.map((more) =>
        nextStep({ plan: { ...PLAN, ...more }, createdAt: new Date(0), now: new Date(), state, children }),
      ),
    ),
    counters: await under.jobs.counters(id, under.pool),
    left: batchesLeftBy(plan, all),
    selected: await selectedFor(id),
  };
}

/** Pages of all open batches, as a task that begins again counts them. */
async function selectedFor(id: string): Promise<number> {
  const { batches, deletedPages } = await openBatches(under.pool, { crawl: id, id: 'fetch1' });
  return batches.reduce((sum, { pages }) => sum + pages, deletedPages);
}

const purge = () => under.jobs.purge({ jobDays: 30, eventDays: 30 });

const stepsOf = async (id: string): Promise<string[]> => (await allChildren(under.pool, id)).map((child) => child.id);

describe('the purge of the steps of a continuous crawl', () => {
  it('deletes those that ended long ago, and changes nothing that is derived from them', async () => {
    const id = await longCrawl(PLAN);
    await addPages(under.db, await crawlOf(id), [
      { url: 'http://a.test/', row: { generate_mark: 'b3', batch_id: 'b3', rank: null } },
    ]);
    const before = await derived(id);
    expect(before.selected).toBe(7 * ROUNDS);
    // The last 30 days stay; GENERATE and FETCH of the first, which are always read; and the batch with a page.
    const [old, ofFirstFetch, ofBatchWithPage] = [2 * (ROUNDS - 31), 1, 1];
    expect(await purge()).toBe(old - ofFirstFetch - ofBatchWithPage);
    const left = await stepsOf(id);
    expect(left.slice(0, 5)).toEqual(['generate1', 'fetch1', 'generate3', 'generate370', 'updatedb370']);
    expect(await derived(id)).toEqual({
      ...before,
      left: left.filter((step) => step.startsWith('generate')).map((step) => step.replace('generate', 'b')),
    });
    const { batches } = await openBatches(under.pool, { crawl: id, id: 'fetch1' });
    expect(batches.slice(0, 3).map((batch) => batch.id)).toEqual(['b1', 'b3', 'b370']);
    expect([...(await openAmong(under.pool, id, ['b3', 'b400']))].sort()).toEqual(['b3', 'b400']);
    expect(await purge()).toBe(0);
    await under.db.query(`update webpage set generate_mark = null, rank = 0 where generate_mark = 'b3'`);
    expect(await purge()).toBe(1);
  });

  it('keeps steps that are not joined: their crawl reads them', async () => {
    const id = await longCrawl(PLAN, false);
    expect(await purge()).toBe(0);
    expect(await stepsOf(id)).toHaveLength(2 * ROUNDS + 1);
  });
});

it('the purge keeps an ended crawl until the batches that it left are closed: the next crawl finds them by its steps', async () => {
  const id = await longCrawl(PLAN);
  await under.db.query(
    `update job set state = 'KILLED', ended_at = now() - interval '60 days' where id = $1 or parent = $1 and ended_at is null`,
    [id],
  );
  await addPages(under.db, await crawlOf(id), [
    { url: 'http://left.test/', row: { generate_mark: 'b399', batch_id: 'b399', rank: null } },
  ]);
  expect(await purge()).toBe(0);
  await under.db.query(`update webpage set generate_mark = null, rank = 0 where generate_mark = 'b399'`);
  expect(await purge()).toBe(2 * ROUNDS + 2);
});
