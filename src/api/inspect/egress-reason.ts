/** The rules of the egress guard as codes of reasons, with the property that contains the rule. */
import type { ReasonCode } from './reason-codes.js';

export function egressReason(rule: string): { code: ReasonCode; named: { property?: string } } {
  if (rule === 'port') return { code: 'PORT', named: { property: 'http.filter.ports.exclude' } };
  // No property allows the ports of the server and of its database.
  if (rule === 'own-port') return { code: 'PORT', named: {} };
  const list = rule === 'include' ? 'include' : 'exclude';
  return { code: 'INNER_ADDRESS', named: { property: `http.filter.ipaddress.${list}` } };
}
