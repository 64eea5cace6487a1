/**
 * Pages that were removed from the table as gone (`db.update.purge.404`): their history is all that is left of them. Neither a link
 * nor a sitemap adds such a page again for `db.fetch.interval.max`.
 */
import type { Conf } from '../core/conf/properties.js';
import { type Fragment, fragment } from '../db/sql.js';
import { statusOf } from '../webpage/page-status.sql.js';

/** Since when a visit keeps a purged page away. @param startedAt of the job */
export const purgedSince = (startedAt: Date, conf: Conf): Date =>
  new Date(startedAt.getTime() - conf['db.fetch.interval.max'] * 1_000);

/**
 * The newest visits of those of the CTE `named_page` (crawl, host, key) that were purged if they are not in the table: host, key
 * and time. An inner join, as an outer one would copy the tables to one node.
 */
export const visitsBeforePurge = (since: Date | null): Fragment => fragment`
      select host, key, time
        from (select distinct on (h.host, h.key) h.host, h.key, h.status, h.time
                from named_page join fetch_history h on h.crawl = named_page.crawl and h.host = named_page.host and h.key = named_page.key
                 and h.time >= ${since}::timestamptz
               order by h.host, h.key, h.time desc) newest
       where status in (${statusOf('gone')}, ${statusOf('retry')})`;
