/** The links of pages, as PARSE stored them. */
import { type Sql, rows } from '../db/sql.js';
import { contentOfPage, pageRows } from '../webpage/page-key.sql.js';

/** Row keys of the outlinks of pages, and of the former ones of which inlinks were made, each once. */
export async function everyLink(
  tx: Sql,
  crawl: number,
  sources: readonly { host: string; key: string }[],
): Promise<string[]> {
  const links = await rows<{ key: string }>(tx)`
    select distinct link.key collate "C" as key
      from ${pageRows(crawl, sources)}
      join page_content p on ${contentOfPage}
     cross join lateral unnest(p.outlink_keys || p.former_outlink_keys) as link (key)`;
  return links.map(({ key }) => key);
}
