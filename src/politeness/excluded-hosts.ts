/**
 * Finds excluded hosts: drained or blocked, so that GENERATE skips their pages. A selection looks up each host of its candidates
 * once, by the index of such hosts: the cost depends on the hosts whose pages were read, not on the number of excluded hosts.
 */
import type { HostExclusion } from '../core/frontier/eligibility.js';
import type { Sql } from '../db/sql.js';
import { excludedHosts } from './excluded-hosts.sql.js';

export class ExcludedHosts {
  private readonly known = new Map<string, HostExclusion | null>();

  /**
   * @param waits.maxWaitS seconds that FETCH waits for a host (`fetcher.backoff.max.wait`)
   * @param waits.maxBackOffS seconds of the longest back-off (`fetcher.backoff.max`)
   */
  constructor(
    private readonly tx: Sql,
    private readonly crawl: number,
    private readonly waits: { maxWaitS: number; maxBackOffS: number },
  ) {}

  /** Sets `excluded` of each page: why its host is excluded, or null. */
  async judge(pages: readonly { host: string; excluded: HostExclusion | null }[]): Promise<void> {
    const fresh = [...new Set(pages.map(({ host }) => host))].filter((host) => !this.known.has(host));
    if (fresh.length > 0) {
      const excluded = await excludedHosts(this.tx, this.crawl, fresh.sort(), this.waits);
      for (const host of fresh) this.known.set(host, excluded.get(host) ?? null);
    }
    for (const page of pages) page.excluded = this.known.get(page.host) ?? null;
  }
}
