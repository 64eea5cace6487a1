import { domainToASCII } from 'node:url';
import { suffixAndDomain } from '../../src/core/url/domain.js';

/** The public suffix of a host in ASCII form (`co.uk`, `xn--fl-zia.no`), null when nobody lists it or for an address. */
export function publicSuffixOf(host: string): string | null {
  const { suffix } = suffixAndDomain(host);
  return suffix === null ? null : domainToASCII(suffix);
}
