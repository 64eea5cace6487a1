import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CrawlPlan } from '../../src/core/job/crawl-plan.js';
import { batchesLeftBy, nextStep } from '../../src/core/job/crawl-rounds.js';
import {
  allChildren,
  joinStrictRounds,
  recentChildren,
  recentStrictChildren,
} from '../../src/job/crawl-children.sql.js';
import { WITHOUT_LIMITS } from '../core/job/plans.js';
import { CONF_HASH, under, useJobs } from './jobs-under-test.js';

/** The steps of finished strict rounds are joined: the next step is the same, and they may be deleted. */

useJobs({ without: 'jobs' });

const plan: CrawlPlan = { ...WITHOUT_LIMITS, parsesWhileFetching: true, index: true };

/** What the FETCH of a round did: visited so many of its 7 pages (null: it reported none), or was stopped. */
type Fetched = number | null | 'stopped';

interface Step {
  type: string;
  round: number;
  result: object;
}

const roundOf = (round: number, fetched: Fetched): Step[] => [
  {
    type: 'GENERATE',
    round,
    result: { reason: 'done', 'generate.batch.id': `b${round}`, 'generate.count': 7 },
  },
  {
    type: 'FETCH',
    round,
    result:
      typeof fetched === 'number'
        ? { reason: 'done', counters: { FetcherStatus: { SUCCESS: fetched, pending: 7 - fetched } } }
        : { reason: fetched ?? 'done' },
  },
  { type: 'UPDATEDB', round, result: { reason: 'done' } },
  { type: 'INDEX', round, result: { reason: 'done' } },
  { type: 'CLEAN', round, result: { reason: 'done' } },
];

/** The parent of some steps, a day each. Not a CRAWL, which would make its own. */
async function crawlOf(steps: readonly Step[]): Promise<string> {
  await under.forget();
  const { id } = await under.create({ type: 'READDB', crawlId: 'k' });
  await under.db.query(
    `insert into job (id, number, crawl, crawl_id, conf_id, conf_hash, type, args, state, msg, result, parent, round, counted, created_at, started_at, ended_at)
     select 'step' || c.n, nextval('job_number'), (select crawl from job where id = $1), 'k', 'c', $2, c.step ->> 'type', '{}',
            'FINISHED', 'OK', c.step -> 'result', $1, (c.step ->> 'round')::int, true, at.time, at.time, at.time
       from jsonb_array_elements($3::jsonb) with ordinality as c (step, n)
      cross join lateral (select now() - make_interval(days => $4::int - (c.step ->> 'round')::int) as time) as at`,
    [id, CONF_HASH, JSON.stringify(steps), steps.at(-1)!.round],
  );
  return id;
}

/** Joins the rounds before one, as when it began. */
async function joinAt(id: string, round: number): Promise<void> {
  const children = (await recentStrictChildren(under.pool, id)).filter((child) => child.round < round);
  await joinStrictRounds(under.pool, id, { children, round });
}

async function stepsBy(read: typeof allChildren, id: string): Promise<unknown[]> {
  const children = await read(under.pool, id);
  const limits = [{}, { limit: 30 }, { limit: 1_000 }, { topN: 50, limit: 200 }, { rounds: 20 }, { index: false }];
  return (['RUNNING', 'STOPPING', 'KILLING'] as const).flatMap((state) =>
    limits.map((more) =>
      nextStep({ plan: { ...plan, ...more }, createdAt: new Date(0), now: new Date(), state, children }),
    ),
  );
}

const rounds = (n: number): Step[] => Array.from({ length: n }, (_, at) => roundOf(at + 1, 5)).flat();

describe('the steps of strict rounds', () => {
  it('that are read for the next one are few, however many rounds there were', async () => {
    const id = await crawlOf(rounds(2_000));
    await joinAt(id, 2_000);
    expect((await recentStrictChildren(under.pool, id)).length).toBeLessThan(50);
  });

  it('lead to the same next step, whenever they were joined', async () => {
    const fetched = fc.oneof(fc.nat(7), fc.constantFrom<Fetched>(null, 'stopped'));
    const history = fc.tuple(
      // A crawl ends after three rounds in a row that visited nothing.
      fc.array(fetched, { minLength: 1, maxLength: 25 }).filter((visits) => !visits.join().includes('0,0,0,0')),
      fc.nat(4),
      fc.array(fc.nat(26), { maxLength: 3 }),
    );
    await fc.assert(
      fc.asyncProperty(history, async ([visits, cut, joined]) => {
        // The last round may not have ended.
        const steps = visits.flatMap((visited, at) => roundOf(at + 1, visited));
        const id = await crawlOf(steps.slice(0, steps.length - cut));
        const expected = await stepsBy(allChildren, id);
        for (const round of joined.toSorted((a, b) => a - b)) {
          await joinAt(id, Math.min(round, visits.length));
          expect(await stepsBy(recentStrictChildren, id)).toEqual(expected);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('are joined after each tenth round', async () => {
    const { id } = await under.jobs.create({
      type: 'CRAWL',
      crawlId: 'k',
      confId: 'c',
      confHash: CONF_HASH,
      args: {},
      plan: { ...plan, index: false, seedName: null },
    });
    for (let round = 1; round < 20; round++) {
      const selects = { reason: 'done', extra: { 'generate.batch.id': `b${round}`, 'generate.count': 7 } };
      await under.tasks.finish((await under.claimNext())!, selects);
      for (let step = 0; step < 2; step++) await under.tasks.finish((await under.claimNext())!, { reason: 'done' });
    }
    const [newest] = (await under.jobs.children(id)).slice(-1);
    expect([newest!.type, newest!.round]).toEqual(['GENERATE', 20]);
    expect((await recentChildren(under.pool, id)).length).toBeLessThan(20);
  });

  it('are deleted while the crawl goes on, when they are old', async () => {
    const id = await crawlOf(rounds(100));
    await under.db.query(
      `update job set type = 'CRAWL', state = 'RUNNING', started_at = created_at, plan = $2 where id = $1`,
      [id, JSON.stringify(plan)],
    );
    const purge = () => under.jobs.purge({ jobDays: 30, eventDays: 30 });
    expect(await purge()).toBe(0);
    await joinAt(id, 100);
    const expected = await stepsBy(allChildren, id);
    expect(await purge()).toBe(5 * 70);
    expect(await stepsBy(recentStrictChildren, id)).toEqual(expected);
    const left = await allChildren(under.pool, id);
    expect(batchesLeftBy(plan, left)).toEqual([]);
  });
});
