/**
 * Updates ranks that lag behind their scores, down to a given rank: by an index, so the cost depends on the pages
 * between it and the ranks that are already exact. In chunks: each is a transaction of its own.
 */
import { exactBelow, recordExact, settledFrom } from '../../webpage/exact-ranks.sql.js';
import { MIN_RANK, RANK_SLACK } from '../../webpage/rank.sql.js';
import { isStopping } from '../halt.js';
import type { Run } from '../step.js';
import { MAX_REFRESHED, refreshChunk, chunkFrom } from './refresh-ranks.sql.js';

/** The selection has reached ranks that may lag. */
export class RanksLag extends Error {
  /** @param rank the rank that it has reached */
  constructor(readonly rank: number) {
    super(`ranks below ${rank} may lag behind their scores`);
  }
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
    if (isStopping(run)) return false;
    const from = await chunkFrom(run.pool, crawl, { below, lowest });
    const range = { from, below };
    const refreshed = await run.write(async (tx, counted) => {
      const n = await refreshChunk(tx, crawl, range);
      if (n > 0) counted('Generator', 'RANKS_REFRESHED', n);
      return n;
    });
    if (refreshed < MAX_REFRESHED) below = from;
  }
  await recordExact(run.pool, crawl, target);
  return true;
}
