/**
 * Checks the address of a URL with the egress guard. Literal addresses are checked at once, names after one look-up that is
 * bounded in time and number: look-ups share a few threads of the process, and a name server may be slow.
 */
import { isIP } from 'node:net';
import {
  type EgressGuard,
  connectedHost,
  portOf,
  egressRefusal,
  type Resolve,
} from '../../core/address/egress-guard.js';
import { cachingResolver, systemResolve } from '../../net/resolver.js';
import { withinTime } from '../../net/within-time.js';
import { egressReason } from './egress-reason.js';
import { type Reason, blocked, noted } from './reason.js';

const LOOKUP_MS = 1_000;
const MAX_LOOKUPS = 2;
const LATE = `could not be resolved within ${LOOKUP_MS} ms`;

export class AddressInspector {
  private readonly resolve: Resolve;
  private lookups = 0;

  constructor(resolve: Resolve = systemResolve) {
    this.resolve = cachingResolver(resolve, { size: 1_000 });
  }

  /** Why the guard refuses the address of a URL; empty when it allows the connection, and for a URL without a host. */
  async reasons(guard: EgressGuard, url: string): Promise<Reason[]> {
    const parsed = new URL(url);
    const port = portOf(parsed);
    const host = connectedHost(parsed);
    if (host === '') return [];
    const addresses = isIP(host) > 0 ? [host] : await this.addressesOf(host);
    if (!Array.isArray(addresses)) {
      const message = `The name ${host} ${addresses}: the guard will check its address when it is fetched.`;
      return [noted('ADDRESS_UNKNOWN', message)];
    }
    const refusal = await egressRefusal(guard, addresses, port, async (name) => {
      const resolved = await this.addressesOf(name);
      if (!Array.isArray(resolved)) throw new Error(`the name ${resolved}`);
      return resolved;
    });
    return refusal === null ? [] : [refused(refusal.rule, host, port)];
  }

  /** The addresses of a name, or why they are unknown. */
  private async addressesOf(host: string): Promise<string[] | string> {
    if (this.lookups >= MAX_LOOKUPS) return 'was not looked up, as other inspections are looking up names';
    this.lookups++;
    try {
      const lookUp = this.resolve(host).finally(() => this.lookups--);
      const looked = lookUp.then((addresses) => [...addresses]);
      return await withinTime(LOOKUP_MS, looked, () => LATE);
    } catch (error) {
      const { code = 'no answer' } = error as { code?: string };
      return `could not be resolved (${code})`;
    }
  }
}

function refused(rule: string, host: string, port: number): Reason {
  const { code, named } = egressReason(rule);
  const by = named.property === undefined ? '' : ` (${named.property})`;
  return blocked(code, `${whyRefused(rule, host, port)}${by}.`, named);
}

function whyRefused(rule: string, host: string, port: number): string {
  if (rule === 'port') return `Port ${port} is never connected to`;
  if (rule === 'own-port') return `Port ${port} at the addresses of ${host} is the server's own or its database's`;
  return `The address of ${host} ${rule === 'include' ? 'is in none of the allowed ranges' : `is refused by the rule "${rule}"`}`;
}
