/** Statements of the numbers by host: what their expressions read, and the delays that FETCH will keep. */
import type { HostRecord } from '../../core/frontier/host-variables.js';
import { unreverseHost } from '../../core/url/row-key.js';
import { lockInOrder } from '../../db/row-locks.js';
import { type Sql, fragment, row, rows, sql } from '../../db/sql.js';
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
 * Stores the delays of the hosts of a batch for FETCH (1.x `_variableFetchDelay_`), instead of those for their earlier batches.
 * @param delays by reversed host, ms; null: the expression has no delay for it
 */
export async function saveDelays(tx: Sql, crawl: number, delays: ReadonlyMap<string, number | null>): Promise<void> {
  const hosts = [...delays.keys()];
  if (hosts.length === 0) return;
  await tx.query(sql`
    with locked as (
      select h.crawl, h.host, delay.ms
        from unnest(${crawlColumn(crawl, hosts.length)}, ${hosts}::text[], ${[...delays.values()]}::int[]) as delay (crawl, host, ms)
        join host h on h.crawl = delay.crawl and h.host = delay.host
       where h.fetch_delay_ms is distinct from delay.ms
       order by h.host ${lockInOrder(fragment`h`)})
    update host h set fetch_delay_ms = locked.ms from locked where h.crawl = locked.crawl and h.host = locked.host`);
}

/** Whether a GENERATE has stored a delay of any host that was not cleared. */
export async function hasDelays(db: Sql, crawl: number): Promise<boolean> {
  return (await row(db)`select from host where crawl = ${crawl} and fetch_delay_ms is not null limit 1`) !== undefined;
}

/**
 * Clears the delays of hosts without a page that waits in a batch: FETCH of an earlier batch, which may run, keeps to them. It
 * reads the pages of the open batches, not all pages of these hosts.
 */
export async function clearUnusedDelays(tx: Sql, crawl: number): Promise<void> {
  await tx.query(sql`
    with waiting as materialized (
      select distinct host from webpage where crawl = ${crawl} and generate_mark is not null and fetch_mark is null
    ), locked as (
      select h.crawl, h.host from host h left join waiting on waiting.host = h.host
       where h.crawl = ${crawl} and h.fetch_delay_ms is not null and waiting.host is null
       order by h.host ${lockInOrder(fragment`h`)})
    update host h set fetch_delay_ms = null from locked where h.crawl = locked.crawl and h.host = locked.host`);
}
