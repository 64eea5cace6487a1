/** The statement of CLEAN: pages that still have a document although they should not. */
import { type Sql, rows } from '../../db/sql.js';
import { REMOVED } from '../../webpage/page-status.sql.js';
import type { PageKey } from '../../core/page/page-row.js';
import { isAfter } from '../../webpage/page-key.sql.js';

/** A page whose document has to be deleted. */
export interface StaleDocument extends PageKey {
  status: number;
}

/**
 * The next pages with an index mark that are gone, redirected, duplicates or orphans, by the index `webpage_leaver`: PostgreSQL
 * uses it for its own condition only, `coalesce` included.
 */
export const nextToDelete = (db: Sql, crawl: number, limit: number, after: PageKey | null): Promise<StaleDocument[]> =>
  rows<StaleDocument>(db)`
    select w.host, w.key, w.status from webpage w
     where w.crawl = ${crawl} and coalesce(w.status in ${REMOVED}, false) and w.index_mark is not null
       and ${isAfter(after)}
     order by w.host, w.key_hash limit ${limit}`;
