import { holdByHost } from '../db/row-locks.js';
import { type Sql, sql } from '../db/sql.js';

/** Locks pages until the transaction ends where their rows lie on many nodes; on one node the statement that reads them does. */
export const holdPagesByHost = (
  tx: Sql,
  crawl: number,
  pages: readonly { host: string; key: string }[],
): Promise<void> =>
  holdByHost(tx, pages, (host, ofHost) => {
    const keys = ofHost.map(({ key }) => key);
    return sql`select from webpage where crawl = ${crawl} and host = ${host} and key = any (${keys}::text[]) order by key for update`;
  });
