/**
 * Updates ranks that lag behind their scores, down to a given rank: by an index, so the cost depends on the pages
 * between it and the ranks that are already exact. In slices: each is a transaction of its own.
 */
import { type Sql, fragment, row, rows, sql } from '../../db/sql.js';
import { pageRows, samePage } from '../../webpage/page-key.sql.js';
import { exactBelow, settle, settledFrom } from '../../webpage/exact-ranks.js';
import { MIN_RANK, RANK_SLACK, rankOf } from '../../webpage/rank.js';
import type { Run } from '../step.js';

/** Index entries of a slice; more if more pages have one rank. */
const SLICE = 2_000;

/** The selection has reached ranks that may lag. */
export class RanksLag extends Error {
  /** @param rank the rank that it has reached */
  constructor(readonly rank: number) {
    super(`ranks below ${rank} may lag behind their scores`);
  }
}

interface Slice {
  /** Ranks, `from` included. */
  from: number;
  below: number;
}

/** @returns false when the job was stopped before it had finished */
export async function refreshRanks(run: Run, to: number): Promise<boolean> {
  const { crawl } = run.job;
  const target = Math.max(MIN_RANK, Math.floor(to));
  await exactBelow(run.pool, crawl, target);
  // A page lags by the slack at most, and behind its score.
  const lowest = Math.max(MIN_RANK, target - RANK_SLACK - 1);
  let below = await settledFrom(run.pool, crawl);
  while (below > lowest) {
    if (run.stopping.aborted) return false;
    run.aborted.throwIfAborted();
    const from = await sliceFrom(run.pool, crawl, { below, lowest });
    const slice = { from, below };
    const refreshed = await run.write(async (tx, counted) => {
      const n = await refreshSlice(tx, crawl, slice);
      if (n > 0) counted('Generator', 'RANKS_REFRESHED', n);
      return n;
    });
    if (refreshed < SLICE) below = from;
  }
  await settle(run.pool, crawl, target);
  return true;
}

/** The rank at which a slice begins that ends below a rank. */
export async function sliceFrom(
  db: Sql,
  crawl: number,
  { below, lowest }: { below: number; lowest: number },
): Promise<number> {
  const found = await row<{ rank: number }>(db)`
    select rank from webpage where crawl = ${crawl} and rank is not null and rank >= ${lowest}::int and rank < ${below}::int
         order by rank desc offset ${SLICE} limit 1`;
  return found?.rank ?? lowest;
}

/** Refreshes lagging ranks of a slice. @returns how many, at most `SLICE`: then there may be more */
export async function refreshSlice(tx: Sql, crawl: number, { from, below }: Slice): Promise<number> {
  const lagging = await rows<{ host: string; key: string }>(tx)`
    select host, key from webpage
     where crawl = ${crawl} and rank is not null and rank >= ${from}::int and rank < ${below}::int
       and rank <> ${rankOf(fragment`score`)}
     order by host, key_hash limit ${SLICE}`;
  if (lagging.length === 0) return 0;
  await tx.query(sql`
    update webpage w set rank = ${rankOf(fragment`w.score`)}
      from ${pageRows(crawl, lagging)}
     where ${samePage}
       -- Written so that the index of selectable pages is not scanned again.
       and num_nulls(w.rank) = 0`);
  return lagging.length;
}
