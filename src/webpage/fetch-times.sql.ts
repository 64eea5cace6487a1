/** When pages were last fetched. Their rows do not say so: after UPDATEDB these have the times at which a page is, and was, due. */
import { type Sql, rows } from '../db/sql.js';
import { pageRows } from './page-key.sql.js';
import type { PageKey } from '../core/page/page-row.js';
import { FETCHED } from './page-status.sql.js';

/** When pages were last fetched or found not modified, as far as their visits are kept (`fetch.history.months`). */
export const readFetchTimes = (
  db: Sql,
  crawl: number,
  pages: readonly PageKey[],
): Promise<(PageKey & { time: Date })[]> =>
  rows<PageKey & { time: Date }>(db)`
    select h.host, h.key, max(h.time) as time
      from ${pageRows(crawl, pages)}
      join fetch_history h on h.crawl = page.crawl and h.host = page.host and h.key = page.key
     where h.status in ${FETCHED}
     group by h.host, h.key`;

/** The same by row key. */
export async function fetchTimesByKey(db: Sql, crawl: number, pages: readonly PageKey[]): Promise<Map<string, Date>> {
  const times = pages.length === 0 ? [] : await readFetchTimes(db, crawl, pages);
  return new Map(times.map(({ key, time }) => [key, time]));
}
