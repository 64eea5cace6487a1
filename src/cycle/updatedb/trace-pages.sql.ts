/** Pages as UPDATEDB leaves them, for the log at level debug: their scores are summed in the table alone. */
import { statusText } from '../../core/page/page-status.js';
import { type Sql, rows } from '../../db/sql.js';
import { pageRows, samePage } from '../../webpage/page-key.sql.js';
import type { Trace } from '../step.js';

/** Traces pages as the transaction leaves them. */
export async function tracePages(
  tx: Sql,
  crawl: number,
  pages: readonly { host: string; key: string }[],
  trace: Trace,
): Promise<void> {
  const updated = await rows<{ key: string; status: number; score: number; fetchTime: Date }>(tx)`
    select w.key, w.status, w.score, w.fetch_time as "fetchTime"
      from ${pageRows(crawl, pages)}
      join webpage w on ${samePage}`;
  for (const { key, status, ...rest } of updated) trace(key, { status: statusText(status), ...rest });
}
