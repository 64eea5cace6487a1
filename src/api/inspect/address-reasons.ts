/**
 * Checks the address of a URL with the egress guard. Literal addresses are checked at once, names after one look-up that is
 * bounded in time and number: look-ups share a few threads of the process, and a name server may be slow.
 */
import { isIP } from 'node:net';
import { type EgressGuard, portOf, egressRefusal, type Resolve } from '../../core/address/egress-guard.js';
import { rememberingResolver, systemResolve } from '../../net/resolver.js';
import { type Reason, blocked, noted } from './reason.js';

const LOOKUP_MS = 1_000;
const MAX_LOOKUPS = 2;

export class AddressInspector {
  private readonly resolve: Resolve;
  private lookups = 0;

  constructor(resolve: Resolve = systemResolve) {
    this.resolve = rememberingResolver(resolve, { size: 1_000 });
  }

  /** Why the guard refuses the address of a URL; empty when it allows the connection, and for a URL without a host. */
  async reasons(guard: EgressGuard, url: string): Promise<Reason[]> {
    const parsed = new URL(url);
    const port = portOf(parsed);
    const host = parsed.hostname.replace(/^\[|\]$/g, '');
    if (host === '') return [];
    const addresses = isIP(host) > 0 ? [host] : await this.addressesOf(host);
    if (addresses === null) {
      return [
        noted(
          'ADDRESS_UNKNOWN',
          `The name ${host} could not be resolved within ${LOOKUP_MS} ms: the guard will check its address when it is fetched.`,
        ),
      ];
    }
    const refusal = await egressRefusal(guard, addresses, port, async (name) => {
      const own = await this.addressesOf(name);
      if (own === null) throw new Error('the name was not resolved in time');
      return own;
    });
    return refusal === null ? [] : [refused(refusal.rule, host, port)];
  }

  private async addressesOf(host: string): Promise<readonly string[] | null> {
    if (this.lookups >= MAX_LOOKUPS) return null;
    this.lookups++;
    const late = AbortSignal.timeout(LOOKUP_MS);
    try {
      const asked = this.resolve(host).finally(() => this.lookups--);
      return await Promise.race([
        asked,
        new Promise<null>((end) => late.addEventListener('abort', () => end(null), { once: true })),
      ]);
    } catch {
      return null;
    }
  }
}

function refused(rule: string, host: string, port: number): Reason {
  if (rule === 'port') {
    const property = 'http.filter.ports.exclude';
    return blocked('PORT', `Port ${port} is never connected to (${property}).`, { property });
  }
  if (rule === 'own-port')
    return blocked('PORT', `Port ${port} at the addresses of ${host} is the server's own or its database's.`);
  const property = rule === 'include' ? 'http.filter.ipaddress.include' : 'http.filter.ipaddress.exclude';
  const why = rule === 'include' ? 'is in none of the allowed ranges' : `is refused by the rule "${rule}"`;
  return blocked('INNER_ADDRESS', `The address of ${host} ${why} (${property}).`, { property });
}
