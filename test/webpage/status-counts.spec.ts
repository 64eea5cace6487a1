import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { crawlStats } from '../../src/webpage/crawl-stats.js';
import { transaction } from '../../src/db/sql.js';
import { StatusDeltas, addStatusDeltas, statusCounts } from '../../src/webpage/host-counts.store.js';
import { keptCounts, recountOverdue, recountStatuses } from '../../src/webpage/status-count.store.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

let db: TestDatabase;
const CRAWL = 1;

beforeAll(async () => {
  db = await testDatabase();
  await db.query(`insert into crawl (id, name) overriding system value values (${CRAWL}, 'counted')`);
});
afterAll(() => db.drop());
beforeEach(async () => {
  await db.query('truncate host, status_count, webpage');
  await db.query('update crawl set stats = null, stats_time = null');
});

/** Moves pages of a host from one status to another. */
const move = (host: string, from: number | null, to: number, n = 1): Promise<void> =>
  transaction(db.pool, (tx) => {
    const deltas = new StatusDeltas();
    deltas.move(host, from, to, n);
    return addStatusDeltas(tx, CRAWL, deltas);
  });

const kept = () => db.query<{ base: boolean }>('select base from status_count order by id');

describe('counts of pages by status', () => {
  it('are the sums of the host table while no count is stored', async () => {
    await move('com.a', null, 1, 5);
    await move('com.b', null, 2, 2);
    expect(await keptCounts(db.pool, CRAWL)).toEqual({ counts: { 1: 5, 2: 2 }, stale: true });
  });

  it('are the sums of a stored count and the changes since', async () => {
    await move('com.a', null, 1, 5);
    await recountStatuses(db.pool, CRAWL);
    expect(await kept()).toEqual([{ base: true }]);
    await move('com.a', 1, 2, 3);
    await move('com.b', null, 34);
    expect(await kept()).toHaveLength(3);
    expect(await keptCounts(db.pool, CRAWL)).toEqual({ counts: { 1: 2, 2: 3, 34: 1 }, stale: false });
    await recountStatuses(db.pool, CRAWL);
    expect(await kept()).toEqual([{ base: true }]);
    expect(await statusCounts(db.pool, CRAWL)).toEqual({ 1: 2, 2: 3, 34: 1 });
  });

  it('are summed up by housekeeping above 1,000 changes', async () => {
    await db.query(`insert into host (crawl, host, domain, n_fetched) values (${CRAWL}, 'com.a', 'com.a', 1001)`);
    const changes = (n: number) =>
      db.query(`insert into status_count (crawl, counts)
                select ${CRAWL}, '{0,1,0,0,0,0,0,0,0,0}' from generate_series(1, ${n})`);
    await changes(1_000);
    await recountOverdue(db.pool);
    expect(await kept()).toHaveLength(1_000);
    await changes(1);
    await recountOverdue(db.pool);
    expect(await kept()).toEqual([{ base: true }]);
    expect(await statusCounts(db.pool, CRAWL)).toEqual({ 2: 1_001 });
  });

  it('do not include another crawl', async () => {
    await move('com.a', null, 1, 5);
    expect(await statusCounts(db.pool, CRAWL + 1)).toEqual({});
  });

  it('are not changed by a transaction that is rolled back', async () => {
    await recountStatuses(db.pool, CRAWL);
    const failing = transaction(db.pool, async (tx) => {
      const deltas = new StatusDeltas();
      deltas.move('com.a', null, 1);
      await addStatusDeltas(tx, CRAWL, deltas);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await statusCounts(db.pool, CRAWL)).toEqual({});
  });

  it('are corrected by a recount after something changed only hosts', async () => {
    await move('com.a', null, 1, 5);
    await recountStatuses(db.pool, CRAWL);
    await db.query('update host set n_unfetched = 4, n_gone = 1');
    await recountStatuses(db.pool, CRAWL);
    expect(await statusCounts(db.pool, CRAWL)).toEqual({ 1: 4, 3: 1 });
  });

  it.each(['1001 changes', 'a day'])('are stale after %s', async (what) => {
    await recountStatuses(db.pool, CRAWL);
    await db.query(
      what === 'a day'
        ? `update status_count set counted_at = now() - interval '25 hours'`
        : `insert into status_count (crawl, counts) select ${CRAWL}, array[0,0,0,0,0,0,0,0,0,0] from generate_series(1, 1001)`,
    );
    expect(await keptCounts(db.pool, CRAWL)).toMatchObject({ stale: true });
  });

  it('are correct with concurrent writers and recounts', async () => {
    const write = async (host: string) => {
      for (let i = 0; i < 40; i++) await move(host, i % 2 === 0 ? null : 1, i % 2 === 0 ? 1 : 2);
    };
    const countOften = async () => {
      for (let i = 0; i < 25; i++) await recountStatuses(db.pool, CRAWL);
    };
    await Promise.all([write('com.a'), write('com.b'), countOften(), countOften(), countOften()]);
    expect(await statusCounts(db.pool, CRAWL)).toEqual({ 2: 40 });
    await db.query('update status_count set counted_at = now()');
    expect((await kept()).filter(({ base }) => base)).toHaveLength(1);
  });
});

describe('statistics of a crawl with too many pages to read for each request', () => {
  beforeEach(async () => {
    await db.query(
      `insert into webpage (crawl, host, key, fetch_time, fetch_interval, score, cash, rank, source_kind)
       select ${CRAWL}, 'com.a', 'com.a:https/' || i, now(), 60, i, i, 0, 'link' from generate_series(1, 100) i`,
    );
    await db.query(`insert into host (crawl, host, domain, n_unfetched) values (${CRAWL}, 'com.a', 'com.a', 300000)`);
  });
  const stats = () => crawlStats(db.pool, CRAWL, null);
  const snapshotKept = async (): Promise<void> => {
    while ((await db.query('select from crawl where stats is not null')).length === 0)
      await new Promise((wake) => setTimeout(wake, 10));
  };

  it('come from a snapshot that is made after the first response', async () => {
    // The sums are estimated from a sample, or are those of the pages when the sample misses the crawl.
    const fit = expect.stringMatching(/^(?:18000000|6000)$/) as string;
    expect(await stats()).toMatchObject({ totalUrls: '300000', 'retry 0': expect.any(String), fit });
    await snapshotKept();
    await db.query('update webpage set score = 1000');
    expect(await stats()).toMatchObject({ maxScore: '100.0', 'retry 0': '100', fit: '6000' });
  });

  it('come from an old snapshot while the next one is made', async () => {
    await stats();
    await snapshotKept();
    await db.query(`update webpage set score = 1000`);
    await db.query(`update crawl set stats_time = now() - interval '11 minutes' where id = ${CRAWL}`);
    const answered = await stats();
    expect(answered).toMatchObject({ maxScore: '100.0' });
    while ((await stats()).maxScore !== '1000.0') await new Promise((wake) => setTimeout(wake, 10));
  });
});

it('statistics have scores in the format of Java (1.x CrawlDbReader.query)', async () => {
  await move('com.a', null, 1, 2);
  await db.query(
    `insert into webpage (crawl, host, key, fetch_time, fetch_interval, score, cash, rank, source_kind)
     select ${CRAWL}, 'com.a', 'com.a:https/' || score, now(), 60, score, 0, 0, 'link' from unnest(array[1e-7, 3e7]) score`,
  );
  expect(await crawlStats(db.pool, CRAWL, { hosts: 0, quantiles: [0.5] })).toMatchObject({
    minScore: '1.0E-7',
    maxScore: '3.0E7',
    avgScore: '1.500000000000005E7',
    'score quantile 0.5': '1.0E-7',
  });
});
