/** The origins of the pages of hosts: where robots.txt is to be asked for. */
import { type Sql, rows, sql } from '../../db/sql.js';

/** Origins of one host at most: schemes and ports. */
const MOST_ORIGINS = 8;

export interface HostOrigin {
  host: string;
  /** A row key up to its path: `test.site:http:8080/`. */
  prefix: string;
}

/** Hosts of a crawl behind a host, in key order. */
export async function nextHosts(db: Sql, crawl: number, after: string, limit: number): Promise<string[]> {
  const found = await rows<{ host: string }>(
    db,
    sql`select host from host where crawl = ${crawl} and host > ${after} order by host limit ${limit}`,
  );
  return found.map(({ host }) => host);
}

/**
 * The origins that some hosts have pages on. Each is found by the first of its keys, so the cost is that of the origins
 * and not of the pages. `0` comes right behind `/`.
 */
export const originsOfHosts = (db: Sql, crawl: number, hosts: readonly string[]): Promise<HostOrigin[]> =>
  rows<HostOrigin>(
    db,
    sql`
    with recursive origin as (
      select h.host, 1 as n, first.prefix
        from unnest(${hosts}::text[]) as h (host)
       cross join lateral (select substring(w.key from '^[^/]*') || '/' as prefix from webpage w
                            where w.crawl = ${crawl} and w.host = h.host order by w.key limit 1) first
      union all
      select o.host, o.n + 1, next.prefix
        from origin o
       cross join lateral (select substring(w.key from '^[^/]*') || '/' as prefix from webpage w
                            where w.crawl = ${crawl} and w.host = o.host
                              and w.key >= (left(o.prefix, -1) || '0') collate "C" order by w.key limit 1) next
       where o.n < ${MOST_ORIGINS})
    select host, prefix from origin order by host, prefix`,
  );
