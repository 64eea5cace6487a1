import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CrawlPlan } from '../../src/core/job/crawl-plan.js';
import { nextStep } from '../../src/core/job/crawl-rounds.js';
import { allChildren, recentChildren } from '../../src/job/crawl-children.sql.js';
import { WITHOUT_LIMITS } from '../core/job/plans.js';
import { CONF_HASH, under, useJobs } from './jobs-under-test.js';

/** The next step of a crawl needs few of its many children: the others are joined, and no step changes. */

useJobs({ without: 'jobs' });

const plan: CrawlPlan = { ...WITHOUT_LIMITS, parsesWhileFetching: true, continuous: true };

type Kind =
  'generate' | 'none' | 'stopped' | 'fetched' | 'fetching' | 'update' | 'close' | 'failed' | 'killed' | 'INDEX';
const KINDS: Record<Kind, { type: string; state?: string; args?: object; result?: object }> = {
  generate: { type: 'GENERATE', result: { reason: 'done', 'generate.batch.id': 'b', 'generate.count': 7 } },
  none: {
    type: 'GENERATE',
    result: { reason: 'no-urls', 'generate.count': 0, counters: { Generator: { HOST_BLOCKED: 3 } } },
  },
  stopped: { type: 'GENERATE', result: { reason: 'stopped', 'generate.count': 0 } },
  fetched: { type: 'FETCH', result: { reason: 'done', counters: { FetcherStatus: { SUCCESS: 5, pending: 2 } } } },
  fetching: { type: 'FETCH', state: 'RUNNING' },
  update: { type: 'UPDATEDB', args: { ofCrawl: 'fetched' }, result: { reason: 'done' } },
  close: { type: 'UPDATEDB', args: { ofCrawl: 'all' }, result: { reason: 'done' } },
  failed: { type: 'UPDATEDB', state: 'FAILED', args: { ofCrawl: 'fetched' }, result: { reason: 'failed' } },
  killed: { type: 'GENERATE', state: 'KILLED', result: { reason: 'aborted' } },
  INDEX: { type: 'INDEX', result: { reason: 'done' } },
};

/** The parent of these children, each created a second after the one before it. Not a CRAWL: that would add its own. */
async function crawlOf(kinds: readonly Kind[]): Promise<string> {
  await under.forget();
  const { id } = await under.create({ type: 'READDB', crawlId: 'k' });
  const children = kinds.map((kind) => ({ state: 'FINISHED', args: {}, ...KINDS[kind] }));
  await under.db.query(
    `insert into job (id, number, crawl, crawl_id, conf_id, conf_hash, type, args, state, msg, result, parent, round, created_at, started_at, ended_at)
     select 'child' || c.n, nextval('job_number'), (select crawl from job where id = $1), 'k', 'c', $2, c.child ->> 'type', c.child -> 'args',
            c.child ->> 'state', 'OK', c.child -> 'result', $1, c.n, at.begun, at.begun,
            case when c.child ->> 'state' <> 'RUNNING' then at.begun + interval '0.5 s' end
       from jsonb_array_elements($3::jsonb) with ordinality as c (child, n)
      cross join lateral (select timestamptz '2026-01-01' + c.n * interval '1 s' as begun) as at`,
    [id, CONF_HASH, JSON.stringify(children)],
  );
  return id;
}

const many = (n: number, ...kinds: Kind[]): Kind[] => Array.from({ length: n }, () => kinds).flat();

/** What a crawl does next, in each of its states and with each kind of limit. */
async function stepsBy(read: typeof allChildren, id: string): Promise<unknown[]> {
  const children = await read(under.pool, id);
  const limits = [{}, { limit: 300 }, { topN: 50, limit: 1_000 }, { index: true, ranks: true }];
  return (['RUNNING', 'STOPPING', 'KILLING'] as const).flatMap((state) =>
    limits.map((more) => nextStep({ plan: { ...plan, ...more }, createdAt: new Date(0), state, children })),
  );
}

async function expectSameSteps(kinds: readonly Kind[]): Promise<void> {
  const id = await crawlOf(kinds);
  expect(await stepsBy(recentChildren, id)).toEqual(await stepsBy(allChildren, id));
}

describe('the children of a continuous crawl, as its next step reads them', () => {
  it('are few, however many rounds it has made', async () => {
    const id = await crawlOf(['generate', 'fetching', ...many(200, 'update', 'generate')]);
    expect(await allChildren(under.pool, id)).toHaveLength(402);
    const read = await recentChildren(under.pool, id);
    expect(read.length).toBeLessThan(15);
    expect(read.reduce((sum, { selected }) => sum + selected, 0)).toBe(201 * 7);
    expect(read.reduce((sum, { selections = 0 }) => sum + selections, 0)).toBe(201);
  });

  it.each<[string, Kind[]]>([
    ['while it fetches', ['generate', 'fetching', ...many(30, 'update', 'generate')]],
    ['when nothing was selected for long', ['generate', 'fetching', ...many(30, 'update', 'none')]],
    ['after a stopped GENERATE', ['generate', 'fetching', ...many(30, 'update', 'generate'), 'update', 'stopped']],
    ['after a failed step', ['generate', 'fetching', ...many(15, 'update', 'generate'), 'failed']],
    ['after an aborted step long ago', ['generate', 'fetching', 'update', 'killed', ...many(20, 'update', 'generate')]],
    ['at the end of its FETCH', ['generate', 'fetched', ...many(30, 'update', 'generate')]],
    ['after its closing UPDATEDB', ['generate', 'fetched', ...many(30, 'update', 'generate'), 'close']],
    ['when then nothing is due', ['generate', 'fetched', ...many(30, 'update', 'generate'), 'close', 'none']],
    [
      'in its second FETCH',
      [
        'generate',
        'fetched',
        ...many(20, 'update', 'generate'),
        'close',
        'generate',
        'fetching',
        ...many(20, 'update', 'none'),
      ],
    ],
    ['in its follow-ups', ['generate', 'fetched', ...many(20, 'update', 'generate'), 'close', 'none', 'INDEX']],
  ])('lead to the same step: %s', async (_, kinds) => {
    await expectSameSteps(kinds);
  });

  it('lead to the same step after any history', async () => {
    const span = fc
      .tuple(
        fc.constantFrom<Kind>('fetched', 'fetching'),
        fc.array(fc.constantFrom<Kind>('generate', 'none', 'update'), { maxLength: 40 }),
        fc.constantFrom<Kind>('close', 'failed', 'stopped', 'none'),
      )
      .map(([fetch, between, last]): Kind[] => ['generate', fetch, ...between, last]);
    await fc.assert(
      fc.asyncProperty(fc.array(span, { minLength: 1, maxLength: 3 }), (spans) => expectSameSteps(spans.flat())),
      { numRuns: 40 },
    );
  });
});

describe('the open batches of a continuous crawl', () => {
  it('are those since its last closing UPDATEDB, or those since a batch that the FETCH has', async () => {
    const id = await crawlOf([
      'generate',
      'fetched',
      'close',
      'generate',
      'fetching',
      'update',
      'none',
      'update',
      'generate',
    ]);
    const [fetch] = await under.db.query(`select id from job where parent = $1 and state = 'RUNNING'`, [id]);
    const open = await under.jobs.openBatches(id, fetch!.id);
    expect(open).toMatchObject({ batches: [{ pages: 7 }, { pages: 7 }], closed: false });
    const [first, second] = open.batches;
    expect((await under.jobs.openBatches(id, fetch!.id, first!.number)).batches).toEqual([second]);
    expect((await under.jobs.openBatches(id, fetch!.id, second!.number)).batches).toEqual([]);
  });
});
