/** Pages as UPDATEDB leaves them, for the log at level debug: their scores are summed in the table alone. */
import { statusText } from '../../core/page/page-status.js';
import { type Sql, rows } from '../../db/sql.js';
import { crawlColumn } from '../../webpage/crawl-column.js';
import type { Trace } from '../step.js';

/** Traces pages as the transaction leaves them. */
export async function tracePages(
  tx: Sql,
  crawl: number,
  pages: readonly { host: string; key: string }[],
  trace: Trace,
): Promise<void> {
  const found = await rows<{ key: string; status: number; score: number; fetchTime: Date }>(tx)`
    select w.key, w.status, w.score, w.fetch_time as "fetchTime"
      from unnest(${crawlColumn(crawl, pages.length)}, ${pages.map((p) => p.host)}::text[], ${pages.map((p) => p.key)}::text[])
           as page (crawl, host, key)
      join webpage w on w.crawl = page.crawl and w.host = page.host and w.key_hash = hashtextextended(page.key, 0) and w.key = page.key`;
  for (const { key, status, ...rest } of found) trace(key, { status: statusText(status), ...rest });
}
