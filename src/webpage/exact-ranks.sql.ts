/**
 * The rank from which on the ranks of a crawl follow its scores.
 *
 * UPDATEDB adds contributions to scores all the time, and changes the rank, and so the index, only when a score has changed by
 * a third: except from `exact_from` on, where the next batch is selected. Ranks from `settled_from` on match their scores:
 * `exact_from` may be lowered at any time, and pages that lagged before then have to be refreshed before `settled_from`
 * follows it. Until a crawl has had its first UPDATEDB nothing lags, whatever `exact_from` is.
 */
import { type Sql, fragment, row, sql, transaction } from '../db/sql.js';
import type { Pool } from 'pg';

/** First half of the key of the advisory lock; the second half is the crawl's number. */
const RANK_LOCK = 1_732_850_205;

const key = (crawl: number) => fragment`${RANK_LOCK}::int, ${crawl}::int`;

/**
 * Before an UPDATEDB writes: ranks below `exact_from` may lag from now on. In a transaction of its own: it writes the row of
 * the crawl.
 */
export const expectLag = async (db: Sql, crawl: number): Promise<void> =>
  void (await db.query(
    sql`update crawl set settled_from = exact_from where id = ${crawl} and settled_from < exact_from`,
  ));

/**
 * The rank from which on this transaction has to write exact ranks. `exactBelow` waits until the transaction ends.
 * @returns the lower one of both: until `expectLag` no rank may lag
 */
export async function exactFrom(tx: Sql, crawl: number): Promise<number> {
  await tx.query(sql`select pg_advisory_xact_lock_shared(${key(crawl)})`);
  const exact = await row<{ from: number }>(tx)`
    select least(exact_from, settled_from) as from from crawl where id = ${crawl}`;
  return exact!.from;
}

/** The rank from which on all ranks equal their scores. */
export async function settledFrom(db: Sql, crawl: number): Promise<number> {
  return (await row<{ from: number }>(db)`select settled_from as from from crawl where id = ${crawl}`)!.from;
}

/** When this returns, no transaction writes lagging ranks from `rank` on any more. */
export const exactBelow = (pool: Pool, crawl: number, rank: number): Promise<void> =>
  transaction(pool, async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(${key(crawl)})`);
    await tx.query(sql`update crawl set exact_from = least(exact_from, ${rank}::int) where id = ${crawl}`);
  });

/** All pages from `rank` on were refreshed since `exactBelow`. Another GENERATE may have set `exact_from` again meanwhile. */
export const recordExact = async (db: Sql, crawl: number, rank: number): Promise<void> =>
  void (await db.query(
    sql`update crawl set settled_from = greatest(exact_from, ${rank}::int) where id = ${crawl} and settled_from > ${rank}::int`,
  ));
