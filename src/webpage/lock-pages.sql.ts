import { lockByHost } from '../db/row-locks.js';
import { type Sql, fragment, sql } from '../db/sql.js';

/**
 * Locks pages until the transaction ends if their rows are on many nodes; on one node the statement that reads them locks them.
 * @param forWhat `change` excludes all other lockers; `reading` excludes those that lock for a change, but not those that
 * only add contributions
 */
export const lockPagesByHost = (
  tx: Sql,
  crawl: number,
  pages: readonly { host: string; key: string }[],
  forWhat: 'change' | 'reading' = 'change',
): Promise<void> =>
  lockByHost(tx, pages, (host, ofHost) => {
    const keys = ofHost.map(({ key }) => key);
    const lock = forWhat === 'change' ? fragment`for update` : fragment`for key share`;
    return sql`
      select from webpage
       where crawl = ${crawl} and host = ${host} and key = any (${keys}::text[])
         and key_hash = any (array(select hashtextextended(key, 0) from unnest(${keys}::text[]) as page (key)))
       order by key_hash ${lock}`;
  });
