/**
 * Decides which addresses we may connect to: the guard against SSRF.
 *
 * Seeds, filters and configuration arrive over REST, and links come from untrusted pages, so no URL can be trusted to lead
 * outside. The guard checks the address to which a socket is about to be opened: after name resolution, for literals too, at
 * every redirect. The connector calls it for each of them. The guard is built once from the properties, without network or
 * clock. A refusal names the rule and never the address, so that error texts do not reveal our internal network.
 *
 * Order: our own ports, the port rule, `http.filter.ipaddress.include` (if not empty, the address must match), then
 * `http.filter.ipaddress.exclude`. An address that embeds another (NAT64, 6to4, …) is excluded if either of them is.
 */
import { parseAddressRule, type AddressRule } from './address-classes.js';
import { addressForms, inCidr, parseAddress, parseCidr, type AddressBytes, type Cidr } from './ip-address.js';
import type { OwnEndpoint, OwnPort } from './own-ports.js';
import { withoutBrackets } from '../url/ip-host.js';
import { MAX_PORT } from './port-range.js';

/** All addresses of a host name, canonical text, best first. Rejects as `dns.lookup` does (`ENOTFOUND`, `EAI_AGAIN`, …). */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** The host of a URL as it is connected to: an IPv6 address without its brackets. */
export const connectedHost = ({ hostname }: { readonly hostname: string }): string => withoutBrackets(hostname);

/** The port of a URL: the explicit one, even 0, on which nothing listens; else the default of the scheme. */
export const portOf = ({ port, protocol }: { readonly port: string; readonly protocol: string }): number =>
  port === '' ? (DEFAULT_PORTS[protocol] ?? 80) : Number(port);

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'ftp:': 21 };

/** Ports up to here are refused unless they are listed. */
export const LAST_LOW_PORT = 1023;

/** Ports above 1023 of services that are not meant for public access. */
export const SHIPPED_DENIED_PORTS: readonly number[] = [
  1433, 1521, 2049, 2181, 2375, 2376, 2379, 2380, 3306, 3389, 4444, 5432, 5433, 5671, 5672, 5900, 5984, 6000, 6379,
  6380, 6443, 6660, 6665, 6666, 6667, 6668, 6669, 7000, 7001, 9042, 9092, 9200, 9300, 10250, 10255, 11211, 27017, 27018,
  50070,
];

export interface EgressRules {
  /** `http.filter.ipaddress.exclude`: CIDR blocks or class names. Empty: all addresses are allowed. */
  readonly exclude: readonly string[];
  /** `http.filter.ipaddress.include`: when not empty, only these. */
  readonly include: readonly string[];
  /** Endpoints of our API and database: always refused; plain ports on loopback and on `ownAddresses`. */
  readonly ownPorts?: readonly OwnPort[];
  /** Further addresses of this machine on which our own ports listen. */
  readonly ownAddresses?: readonly string[];
  /** Ports above 1023 that are refused; default `SHIPPED_DENIED_PORTS`. */
  readonly deniedPorts?: readonly number[];
  /** Ports below 1024 that are allowed; default 80 and 443. */
  readonly allowedLowPorts?: readonly number[];
}

export interface EgressRefusal {
  /** Class name or block as configured, or `own-port`, `port`, `include`, `not-an-address`. */
  readonly rule: string;
}

export interface EgressGuard {
  /** Null if a connection to this address (canonical text, as resolvers and sockets return it) and port is allowed. */
  check(address: string, port: number): EgressRefusal | null;
  /** Names of our endpoints with this port: `refusalOf` refuses their current addresses. */
  ownNames(port: number): readonly string[];
}

/**
 * Checks all addresses to which a connection may be opened, also against the addresses of our endpoints' names.
 * @param resolve names to addresses; if an own name cannot be resolved, the port is refused, as any address may be its own
 */
export async function egressRefusal(
  guard: EgressGuard,
  addresses: readonly string[],
  port: number,
  resolve: Resolve,
): Promise<EgressRefusal | null> {
  for (const address of addresses) {
    const refusal = guard.check(address, port);
    if (refusal !== null) return refusal;
  }
  for (const name of guard.ownNames(port)) {
    const ownAddresses = await resolve(name).catch(() => null);
    const blocks = ownAddresses?.flatMap((address) => parseCidr(withoutZone(address)) ?? []);
    const isOwn = (address: string) => formsOf(address).some((form) => blocks?.some((block) => inCidr(form, block)));
    if (blocks === undefined || addresses.some(isOwn)) return OWN_PORT;
  }
  return null;
}

/** A value of the address filters that is neither a class name nor a CIDR block. */
export class EgressRuleError extends Error {
  constructor(readonly value: string) {
    super(`not an address class or CIDR block: ${JSON.stringify(value.slice(0, 100))}`);
    this.name = 'EgressRuleError';
  }
}

/**
 * Builds the guard.
 * @throws EgressRuleError if a value cannot be parsed: a typo must not allow addresses.
 */
export function makeEgressGuard(rules: EgressRules): EgressGuard {
  const exclude = rules.exclude.map(toRule);
  const include = rules.include.map(toRule);
  const ports = portRule(rules);
  const isOwn = ownRule(rules);
  const names = endpointsOf(rules).filter(({ host }) => parseAddress(host) === null);
  return {
    check(address, port) {
      const parsed = parseAddress(address);
      if (parsed === null) return { rule: 'not-an-address' };
      const forms = addressForms(parsed);
      if (isOwn(forms, port)) return OWN_PORT;
      if (!ports(port)) return { rule: 'port' };
      if (include.length > 0 && !include.some((rule) => forms.some(rule.covers))) return { rule: 'include' };
      const hit = exclude.find((rule) => forms.some(rule.covers));
      return hit === undefined ? null : { rule: hit.name };
    },
    ownNames: (port) => names.filter((each) => each.port === port).map(({ host }) => host),
  };
}

const OWN_PORT: EgressRefusal = { rule: 'own-port' };

const withoutZone = (address: string): string => address.replace(/%.*$/, '');

function formsOf(address: string): AddressBytes[] {
  const parsed = parseAddress(address);
  return parsed === null ? [] : addressForms(parsed);
}

function toRule(value: string): AddressRule {
  const rule = parseAddressRule(value);
  if (rule === null) throw new EgressRuleError(value);
  return rule;
}

function portRule(rules: EgressRules): (port: number) => boolean {
  const denied = new Set(rules.deniedPorts ?? SHIPPED_DENIED_PORTS);
  const low = new Set(rules.allowedLowPorts ?? [80, 443]);
  return (port) =>
    Number.isInteger(port) && port <= MAX_PORT && (port > LAST_LOW_PORT ? !denied.has(port) : low.has(port));
}

/** Includes unspecified addresses: a connection to 0.0.0.0 reaches loopback. */
const THIS_MACHINE = ['127.0.0.0/8', '0.0.0.0/8', '::1', '::'];

function ownRule(rules: EgressRules): (forms: readonly AddressBytes[], port: number) => boolean {
  const here = [...THIS_MACHINE, ...(rules.ownAddresses ?? [])].map(toBlock);
  const blocksOfPort = new Map<number, Cidr[]>();
  for (const port of rules.ownPorts ?? []) if (typeof port === 'number') blocksOfPort.set(port, here);
  for (const { host, port } of endpointsOf(rules)) {
    const block = parseCidr(withoutZone(host));
    if (block !== null) blocksOfPort.set(port, [...(blocksOfPort.get(port) ?? []), block]);
  }
  return (forms, port) => blocksOfPort.get(port)?.some((block) => forms.some((form) => inCidr(form, block))) === true;
}

const endpointsOf = ({ ownPorts = [] }: EgressRules): OwnEndpoint[] =>
  ownPorts.filter((port) => typeof port !== 'number');

function toBlock(text: string): Cidr {
  const block = parseCidr(text);
  if (block === null) throw new EgressRuleError(text);
  return block;
}
