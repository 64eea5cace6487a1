/** Which hosts are to be resolved, and whether they can be: a few at once, each within a bounded time. */
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { unreverseHost } from '../../core/url/row-key.js';
import type { Resolve } from '../../net/resolver.js';

export interface CheckRules {
  checkNew: boolean;
  checkKnown: boolean;
  checkFailed: boolean;
  /** Whatever the age. */
  force: boolean;
  /** Age after which a host is resolved again, ms. */
  recheckMs: number;
}

/** What is known of a host. */
export interface CheckedHost {
  /** Reversed. */
  host: string;
  dnsFailures: number;
  /** ms since it was resolved last; null: never. */
  ageMs: number | null;
}

const LONGEST_MS = 10_000;

/** Whether a host is to be resolved now (Nutch 1.x `UpdateHostDbReducer.shouldCheck`). An address needs no resolving. */
export function shouldCheck({ host, dnsFailures, ageMs }: CheckedHost, rules: CheckRules): boolean {
  if (isIP(unreverseHost(host).replace(/^\[|\]$/g, '')) !== 0) return false;
  if (ageMs === null) return rules.checkNew;
  if (!rules.force && ageMs < rules.recheckMs) return false;
  return dnsFailures > 0 ? rules.checkFailed : rules.checkKnown;
}

/**
 * Resolves hosts; answers those that were asked about, with whether they have an address.
 * @param threads hosts at once (`hostdb.num.resolvers.threads`)
 * @param signal ends it early: hosts that were not asked about are missing in the answer
 */
export async function resolveHosts(
  hosts: readonly string[],
  { resolve, threads, signal }: { resolve: Resolve; threads: number; signal: AbortSignal },
): Promise<Map<string, boolean>> {
  const found = new Map<string, boolean>();
  const waiting = hosts.values();
  const worker = async (): Promise<void> => {
    for (const host of waiting) {
      if (signal.aborted) return;
      found.set(host, await hasAddress(unreverseHost(host), resolve));
    }
  };
  await Promise.all(Array.from({ length: Math.min(threads, hosts.length) }, worker));
  return found;
}

async function hasAddress(name: string, resolve: Resolve): Promise<boolean> {
  const clock = new AbortController();
  const late = sleep(LONGEST_MS, false, { signal: clock.signal, ref: false }).catch(() => false);
  const asked = resolve(name).then(
    (addresses) => addresses.length > 0,
    () => false,
  );
  const answer = await Promise.race([asked, late]);
  clock.abort();
  return answer;
}
