/** Which hosts are drained or blocked, and why. */
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
