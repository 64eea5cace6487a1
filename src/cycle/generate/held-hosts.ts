/**
 * Which hosts of a window of candidates are drained or blocked. It is asked once for each host and run, by the index of such
 * hosts: a crawl that holds back a million of them pays for those whose pages were read.
 */
import type { Sql } from '../../db/sql.js';
import { type HeldBack, heldHosts } from '../../webpage/host-settings.store.js';

export class HeldHosts {
  private readonly known = new Map<string, HeldBack | null>();

  /**
   * @param maxWait seconds that FETCH waits for a host (`fetcher.backoff.max.wait`)
   * @param maxBackOff seconds of the longest back-off (`fetcher.backoff.max`)
   */
  constructor(
    private readonly tx: Sql,
    private readonly crawl: number,
    private readonly maxWait: number,
    private readonly maxBackOff: number,
  ) {}

  /** Notes on pages why their host is held back. */
  async judge(pages: readonly { host: string; held: HeldBack | null }[]): Promise<void> {
    const fresh = [...new Set(pages.map(({ host }) => host))].filter((host) => !this.known.has(host));
    if (fresh.length > 0) {
      const held = await heldHosts(this.tx, this.crawl, fresh.sort(), this.maxWait, this.maxBackOff);
      for (const host of fresh) this.known.set(host, held.get(host) ?? null);
    }
    for (const page of pages) page.held = this.known.get(page.host) ?? null;
  }
}
