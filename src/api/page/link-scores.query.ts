import { type Sql, rows } from '../../db/sql.js';
import { pageRows } from '../../webpage/page-key.sql.js';
import type { PageRanks } from './page.dto.js';

/** Results of LINKRANK, PAGERANK and HITS for some pages, by row key; pages without any are missing. */
export async function linkScoresOf(
  db: Sql,
  crawl: number,
  pages: readonly { host: string; key: string }[],
): Promise<Map<string, PageRanks>> {
  if (pages.length === 0) return new Map();
  const scored = await rows<PageRanks & { key: string }>(db)`
    select n.key, n.link_rank as "linkRank", n.page_rank as "pageRank", n.hub, n.authority,
           n.num_inlinks as inlinks, n.num_outlinks as outlinks
      from ${pageRows(crawl, pages)}
      join webgraph_node n on n.crawl = page.crawl and n.host = page.host and n.key_hash = hashtextextended(page.key, 0) and n.key = page.key`;
  return new Map(scored.map(({ key, ...scores }) => [key, scores]));
}
