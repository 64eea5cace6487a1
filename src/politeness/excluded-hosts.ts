/**
 * Finds excluded hosts: drained or blocked, so that GENERATE skips their pages. A selection looks up each host of its candidates
 * once, by the index of such hosts: the cost depends on the hosts whose pages were read, not on the number of excluded hosts.
 */
import { MAX_BACK_OFF_S } from '../core/politeness/back-off.js';
import type { HostExclusion } from '../core/frontier/eligibility.js';
import { type Sql, fragment, rows } from '../db/sql.js';
import { blockEnd } from './host-settings.store.js';

/**
 * Whether the host of row `h` is drained or blocked. A back-off counts if it lasts longer than a FETCH would wait, a block by
 * hand always. The first condition is the predicate of the partial index of such hosts.
 * @param maxWaitS seconds that FETCH waits for a host (`fetcher.backoff.max.wait`)
 * @param maxBackOffS seconds of the longest back-off (`fetcher.backoff.max`)
 */
const isExcluded = (maxWaitS: number, maxBackOffS: number) => fragment`(h.drain or h.blocked_until is not null)
  and (h.drain or ${blockEnd(maxBackOffS)} > now() + case h.blocked_by when 'back-off' then make_interval(secs => ${maxWaitS})
                                                              else interval '0' end)`;

const whyExcluded = fragment`case when h.drain then 'HOST_DRAINED' else 'HOST_BLOCKED' end`;

/** Why the host of `webpage` is excluded, or null: a subquery for each page. */
export const hostExclusion = (crawl: number, maxWaitS: number, maxBackOffS = MAX_BACK_OFF_S) => fragment`
  (select ${whyExcluded} from host h where h.crawl = ${crawl} and h.host = webpage.host and ${isExcluded(maxWaitS, maxBackOffS)})`;

/** The excluded ones of the given hosts, with the reason. */
export async function excludedHosts(
  db: Sql,
  crawl: number,
  hosts: readonly string[],
  { maxWaitS, maxBackOffS = MAX_BACK_OFF_S }: { maxWaitS: number; maxBackOffS?: number },
): Promise<Map<string, HostExclusion>> {
  const excluded = await rows<{ host: string; why: HostExclusion }>(db)`
    select h.host, ${whyExcluded} as why from host h
         where h.crawl = ${crawl} and h.host = any (${hosts}::text[]) and ${isExcluded(maxWaitS, maxBackOffS)}`;
  return new Map(excluded.map(({ host, why }) => [host, why]));
}

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
