/**
 * How many sitemaps a job follows, in total and of each registered domain: indexes may name any number, on any host, and names
 * below a domain cost their owner nothing. Sitemaps from arguments and earlier jobs count, but are never refused.
 */
import type { WantedSitemap } from '../../core/sitemap/sitemap-rules.js';
import type { Conf } from '../../core/conf/properties.js';
import { domainKeyOf } from '../../core/url/domain.js';
import type { Sql } from '../../db/sql.js';
import { followedCounts, followedOf, sitemapCounts } from '../../webpage/sitemap.store.js';

/** Maximum number of sitemaps of one host that a crawl keeps. */
const MAX_OF_HOST = 50_000;

export class SitemapCaps {
  private ofDomain: Map<string, number> | null = null;

  constructor(
    private readonly conf: Conf,
    private readonly list: { crawl: number; job: string },
  ) {}

  /** Those of some sitemaps that may be put on the list; each new one is counted. */
  async fitting(tx: Sql, sitemaps: readonly WantedSitemap[]): Promise<WantedSitemap[]> {
    if (sitemaps.length === 0) return [];
    const known = {
      followed: await followedOf(tx, this.list, sitemaps),
      ofHost: await sitemapCounts(tx, this.list.crawl, [...new Set(sitemaps.map(({ host }) => host))]),
    };
    const first = this.ofDomain === null ? null : this.judge(sitemaps, known, this.ofDomain);
    if (first?.length === sitemaps.length) return first;
    // A write that was rolled back was counted all the same: before any is left out, they are counted again.
    this.ofDomain = byDomain(await followedCounts(tx, this.list));
    return this.judge(sitemaps, known, this.ofDomain);
  }

  private judge(
    sitemaps: readonly WantedSitemap[],
    known: { followed: ReadonlySet<string>; ofHost: ReadonlyMap<string, number> },
    ofDomain: Map<string, number>,
  ): WantedSitemap[] {
    const { 'sitemap.domain.max': maxOfDomain, 'sitemap.job.max': max } = this.conf;
    const followed = new Set(known.followed);
    const ofHost = new Map(known.ofHost);
    let total = ofDomain.values().reduce((sum, n) => sum + n, 0);
    return sitemaps.filter(({ host, url }) => {
      if (followed.has(url)) return true;
      const domain = domainKeyOf(host);
      const [n, kept] = [ofDomain.get(domain) ?? 0, ofHost.get(host) ?? 0];
      if (n >= maxOfDomain || total >= max || kept >= MAX_OF_HOST) return false;
      total++;
      ofDomain.set(domain, n + 1);
      ofHost.set(host, kept + 1);
      followed.add(url);
      return true;
    });
  }
}

/** Counts of hosts, by registered domain. */
function byDomain(ofHosts: ReadonlyMap<string, number>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [host, n] of ofHosts) counts.set(domainKeyOf(host), (counts.get(domainKeyOf(host)) ?? 0) + n);
  return counts;
}
