import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JobRow } from '../../src/job/job-row.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { counter } from './table.js';

/** The best ranks belong to hosts at their limit or drained: GENERATE skips them and selects the best pages of the others. */

let cycle: Cycle;
let crawl: number;
beforeAll(async () => {
  cycle = await openCycle();
});
afterAll(() => cycle.close());
beforeEach(async () => {
  await cycle.db.query('truncate webpage, host, status_count');
});

/** Selectable pages: SQL of host and score of page `i`, for i from 1 to n. */
async function addPages(n: number, host: string, score: string): Promise<void> {
  await cycle.db.query(
    `insert into webpage (crawl, host, key, fetch_time, fetch_interval, score, cash, rank, source_kind)
     select $2, host, host || ':https/' || i, now(), 2592000, score, score, (ln(score) * 16777216)::int, 'link'
       from (select i, ${host} as host, ${score} as score from generate_series(1, $1::int) i) page`,
    [n, crawl],
  );
}

async function generate(topN: number): Promise<JobRow> {
  return cycle.run('GENERATE', { topN }, { crawlId: 'giant', conf: { 'generate.max.count': '2' } });
}

const selected = async (): Promise<Record<string, number>> => {
  const rows = await cycle.db.query<{ host: string; n: number }>(
    'select host, count(*)::int as n from webpage where generate_mark is not null group by host order by host',
  );
  return Object.fromEntries(rows.map(({ host, n }) => [host, n]));
};

beforeAll(async () => {
  const [made] = await cycle.db.query<{ id: number }>(`insert into crawl (name) values ('giant') returning id`);
  crawl = made!.id;
});

describe('hosts at their limit or drained', () => {
  it('are skipped by GENERATE, which fills the batch with the best pages of the others, in order', async () => {
    await addPages(6_000, `'com.giant'`, '2 + i / 10000.0::float8');
    await addPages(3_000, `'com.held' || i % 300`, '1.5::float8');
    await addPages(900, `'net.small' || i % 300`, 'power(0.99::float8, i)');
    await cycle.db.query(
      `insert into host (crawl, host, domain, drain) select distinct $1::int, host, host, true from webpage where host like 'com.held%'`,
      [crawl],
    );
    const job = await generate(500);
    expect(job.result?.['generate.count']).toBe(500);
    const chosen = await selected();
    expect(chosen['com.giant']).toBe(2);
    expect(Object.keys(chosen).filter((host) => host.startsWith('com.held'))).toEqual([]);
    // Two of each small host in order of score: 1 to 300, then 301 to 498.
    const places = await cycle.db.query<{ place: number }>(
      `select split_part(key, '/', 2)::int as place from webpage where generate_mark is not null and host like 'net.%' order by 1`,
    );
    expect(places.map(({ place }) => place)).toEqual(Array.from({ length: 498 }, (_, i) => i + 1));
    // Only pages that were read are counted, fewer than the host has.
    expect(counter(job, 'Generator', 'HOST_LIMIT')).toBeGreaterThan(0);
    expect(counter(job, 'Generator', 'HOST_LIMIT')).toBeLessThan(5_998);
  });

  it('are skipped when all pages have one rank, and each page is selected once', async () => {
    await addPages(6_000, `'com.giant'`, '1::float8');
    await addPages(1_500, `'net.small' || i % 500`, '1::float8');
    const job = await generate(5_000);
    expect(job.result?.['generate.count']).toBe(1_002);
    const chosen = await selected();
    expect(Object.keys(chosen)).toHaveLength(501);
    expect(new Set(Object.values(chosen))).toEqual(new Set([2]));
  });
});
