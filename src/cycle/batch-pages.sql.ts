/** Pages of a batch, locked before a step writes its results. */
import { lockInOrder } from '../db/row-locks.js';
import { type Sql, fragment, prepared, rows } from '../db/sql.js';
import { pageRows, samePage } from '../webpage/page-key.sql.js';
import { lockPagesByHost } from '../webpage/lock-pages.sql.js';
import { isInBatch } from '../webpage/batch-marks.sql.js';

export interface LockedPage {
  host: string;
  key: string;
  /** Its batch. */
  mark: string | null;
  status: number;
  signature: string | null;
  /** Changes with each visit. */
  prevFetchTime: Date | null;
  /** Its present content was not parsed. */
  unparsed: boolean;
}

/**
 * Locks, in the order of the primary key, those pages that still belong to the batch they were read in. Returns their present
 * state.
 */
export async function lockPages(
  tx: Sql,
  crawl: number,
  pages: { host: string; key: string; mark: string | null }[],
): Promise<LockedPage[]> {
  await lockPagesByHost(tx, crawl, pages);
  return rows<LockedPage>(prepared(tx))`
    select w.host, w.key, w.generate_mark as mark, w.status, w.signature, w.prev_fetch_time as "prevFetchTime",
           w.parse_major is null as unparsed
      from webpage w
      join ${pageRows(crawl, pages, { mark: 'text' })}
        on ${samePage} and ${isInBatch(fragment`page.mark`)}
     order by w.host, w.key_hash ${lockInOrder(fragment`w`)}`;
}
