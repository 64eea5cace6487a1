/** The links to pages, for their documents in an index and for dumps. */
import { type Sql, rows } from '../db/sql.js';
import { pageRows } from './page-key.sql.js';

/** Links to a page that are read at most, best first: more would not say anything new. */
const MAX_INLINKS = 1_000;

export interface BestInlink {
  host: string;
  key: string;
  source: string;
  anchor: string | null;
}

/** The best inlinks of pages, best first. */
export const bestInlinks = (
  db: Sql,
  crawl: number,
  pages: readonly { host: string; key: string }[],
): Promise<BestInlink[]> =>
  rows<BestInlink>(db)`
    select host, key, source, anchor
      from (select i.host, i.key, i.source, i.anchor,
                   row_number() over (partition by i.host, i.key order by i.score desc, i.source) as position
              from ${pageRows(crawl, pages)}
              join inlink i on i.crawl = page.crawl and i.host = page.host and i.key = page.key) ranked
     where position <= ${MAX_INLINKS} order by host, key, position`;
