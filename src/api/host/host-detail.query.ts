/** What jobs found out about one host: its sitemaps (SITEMAP) and the facts of HOSTDB. */
import { type Sql, row, sql } from '../../db/sql.js';
import { sitemapsOfHost } from '../../webpage/sitemap.store.js';
import type { HostDetailDto } from './host-detail.dto.js';

/** Sitemaps shown of a host. */
const MOST_SITEMAPS = 100;

interface FactsRow {
  facts: Record<string, unknown> | null;
  updatedAt: Date | null;
  dnsFailures: number;
  dnsCheckedAt: Date | null;
}

/** @param host a reversed host */
export async function hostDetail(
  db: Sql,
  crawl: number,
  host: string,
): Promise<Pick<HostDetailDto, 'sitemaps' | 'hostdb'>> {
  const [sitemaps, known] = await Promise.all([
    sitemapsOfHost(db, crawl, host, MOST_SITEMAPS),
    row<FactsRow>(
      db,
      sql`
      select hostdb as facts, hostdb_at as "updatedAt", dns_failures as "dnsFailures", dns_checked_at as "dnsCheckedAt"
        from host where crawl = ${crawl} and host = ${host}`,
    ),
  ]);
  return {
    sitemaps: sitemaps.map((one) => ({ ...one, fetchedAt: one.fetchedAt?.toISOString() ?? null })),
    hostdb: known?.updatedAt ? factsView(known, known.updatedAt) : null,
  };
}

const factsView = ({ facts, dnsFailures, dnsCheckedAt }: FactsRow, updatedAt: Date): Record<string, unknown> => ({
  updatedAt: updatedAt.toISOString(),
  dnsFailures,
  dnsCheckedAt: dnsCheckedAt?.toISOString() ?? null,
  ...facts,
});
