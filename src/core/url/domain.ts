/**
 * Registered domains and public suffixes (publicsuffix.org, private section included).
 *
 * Both sections count: `foo.github.io` and `bar.github.io` belong to two owners, so politeness and counting by domain
 * must not throw them together. Nutch reads the public section alone; the differences are `x.uk.com` and its like.
 * A name whose suffix nobody lists is its own domain (Nutch 1.x `URLUtil.getDomainName`), and so is an address.
 */
import { domainToASCII } from 'node:url';
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

function namesOf(host: string, sections: typeof bothSections): Names {
  const name = plainHost(host);
  if (name.startsWith('.')) return { suffix: null, domain: '' };
  if (isIpHost(name)) return { suffix: null, domain: name };
  const { domain, publicSuffix, isIcann, isPrivate } = parse(name, sections);
  if (!isIcann && !isPrivate) return { suffix: null, domain: name };
  return { suffix: publicSuffix, domain: domain ?? name };
}

/**
 * The registered domain of a host: `example.co.uk` of `www.example.co.uk`; lower case.
 * The host itself where its suffix is unknown, where it is a suffix, and for addresses; `''` for a name that starts
 * with a dot.
 */
export function domainOf(host: string): string {
  return namesOf(host, bothSections).domain;
}

/** The public suffix of a host in ASCII form (`co.uk`, `xn--fl-zia.no`), null when nobody lists it or for an address. */
export function publicSuffixOf(host: string): string | null {
  const { suffix } = namesOf(host, bothSections);
  return suffix === null ? null : domainToASCII(suffix);
}

/** Every name under which a rule may list a host: itself, its domain and its suffix, with and without private suffixes. */
export function namesForRules(host: string): string[] {
  const narrow = namesOf(host, bothSections);
  const wide = namesOf(host, publicSection);
  const names = [plainHost(host), narrow.domain, narrow.suffix, wide.domain, wide.suffix];
  return [...new Set(names.filter((name) => name !== null))];
}

/** The reversed domain of a reversed host: `com.example` of `com.example.www` (the column `domain`). */
export function domainKeyOf(hostKey: string): string {
  return reverseHost(domainOf(unreverseHost(hostKey)));
}
