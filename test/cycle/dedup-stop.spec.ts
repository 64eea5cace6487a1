import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DedupJob } from '../../src/cycle/dedup/dedup.job.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { runKilled } from './interrupted.js';
import { expectConsistent } from './table.js';

/** A DEDUP that is stopped while it processes a content on many pages, and the next one. */

let cycle: Cycle;
beforeAll(async () => {
  cycle = await openCycle();
});
afterEach(() => expectConsistent(cycle));
afterAll(() => cycle.close());

const PAGES = 10_000;
const signature = '00000000000000ff';

/** One content on ten thousand pages, noted as UPDATEDB does. The last page is the best. */
async function soft404(crawlId: string, score: string): Promise<number> {
  await cycle.inject([], {}, { crawlId });
  const [{ id }] = (await cycle.db.query<{ id: number }>('select id from crawl where name = $1', [crawlId])) as [
    { id: number },
  ];
  await cycle.db.query(
    `insert into webpage (crawl, host, key, fetch_time, fetch_interval, score, cash, status, source_kind, signature)
     select $1, host, host || ':http/' || to_char(i, 'FM00000'), now() + interval '1 day', 1, ${score}, 0, 2, 'link', $2
       from generate_series(1, ${PAGES}) i cross join lateral (select 'test.h' || to_char(i % 50, 'FM00') as host) h`,
    [id, signature],
  );
  await cycle.db.query(
    `insert into host (crawl, host, domain, n_fetched) select crawl, host, host, count(*) from webpage where crawl = $1 group by 1, 2`,
    [id],
  );
  await cycle.db.query(
    'insert into signature_due select distinct crawl, now(), host, signature from webpage where crawl = $1',
    [id],
  );
  return id;
}

const marked = 'Documents marked as duplicate';

describe('a DEDUP that is stopped within one content', () => {
  it.each<[string, string, Record<string, unknown>]>([
    ['while it reads its pages', 'i', {}],
    ['while it reads its pages, with near duplicates', 'i', { 'deduplication.simhash.distance': 3 }],
    ['while it marks pages that are worse than one page', `case when i = ${PAGES} then 2 else 1 end`, {}],
  ])('%s: makes no further write, and the next attempt marks the rest', async (name, score, conf) => {
    const crawl = await soft404(name, score);
    const stop = new AbortController();
    let later = 0;
    const { attempts, counted } = await runKilled(new DedupJob(), {
      pool: cycle.pool,
      crawl,
      args: {},
      writes: 100,
      conf,
      stopping: stop.signal,
      wrote: (attempt, so) => {
        if (stop.signal.aborted && attempt === 1) later++;
        if ((so[marked] ?? 0) > 0) stop.abort();
      },
    });
    expect({ attempts, later }).toEqual({ attempts: 2, later: 0 });
    expect(counted).toMatchObject({ [marked]: PAGES - 1 });
    const left = await cycle.db.query('select key from webpage where crawl = $1 and status = 2', [crawl]);
    expect(left).toEqual([{ key: `test.h00:http/${PAGES}` }]);
    expect(await cycle.db.query('select from signature_due where crawl = $1', [crawl])).toEqual([]);
  });
});

it('a DEDUP with other rules forgets near contents in chunks, and continues after a kill', async () => {
  await cycle.inject(['http://test.a/'], {}, { crawlId: 'bands' });
  const [found] = await cycle.db.query<{ id: number }>(`select id from crawl where name = 'bands'`);
  const crawl = found!.id;
  const attempts = async (bands: number, distance: number) => {
    await cycle.db.query(
      `insert into simhash_band (crawl, kept, place, band, signature)
       select $1, true, '', to_char(n % 7, 'FM0'), to_char(n, 'FM0000000000000000') from generate_series(1, $2) n`,
      [crawl, bands],
    );
    const conf = { 'deduplication.simhash.distance': distance };
    const ended = await runKilled(new DedupJob(), { pool: cycle.pool, crawl, args: {}, writes: 1, conf });
    expect(await cycle.db.query('select from simhash_band where crawl = $1', [crawl])).toEqual([]);
    return ended.attempts;
  };
  const few = await attempts(1, 3);
  expect(await attempts(20_001, 4)).toBe(few + 2);
});
