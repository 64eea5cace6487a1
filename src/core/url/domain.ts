/**
 * Registered domains and public suffixes (publicsuffix.org, private section included).
 *
 * Both sections are used: `foo.github.io` and `bar.github.io` belong to two owners, so politeness and counts by domain
 * must keep them apart. Nutch reads the public section alone; results differ for names such as `x.uk.com`.
 * Where no rule of the list matches, the default rule `*` does
 * (https://github.com/publicsuffix/list/wiki/Format#algorithm): `h1.corp.internal` and `h2.corp.internal` are in the
 * domain `corp.internal`. Nutch 1.x (`URLUtil.getDomainName`) treats each as a separate domain, and so sends an intranet
 * server with many names many concurrent requests. An address and a single label are their own domain.
 */
import { parse } from 'tldts';
import { isIpHost } from './ip-host.js';
import { reverseHost, unreverseHost } from './row-key.js';

interface Names {
  suffix: string | null;
  domain: string;
}

const bothSections = { allowPrivateDomains: true, extractHostname: false, validateHostname: false, detectIp: false };
const publicSection = { ...bothSections, allowPrivateDomains: false };

/** Lower case, without the trailing dot of a fully qualified name. */
function plainHost(host: string): string {
  const lower = host.toLowerCase();
  return lower.endsWith('.') ? lower.slice(0, -1) : lower;
}

/** The public suffix of a host, null when unlisted or for an address, and its registered domain. */
export function suffixAndDomain(host: string, sections = bothSections): Names {
  const name = plainHost(host);
  if (name.startsWith('.')) return { suffix: null, domain: '' };
  if (isIpHost(name)) return { suffix: null, domain: name };
  const { domain, publicSuffix, isIcann, isPrivate } = parse(name, sections);
  return { suffix: isIcann || isPrivate ? publicSuffix : null, domain: domain ?? name };
}

/**
 * The registered domain of a host: `example.co.uk` of `www.example.co.uk`; lower case.
 * The last two labels where no rule of the list matches; the host itself for a suffix, a single label or an address;
 * `''` for a name that starts with a dot.
 */
export function domainOf(host: string): string {
  return suffixAndDomain(host).domain;
}

/** Every name by which a rule may match a host: host, domain and suffix, with and without private suffixes. */
export function namesForRules(host: string): string[] {
  const narrow = suffixAndDomain(host);
  const wide = suffixAndDomain(host, publicSection);
  const names = [plainHost(host), narrow.domain, narrow.suffix, wide.domain, wide.suffix];
  return [...new Set(names.filter((name) => name !== null))];
}

/** The reversed domain of a reversed host: `com.example` of `com.example.www` (the column `domain`). */
export function domainKeyOf(hostKey: string): string {
  return reverseHost(domainOf(unreverseHost(hostKey)));
}
