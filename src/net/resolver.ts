/** Name resolution: the system's resolver, and a small cache in front of it. */
import { lookup } from 'node:dns/promises';
import type { Resolve } from '../core/address/egress-guard.js';

/** The system's resolver (hosts file included), in the order the system prefers. */
export const systemResolve: Resolve = async (hostname) => {
  const addresses = await lookup(hostname, { all: true, order: 'verbatim' });
  return addresses.map((each) => each.address);
};

export interface ResolverCache {
  /** How long an answer is cached, ms; default 60 s. */
  readonly ttlMs?: number;
  /** How long a failure is cached, ms; default 10 s: while a name server is down, not every page of a host repeats the query. */
  readonly failureMs?: number;
  /** Maximum of cached names; the oldest answer is evicted. */
  readonly size?: number;
  /** Monotonic clock, ms. */
  readonly now?: () => number;
}

/**
 * Caches answers, and failures for a shorter time; concurrent queries for a name share one call. A cached answer is safe: the
 * egress guard checks the addresses at each connection, not at each resolution.
 */
export function cachingResolver(resolve: Resolve, cache: ResolverCache = {}): Resolve {
  const { ttlMs = 60_000, failureMs = 10_000, size = 10_000, now = () => performance.now() } = cache;
  const known = new Map<string, { answer: Promise<readonly string[]>; until: number }>();
  return (hostname) => {
    const kept = known.get(hostname);
    if (kept !== undefined && kept.until > now()) return kept.answer;
    const answer = resolve(hostname);
    const entry = { answer, until: now() + ttlMs };
    known.delete(hostname);
    known.set(hostname, entry);
    answer.catch(() => (entry.until = Math.min(entry.until, now() + failureMs)));
    const oldest = known.size > size ? known.keys().next() : undefined;
    if (oldest?.value !== undefined) known.delete(oldest.value);
    return answer;
  };
}
