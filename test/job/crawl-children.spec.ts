import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CrawlPlan } from '../../src/core/job/crawl-plan.js';
import { nextStep } from '../../src/core/job/crawl-rounds.js';
import { openAmong, openBatches } from '../../src/job/crawl-batches.sql.js';
import { allChildren, joinEarlierSteps, recentChildren } from '../../src/job/crawl-children.sql.js';
import { WITHOUT_LIMITS } from '../core/job/plans.js';
import { CONF_HASH, under, useJobs } from './jobs-under-test.js';

/** The next step of a crawl needs few of its many children: the others are joined, and no step changes. */

useJobs({ without: 'jobs' });

const plan: CrawlPlan = { ...WITHOUT_LIMITS, parsesWhileFetching: true, continuous: true };

type Kind =
  | 'generate'
  | 'none'
  | 'stopped'
  | 'fetched'
  | 'fetching'
  | 'update'
  | 'close'
  | 'failed'
  | 'killed'
  | 'INDEX'
  | 'CLEAN';
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
  CLEAN: { type: 'CLEAN', result: { reason: 'done' } },
};

/** The parent of these children, each created a second after the one before it. Not a CRAWL: that would add its own. */
async function crawlOf(kinds: readonly Kind[], more: Partial<CrawlPlan> = {}): Promise<string> {
  await under.forget();
  const { id } = await under.create({ type: 'READDB', crawlId: 'k' });
  await under.db.query('update job set plan = $2 where id = $1', [id, JSON.stringify({ ...plan, ...more })]);
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
async function stepsBy(
  read: typeof allChildren,
  id: string,
  limits: Partial<CrawlPlan>[] = [{}, { limit: 300 }, { topN: 50, limit: 1_000 }, { index: true, ranks: true }],
): Promise<unknown[]> {
  const children = await read(under.pool, id);
  return (['RUNNING', 'STOPPING', 'KILLING'] as const).flatMap((state) =>
    limits.map((more) =>
      nextStep({ plan: { ...plan, ...more }, createdAt: new Date(0), now: new Date(), state, children }),
    ),
  );
}

/** Joins the older steps of a crawl as they were when it had that many children. */
async function joinAt(id: string, children: number): Promise<void> {
  const later = `select id from job where parent = $1 order by number offset $2`;
  const hidden = (await under.db.query<{ id: string }>(later, [id, children])).map((job) => job.id);
  await under.db.query('update job set parent = null where id = any ($1)', [hidden]);
  await joinEarlierSteps(under.pool, id);
  await under.db.query('update job set parent = $1 where id = any ($2)', [id, hidden]);
}

/** @param joined numbers of children at which the older steps were joined */
async function expectSameSteps(kinds: readonly Kind[], joined: readonly number[] = []): Promise<void> {
  const id = await crawlOf(kinds);
  const expected = await stepsBy(allChildren, id);
  expect(await stepsBy(recentChildren, id)).toEqual(expected);
  for (const children of joined) {
    await joinAt(id, children);
    expect(await stepsBy(recentChildren, id)).toEqual(expected);
  }
}

describe('the children of a continuous crawl, as its next step reads them', () => {
  it('are few, however many rounds it has made', async () => {
    const id = await crawlOf(['generate', 'fetching', ...many(200, 'update', 'generate')]);
    expect(await allChildren(under.pool, id)).toHaveLength(402);
    const read = await recentChildren(under.pool, id);
    expect(read.length).toBeLessThan(15);
    expect(read.reduce((sum, { selected }) => sum + selected, 0)).toBe(201 * 7);
    expect(read.reduce((sum, { selections }) => sum + selections, 0)).toBe(201);
  });

  it.each<[string, Kind[]]>([
    ['while it fetches', ['generate', 'fetching', ...many(30, 'update', 'generate')]],
    ['long after its last UPDATEDB', ['generate', 'fetching', 'update', ...many(12, 'generate')]],
    ['long after its last GENERATE', ['generate', 'fetching', 'none', ...many(12, 'update')]],
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
    await expectSameSteps(kinds, [kinds.length / 2, kinds.length - 2, kinds.length].map(Math.floor));
  });

  it('are few where INDEX and CLEAN run beside FETCH, and lead to the same step', async () => {
    const more = { index: true };
    const rounds = (n: number): Kind[] => [
      ...many(n, 'update', 'generate'),
      'INDEX',
      ...many(2, 'update', 'none'),
      'CLEAN',
    ];
    const beside = Array.from({ length: 40 }, (_, i) => rounds(i % 7)).flat();
    const indexed = (read: typeof allChildren, id: string) => stepsBy(read, id, [more, { ...more, limit: 300 }]);
    for (const last of [[], ['update'], ['update', 'generate'], ['INDEX'], ['INDEX', 'CLEAN']] satisfies Kind[][])
      for (const fetch of ['fetching', 'fetched'] satisfies Kind[]) {
        const kinds: Kind[] = ['generate', fetch, ...beside, ...last];
        const id = await crawlOf(kinds, more);
        const expected = await indexed(allChildren, id);
        expect(await indexed(recentChildren, id)).toEqual(expected);
        for (const at of [100, 200, kinds.length]) await joinAt(id, at);
        expect(await indexed(recentChildren, id)).toEqual(expected);
        expect((await recentChildren(under.pool, id)).length).toBeLessThan(20);
      }
  });

  it('lead to the same step after any history', async () => {
    const span = fc
      .tuple(
        fc.constantFrom<Kind>('fetched', 'fetching'),
        fc.array(fc.constantFrom<Kind>('generate', 'none', 'update'), { maxLength: 40 }),
        fc.constantFrom<Kind>('close', 'failed', 'stopped', 'none'),
      )
      .map(([fetch, between, last]): Kind[] => ['generate', fetch, ...between, last]);
    const joined = fc.array(fc.nat(130), { maxLength: 3 }).map((at) => at.sort((a, b) => a - b));
    await fc.assert(
      fc.asyncProperty(fc.array(span, { minLength: 1, maxLength: 3 }), joined, (spans, at) =>
        expectSameSteps(spans.flat(), at),
      ),
      { numRuns: 40 },
    );
  });

  it('are not read again once they are joined', async () => {
    const id = await crawlOf(['generate', 'fetching', ...many(100, 'update', 'generate')]);
    const expected = await stepsBy(recentChildren, id);
    await joinAt(id, 100);
    await joinAt(id, 200);
    const [{ earlier }] = (await under.db.query<{ earlier: { until: number; single: number[] } }>(
      'select earlier_steps as earlier from job where id = $1',
      [id],
    )) as [{ earlier: { until: number; single: number[] } }];
    const gone = await under.db.query(
      'delete from job where parent = $1 and number <= $2 and number <> all ($3) returning id',
      [id, earlier.until, earlier.single],
    );
    const [joined, single, recent] = [200, 2, 8];
    expect([gone.length, earlier.single.length]).toEqual([joined - single - recent, single]);
    expect(await stepsBy(recentChildren, id)).toEqual(expected);
  });

  it('are joined after each hundredth round', async () => {
    const { id } = await under.jobs.create({
      type: 'CRAWL',
      crawlId: 'k',
      confId: 'c',
      confHash: CONF_HASH,
      args: {},
      plan: { ...plan, seedName: null },
    });
    const selects = { reason: 'done', extra: { 'generate.batch.id': 'b', 'generate.count': 7 } };
    await under.tasks.finish((await under.claimNext())!, selects);
    const fetching = (await under.claimNext())!;
    await under.db.query(
      `insert into job (id, number, crawl, crawl_id, conf_id, conf_hash, type, args, state, msg, result, parent, round, started_at, ended_at)
       select concat(type, n), nextval('job_number'), (select crawl from job where id = $1), 'k', 'c', $2, type, '{"ofCrawl": "fetched"}',
              'FINISHED', 'OK', '{"reason": "done", "generate.count": 1}', $1, n + (type = 'GENERATE')::int, now(), now()
         from generate_series(1, 98) as n cross join unnest(array['UPDATEDB', 'GENERATE']) as type`,
      [id, CONF_HASH],
    );
    const joined = async () =>
      (await under.db.query('select from job where id = $1 and earlier_steps is not null', [id])).length === 1;
    await under.tasks.reportBacklog(fetching, 'low', { id });
    expect(await joined()).toBe(false);
    await under.tasks.finish((await under.claimNext())!, { reason: 'done' });
    const [newest] = (await under.jobs.children(id)).slice(-1);
    expect([newest!.type, newest!.round, await joined()]).toEqual(['GENERATE', 100, true]);
  });
});

describe('the open batches of a continuous crawl', () => {
  it('are found among others, newest first, back to its last closing UPDATEDB', async () => {
    const id = await crawlOf(['generate', 'fetched', 'close', 'generate', ...many(600, 'update', 'generate')]);
    await under.db.query(
      `update job set result = jsonb_set(result, '{generate.batch.id}', to_jsonb(id)) where parent = $1 and type = 'GENERATE'`,
      [id],
    );
    let rows = 0;
    const db: Pick<typeof under.pool, 'query'> = Object.create(under.pool, {
      query: {
        value: async (statement: { text: string; values: unknown[] }) => {
          const found = await under.pool.query(statement);
          rows += found.rows.length;
          return found;
        },
      },
    });
    const among = async (...batches: string[]) => [...(await openAmong(db, id, batches))].sort();
    expect(await among('child1204', 'child1100')).toEqual(['child1100', 'child1204']);
    expect(rows).toBe(500);
    expect(await among('child4', 'child1', 'of another')).toEqual(['child4']);
    expect(rows).toBe(500 + 1_204);
    expect(await among()).toEqual([]);
  });

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
    const open = await openBatches(under.pool, { crawl: id, id: fetch!.id });
    expect(open).toMatchObject({ batches: [{ pages: 7 }, { pages: 7 }], closed: false });
    // The duration of a round is that since the step before was made.
    const [made] = await under.db.query<{ ms: number }>(
      `select round(1000 * extract(epoch from g.ended_at - u.created_at))::int as ms
         from job g join job u on u.parent = g.parent and u.type = 'UPDATEDB' and u.number < g.number
        where g.number = $1 order by u.number desc limit 1`,
      [open.batches[1]!.number],
    );
    expect(open.batches[1]!.ms).toBe(made!.ms);
    const [first, second] = open.batches;
    expect((await openBatches(under.pool, { crawl: id, id: fetch!.id, after: first!.number })).batches).toEqual([
      second,
    ]);
    expect((await openBatches(under.pool, { crawl: id, id: fetch!.id, after: second!.number })).batches).toEqual([]);
  });
});
