/**
 * How the pages of a batch were fetched in it. While the batch is open their rows show it; then UPDATEDB sets their next
 * fetch time and status, and the visit is in the history only.
 */
import { type Sql, rows } from '../db/sql.js';
import { pageRows } from './page-key.sql.js';
import type { PageRow } from '../core/page/page-row.js';

export interface BatchVisit {
  time: Date;
  /** Status that FETCH gave the page. */
  status: number;
}

/** A batch, and when it was made; without a time any visit of its pages counts as one in it. */
export interface MadeBatch {
  crawl: number;
  id: string;
  generatedAt?: Date;
}

/** The visits of a batch by row key. Missing are pages that were not fetched in it, and those that are in another one now. */
export async function visitsInBatch(
  db: Sql,
  batch: MadeBatch,
  pages: readonly PageRow[],
): Promise<Map<string, BatchVisit>> {
  const open = pages.filter(({ fetchMark }) => fetchMark === batch.id);
  const closed = pages.filter(({ generateMark, batchId }) => generateMark === null && batchId === batch.id);
  return new Map([
    ...open.map(({ key, fetchTime: time, status }) => [key, { time, status }] as const),
    ...(closed.length === 0 ? [] : await newestVisits(db, batch, closed)),
  ]);
}

/** The newest visit of each page since its batch was generated, by key. */
async function newestVisits(
  db: Sql,
  { crawl, generatedAt }: MadeBatch,
  pages: readonly PageRow[],
): Promise<[string, BatchVisit][]> {
  const visits = await rows<BatchVisit & { key: string }>(db)`
    select distinct on (h.host, h.key) h.key, h.time, h.status
      from ${pageRows(crawl, pages)}
      join fetch_history h on h.crawl = page.crawl and h.host = page.host and h.key = page.key
     where h.time >= ${generatedAt ?? new Date(0)}::timestamptz
     order by h.host, h.key, h.time desc`;
  return visits.map(({ key, ...visit }) => [key, visit]);
}
