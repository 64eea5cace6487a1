/**
 * Registered domains and public suffixes (publicsuffix.org, private section included).
 *
 * Both sections count: `foo.github.io` and `bar.github.io` belong to two owners, so politeness and counting by domain
 * must not throw them together. Nutch reads the public section alone; the differences are `x.uk.com` and its like.
 * Where no rule of the list matches, its last one `*` does (https://github.com/publicsuffix/list/wiki/Format#algorithm):
 * `h1.corp.internal` and `h2.corp.internal` are of the domain `corp.internal`. Nutch 1.x (`URLUtil.getDomainName`) takes
 * each for a domain of its own, and so sends one intranet server as many requests at once as it has names.
 * An address and a single label are their own domain.
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

/** Lower case, without the dot that may close a full name. */
function plainHost(host: string): string {
  const lower = host.toLowerCase();
  return lower.endsWith('.') ? lower.slice(0, -1) : lower;
}

/** The public suffix of a host, null when nobody lists it or for an address, and its registered domain. */
export function namesOf(host: string, sections = bothSections): Names {
  const name = plainHost(host);
  if (name.startsWith('.')) return { suffix: null, domain: '' };
  if (isIpHost(name)) return { suffix: null, domain: name };
  const { domain, publicSuffix, isIcann, isPrivate } = parse(name, sections);
  return { suffix: isIcann || isPrivate ? publicSuffix : null, domain: domain ?? name };
}

/**
 * The registered domain of a host: `example.co.uk` of `www.example.co.uk`; lower case.
 * The last two labels where no rule of the list matches; the host itself where it is a suffix or one label, and for
 * addresses; `''` for a name that starts with a dot.
 */
export function domainOf(host: string): string {
  return namesOf(host).domain;
}

/** Every name under which a rule may list a host: itself, its domain and its suffix, with and without private suffixes. */
export function namesForRules(host: string): string[] {
  const narrow = namesOf(host);
  const wide = namesOf(host, publicSection);
  const names = [plainHost(host), narrow.domain, narrow.suffix, wide.domain, wide.suffix];
  return [...new Set(names.filter((name) => name !== null))];
}

/** The reversed domain of a reversed host: `com.example` of `com.example.www` (the column `domain`). */
export function domainKeyOf(hostKey: string): string {
  return reverseHost(domainOf(unreverseHost(hostKey)));
}
