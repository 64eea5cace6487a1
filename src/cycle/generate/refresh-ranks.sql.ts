/** A chunk of lagging ranks, refreshed in one transaction. */
import { type Sql, fragment, row, rows, sql } from '../../db/sql.js';
import { pageRows, samePage } from '../../webpage/page-key.sql.js';
import { rankOf } from '../../webpage/rank.sql.js';

/** Index entries of a chunk; more if more pages have one rank. */
export const MAX_REFRESHED = 2_000;

interface RankRange {
  /** Ranks, `from` included. */
  from: number;
  below: number;
}

/** The rank at which a chunk begins that ends below a rank. */
export async function chunkFrom(
  db: Sql,
  crawl: number,
  { below, lowest }: { below: number; lowest: number },
): Promise<number> {
  const page = await row<{ rank: number }>(db)`
    select rank from webpage where crawl = ${crawl} and rank is not null and rank >= ${lowest}::int and rank < ${below}::int
         order by rank desc offset ${MAX_REFRESHED} limit 1`;
  return page?.rank ?? lowest;
}

/** Refreshes lagging ranks of a chunk. @returns how many, at most `MAX_REFRESHED`: then there may be more */
export async function refreshChunk(tx: Sql, crawl: number, { from, below }: RankRange): Promise<number> {
  const lagging = await rows<{ host: string; key: string }>(tx)`
    select host, key from webpage
     where crawl = ${crawl} and rank is not null and rank >= ${from}::int and rank < ${below}::int
       and rank <> ${rankOf(fragment`score`)}
     order by host, key_hash limit ${MAX_REFRESHED}`;
  if (lagging.length === 0) return 0;
  await tx.query(sql`
    update webpage w set rank = ${rankOf(fragment`w.score`)}
      from ${pageRows(crawl, lagging)}
     where ${samePage}
       -- Written so that the index of selectable pages is not scanned again.
       and num_nulls(w.rank) = 0`);
  return lagging.length;
}
