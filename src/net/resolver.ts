/** Names to addresses: the system's resolver, and a small memory in front of it. */
import { lookup } from 'node:dns/promises';

/** All addresses of a host name, canonical text, best first. Rejects as `dns.lookup` does (`ENOTFOUND`, `EAI_AGAIN`, …). */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** The system's resolver (hosts file included), in the order the system prefers. */
export const systemResolve: Resolve = async (hostname) => {
  const found = await lookup(hostname, { all: true, order: 'verbatim' });
  return found.map((each) => each.address);
};

export interface ResolverMemory {
  /** How long an answer is used, ms; default 60 s. */
  readonly ttlMs?: number;
  /** Names kept at most; the oldest answer makes room. */
  readonly size?: number;
  readonly now?: () => number;
}

/**
 * Remembers answers, shares questions under way, forgets failures at once. An old answer is safe: the egress guard judges the
 * addresses at each connection, not at each resolution.
 */
export function rememberingResolver(resolve: Resolve, memory: ResolverMemory = {}): Resolve {
  const { ttlMs = 60_000, size = 10_000, now = Date.now } = memory;
  const known = new Map<string, { answer: Promise<readonly string[]>; until: number }>();
  return (hostname) => {
    const kept = known.get(hostname);
    if (kept !== undefined && kept.until > now()) return kept.answer;
    const answer = resolve(hostname);
    const entry = { answer, until: now() + ttlMs };
    known.delete(hostname);
    known.set(hostname, entry);
    answer.catch(() => known.get(hostname) === entry && known.delete(hostname));
    const oldest = known.size > size ? known.keys().next() : undefined;
    if (oldest?.value !== undefined) known.delete(oldest.value);
    return answer;
  };
}
