/** Counts of pages by status, updated per host in the same transaction that changes the pages, and summed on read. */
import { byBytes } from '../core/byte-order.js';
import { PAGE_STATUS_CODES } from '../core/page/page-status.js';
import { domainKeyOf } from '../core/url/domain.js';
import { type Sql, fragment, joined, prepared, rows, sql } from '../db/sql.js';
import { forEachStatus, hostCountColumns } from './host-pages.sql.js';
import { countsByStatus, keptCounts, recordStatusChanges } from './status-count.store.js';

/** Change of the number of pages, by host and by status. */
export class StatusDeltas {
  private readonly byHost = new Map<string, Map<number, number>>();

  /** A page of `host` changes from one status to another; null means that it did not exist before, or no longer exists. */
  move(host: string, from: number | null, to: number | null, n = 1): void {
    if (from === to) return;
    if (from !== null) this.add(host, from, -n);
    if (to !== null) this.add(host, to, n);
  }

  private add(host: string, status: number, n: number): void {
    let counts = this.byHost.get(host);
    if (!counts) this.byHost.set(host, (counts = new Map()));
    counts.set(status, (counts.get(status) ?? 0) + n);
  }

  /** Hosts in key order, so that two writers cannot deadlock. */
  hosts(): string[] {
    return [...this.byHost.keys()].sort(byBytes);
  }

  get(host: string, status: number): number {
    return this.byHost.get(host)?.get(status) ?? 0;
  }

  /** Over all hosts. */
  total(status: number): number {
    let sum = 0;
    for (const counts of this.byHost.values()) sum += counts.get(status) ?? 0;
    return sum;
  }
}

/** Adds the changes to the host rows, inserting missing ones, and to the counts of the crawl. */
export async function addStatusDeltas(tx: Sql, crawl: number, deltas: StatusDeltas): Promise<void> {
  const hosts = deltas.hosts();
  if (hosts.length === 0) return;
  const changes = PAGE_STATUS_CODES.map(
    (status) => fragment`${hosts.map((host) => deltas.get(host, status))}::bigint[]`,
  );
  await prepared(tx).query(sql`
    insert into host (crawl, host, domain, ${hostCountColumns})
    select ${crawl}, d.* from unnest(${hosts}::text[], ${hosts.map(domainKeyOf)}::text[], ${joined(changes, ', ')}) as d
    on conflict (crawl, host) do update set ${forEachStatus((column) => fragment`${column} = host.${column} + excluded.${column}`)}`);
  await recordStatusChanges(
    tx,
    crawl,
    PAGE_STATUS_CODES.map((status) => deltas.total(status)),
  );
}

export interface HostCounts {
  host: string;
  domain: string;
  /** Pages by status code. */
  counts: Record<number, number>;
}

/** Hosts of a crawl with their counts, in key order, after the host `after`. */
export async function hostCounts(db: Sql, crawl: number, after = '', limit = 1000): Promise<HostCounts[]> {
  const hosts = await rows<{ host: string; domain: string; counts: string[] }>(db)`
    select host, domain, array[${hostCountColumns}] as counts
      from host where crawl = ${crawl} and host > ${after} order by host limit ${limit}`;
  return hosts.map(({ host, domain, counts }) => ({ host, domain, counts: countsByStatus(counts) }));
}

/** Pages of a crawl by status code: exact, and never by a scan of its pages. */
export const statusCounts = async (db: Sql, crawl: number): Promise<Record<number, number>> =>
  (await keptCounts(db, crawl)).counts;
