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
  /** How long a failure is, ms; default 10 s: the pages of a host whose name server is down do not ask one after another. */
  readonly failureMs?: number;
  /** Names kept at most; the oldest answer is evicted. */
  readonly size?: number;
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number;
}

/**
 * Remembers answers, for a short while failures too, and shares questions under way. An old answer is safe: the egress guard judges the
 * addresses at each connection, not at each resolution.
 */
export function rememberingResolver(resolve: Resolve, memory: ResolverMemory = {}): Resolve {
  const { ttlMs = 60_000, failureMs = 10_000, size = 10_000, now = () => performance.now() } = memory;
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
