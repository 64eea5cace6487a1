/** Statements of the numbers by host: what their expressions read, and the delays that FETCH will keep. */
import type { HostRecord } from '../../core/frontier/host-variables.js';
import { unreverseHost } from '../../core/url/row-key.js';
import { lockInOrder } from '../../db/row-locks.js';
import { type Sql, fragment, rows, sql } from '../../db/sql.js';
import { crawlColumn } from '../../webpage/crawl-column.sql.js';
import { hostCountsByCode } from '../../webpage/host-pages.sql.js';

/** Counts and HOSTDB facts of hosts, by reversed host. */
export async function hostRecords(db: Sql, crawl: number, hosts: readonly string[]): Promise<Map<string, HostRecord>> {
  const records = await rows<HostRecord>(db)`
    select h.host, domain, homepage, failures, dns_failures as "dnsFailures", hostdb,
           ${hostCountsByCode} as counts
      from unnest(${crawlColumn(crawl, hosts.length)}, ${hosts}::text[]) as host_key (crawl, host)
      join host h on h.crawl = host_key.crawl and h.host = host_key.host`;
  return new Map(
    records.map((row) => [row.host, { ...row, host: unreverseHost(row.host), domain: unreverseHost(row.domain) }]),
  );
}

/**
 * Stores the delays of hosts for FETCH (1.x `_variableFetchDelay_`). The value for an earlier batch is replaced.
 * @param delays by reversed host, ms
 */
export async function saveDelays(tx: Sql, crawl: number, delays: ReadonlyMap<string, number>): Promise<void> {
  const hosts = [...delays.keys()];
  // With an OR and an empty list, all hosts of the crawl would be read.
  const chosen = hosts.length === 0 ? fragment`` : fragment`or h.host = any (${hosts}::text[])`;
  await tx.query(sql`
    with delay as (select * from unnest(${hosts}::text[], ${[...delays.values()]}::int[]) as delay (host, ms)),
         locked as (select h.crawl, h.host, delay.ms from host h left join delay on delay.host = h.host
                   where h.crawl = ${crawl} and (h.fetch_delay_ms is not null ${chosen})
                     and h.fetch_delay_ms is distinct from delay.ms
                   order by h.host ${lockInOrder(fragment`h`)})
    update host h set fetch_delay_ms = locked.ms from locked where h.crawl = locked.crawl and h.host = locked.host`);
}
