/** What the statistics of a crawl read. A sample of the table is given as a percentage of its pages; null: all of them. */
import type { Pool } from 'pg';
import { slowRows } from '../db/slow-rows.js';
import { type Fragment, type Sql, fragment, row, sql } from '../db/sql.js';

const sampleOf = (percent: number | null): Fragment =>
  percent === null ? fragment`webpage` : fragment`webpage tablesample system (${percent}::real)`;

/** The number of pages of whose content only a part was kept, bigint as text. Reads an index of these alone. */
export async function countCutPages(pool: Pool, crawl: number): Promise<string> {
  const [pages] = await slowRows<{ n: string }>(
    pool,
    sql`select count(*) as n from page_content where crawl = ${crawl} and truncated is not null`,
  );
  return pages!.n;
}

/** The snapshot stored with a crawl, and when it was taken. */
export const storedSnapshot = <S>(
  db: Sql,
  crawl: number,
): Promise<{ stats: S | null; time: Date | null } | undefined> =>
  row<{ stats: S | null; time: Date | null }>(db)`
    select stats, stats_time as time from crawl where id = ${crawl}`;

/** Stores a snapshot, taken now. */
export async function storeSnapshot(db: Sql, crawl: number, stats: object): Promise<void> {
  await db.query(sql`update crawl set stats = ${stats}, stats_time = now() where id = ${crawl}`);
}

/** The scores at some quantiles. */
export async function scoresAt(
  pool: Pool,
  crawl: number,
  { quantiles, percent }: { quantiles: readonly number[]; percent: number | null },
): Promise<number[]> {
  const [sample] = await slowRows<{ scores: number[] | null }>(
    pool,
    sql`
    select percentile_disc(${quantiles}::float8[]) within group (order by score) as scores
      from ${sampleOf(percent)} where crawl = ${crawl}`,
  );
  return sample?.scores ?? [];
}

/** The pages with a number of retries: their scores, fetch times (minutes since the epoch) and intervals (seconds). */
export type RetriesGroup = Record<
  'n' | 'low' | 'high' | 'sum' | 'ftn' | 'ftx' | 'ftt' | 'fin' | 'fix' | 'fit',
  number
> & {
  retries: number;
};

/** Reads every page of a crawl, or of a sample. */
export const groupsByRetries = (pool: Pool, crawl: number, percent: number | null): Promise<RetriesGroup[]> =>
  slowRows<RetriesGroup>(
    pool,
    sql`
    select retries_since_fetch as retries, count(*)::float8 as n, min(score) as low, max(score) as high, sum(score) as sum,
           floor(date_part('epoch', min(fetch_time)) / 60) as ftn, floor(date_part('epoch', max(fetch_time)) / 60) as ftx,
           sum(floor(date_part('epoch', fetch_time) / 60)) as ftt,
           min(fetch_interval) as fin, max(fetch_interval) as fix, sum(fetch_interval)::float8 as fit
      from ${sampleOf(percent)} where crawl = ${crawl} group by retries_since_fetch order by retries_since_fetch`,
  );
