/**
 * Which hosts of a chunk of candidates are drained or blocked. Each host is looked up once in a run, by the index of such hosts:
 * a crawl that excludes a million hosts pays only for those whose pages were read.
 */
import type { Sql } from '../../db/sql.js';
import { type HostExclusion, excludedHosts } from '../../politeness/host-settings.store.js';

export class ExcludedHosts {
  private readonly known = new Map<string, HostExclusion | null>();

  /**
   * @param waits.maxWait seconds that FETCH waits for a host (`fetcher.backoff.max.wait`)
   * @param waits.max seconds of the longest back-off (`fetcher.backoff.max`)
   */
  constructor(
    private readonly tx: Sql,
    private readonly crawl: number,
    private readonly waits: { maxWait: number; max: number },
  ) {}

  /** Notes on pages why their host is excluded. */
  async judge(pages: readonly { host: string; excluded: HostExclusion | null }[]): Promise<void> {
    const fresh = [...new Set(pages.map(({ host }) => host))].filter((host) => !this.known.has(host));
    if (fresh.length > 0) {
      const excluded = await excludedHosts(this.tx, this.crawl, fresh.sort(), this.waits);
      for (const host of fresh) this.known.set(host, excluded.get(host) ?? null);
    }
    for (const page of pages) page.excluded = this.known.get(page.host) ?? null;
  }
}
