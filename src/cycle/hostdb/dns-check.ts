/** Which hosts have to be resolved, and whether they can be: some concurrently, each within a bounded time. */
import type { Resolve } from '../../core/address/egress-guard.js';
import { isIP } from 'node:net';
import { unreverseHost } from '../../core/url/row-key.js';
import { withoutBrackets } from '../../core/url/ip-host.js';
import { hostDbLookups } from '../../net/bounded-lookups.js';

export interface CheckRules {
  checkNew: boolean;
  checkKnown: boolean;
  checkFailed: boolean;
  force: boolean;
  /** Age after which a host is resolved again, ms. */
  recheckMs: number;
}

export interface CheckedHost {
  /** Reversed. */
  host: string;
  dnsFailures: number;
  /** ms since it was resolved last; null: never. */
  ageMs: number | null;
}

/** From the start of a look-up: the system mostly gives up by itself before, and that counts as an answer. */
const MAX_RESOLVE_MS = 30_000;

/** Whether a host is to be resolved now (Nutch 1.x `UpdateHostDbReducer.shouldCheck`). An address needs no resolving. */
export function shouldCheck({ host, dnsFailures, ageMs }: CheckedHost, rules: CheckRules): boolean {
  if (isIP(withoutBrackets(unreverseHost(host))) !== 0) return false;
  if (ageMs === null) return rules.checkNew;
  if (!rules.force && ageMs < rules.recheckMs) return false;
  return dnsFailures > 0 ? rules.checkFailed : rules.checkKnown;
}

export interface ResolveOptions {
  resolve: Resolve;
  /** Maximum number of hosts at once (`hostdb.num.resolvers.threads`). */
  threads: number;
  signal: AbortSignal;
  maxMs?: number;
}

/**
 * Resolves hosts; returns whether they have an address. Missing are hosts without an answer in time, which says more about
 * a name server, theirs or ours, than about them. If it ends early, hosts that were not looked up are missing too.
 */
export async function resolveHosts(hosts: readonly string[], options: ResolveOptions): Promise<Map<string, boolean>> {
  const resolved = new Map<string, boolean>();
  const waiting = hosts.values();
  const worker = async (): Promise<void> => {
    for (const host of waiting) {
      if (options.signal.aborted) return;
      const answer = await hasAddress(unreverseHost(host), options);
      if (answer !== null) resolved.set(host, answer);
    }
  };
  await Promise.all(Array.from({ length: Math.min(options.threads, hosts.length) }, worker));
  return resolved;
}

/** Null: unknown. */
const hasAddress = (
  name: string,
  { resolve, signal, maxMs = MAX_RESOLVE_MS }: ResolveOptions,
): Promise<boolean | null> =>
  hostDbLookups.run(
    () =>
      resolve(name).then(
        (addresses) => addresses.length > 0,
        () => false,
      ),
    { maxMs, signal },
  );
