/** The statements of SCOREUPDATE: link ranks become the scores of pages. */
import { lockInOrder } from '../../db/row-locks.js';
import { type Sql, fragment, row } from '../../db/sql.js';
import { rankOf } from '../../webpage/rank.sql.js';
import type { PageAt } from './webgraph.sql.js';

/** Whether LINKRANK has ranked any page of a crawl. */
export async function hasLinkRanks(db: Sql, crawl: number): Promise<boolean> {
  const webgraph = await row<{ ranked: boolean }>(db)`
    select exists (select 1 from webgraph_node where crawl = ${crawl} and link_rank is not null) as ranked`;
  return webgraph!.ranked;
}

export interface Updated extends PageAt {
  /** Pages whose score has become their link rank. */
  changed: number;
  /** Pages whose score was cleared because they have no link rank. */
  cleared: number;
}

/** Writes the scores of the next pages in the order of the table; host and hash are of the last of them. Undefined at the end. */
export function updateScores(
  tx: Sql,
  crawl: number,
  { after, limit, clearScore }: { after: PageAt; limit: number; clearScore: number },
): Promise<Updated | undefined> {
  return row<Updated>(tx)`
    with page as materialized (
      select crawl, host, key_hash, key from webpage
       where crawl = ${crawl} and (host, key_hash) > (${after.host}::text, ${after.keyHash}::bigint)
       order by host, key_hash limit ${limit} ${lockInOrder()}
    ), scored as materialized (
      select page.crawl, page.host, page.key_hash, n.link_rank, coalesce(n.link_rank, ${clearScore}::float8) as score
        from page
        left join webgraph_node n on n.crawl = page.crawl and n.host = page.host and n.key_hash = page.key_hash and n.key = page.key
    ), put as (
      update webpage w
         set score = scored.score, content_score = null, rank = case when w.rank is not null then ${rankOf(fragment`scored.score`)} end
        from scored
       where w.crawl = scored.crawl and w.host = scored.host and w.key_hash = scored.key_hash and w.score <> scored.score
      returning scored.link_rank
    )
    select page.host, page.key_hash::text as "keyHash", (select count(link_rank) from put)::int as changed,
           (select count(*) filter (where link_rank is null) from put)::int as cleared
      from page order by page.host desc, page.key_hash desc limit 1`;
}
