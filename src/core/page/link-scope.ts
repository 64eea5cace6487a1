import { domainOf } from '../url/domain.js';
import { hostForRules } from '../url/idn.js';

/**
 * Host or domain whose pages are internal to each other, by `db.ignore.external.links.mode`. In ASCII: links are found so,
 * while pages may be stored in Unicode (`urlnormalizer.basic.host.idn`).
 */
export function linkScope(host: string, mode: string): string {
  const ascii = hostForRules(host);
  return mode === 'byDomain' ? domainOf(ascii) : ascii;
}
