/**
 * The named classes of addresses that `http.filter.ipaddress.exclude` and `.include` may use instead of a CIDR block.
 *
 * Nutch has `localhost`, `loopback` and `sitelocal`; its `sitelocal` does not include unique local addresses (fc00::/7), ours
 * does. The others are the special-purpose registries of IANA (RFC 6890): excluding all classes leaves the globally reachable
 * addresses.
 */
import { inCidr, parseCidr, type AddressBytes, type Cidr } from './ip-address.js';

interface AddressClass {
  readonly blocks: readonly Cidr[];
  readonly except: readonly Cidr[];
}

const cidrs = (texts: readonly string[]): Cidr[] => texts.map(parseCidr).filter((cidr) => cidr !== null);
const blocks = (...texts: string[]): AddressClass => ({ blocks: cidrs(texts), except: [] });

const loopback = blocks('127.0.0.0/8', '::1/128');
const uniqueLocal = blocks('fc00::/7');
const siteLocal = blocks('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fec0::/10', 'fc00::/7');
const linkLocal = blocks('169.254.0.0/16', 'fe80::/10');
const unspecified = blocks('0.0.0.0/8', '::/128');

/** Instance metadata services of clouds (AWS, Azure, GCP, Alibaba, Oracle). */
const metadata = blocks(
  '169.254.169.254',
  '169.254.170.2',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
);

/** Other addresses that are not globally reachable: IPv6 outside 2000::/3, IPv4 class E, remaining special-purpose blocks. */
const reserved: AddressClass = {
  blocks: cidrs([
    '240.0.0.0/4',
    '192.0.0.0/24',
    '192.88.99.0/24',
    '::/3',
    '4000::/2',
    '8000::/1',
    '2001::/23',
    '3fff::/20',
  ]),
  // Judged by the IPv4 addresses embedded in them.
  except: cidrs(['64:ff9b::/96', '2001::/32']),
};

const classes = new Map<string, AddressClass>([
  ['localhost', loopback],
  ['loopback', loopback],
  ['sitelocal', siteLocal],
  ['private', siteLocal],
  ['uniquelocal', uniqueLocal],
  ['linklocal', linkLocal],
  ['metadata', metadata],
  ['cgnat', blocks('100.64.0.0/10')],
  ['multicast', blocks('224.0.0.0/4', 'ff00::/8')],
  ['unspecified', unspecified],
  ['anylocal', unspecified],
  ['documentation', blocks('192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20')],
  ['benchmarking', blocks('198.18.0.0/15', '2001:2::/48')],
  ['reserved', reserved],
]);

/** The shipped `http.filter.ipaddress.exclude`: everything that is not globally reachable. A refusal names the first match. */
export const SHIPPED_EXCLUSIONS: readonly string[] = [
  'metadata',
  'loopback',
  'private',
  'linklocal',
  'uniquelocal',
  'cgnat',
  'multicast',
  'unspecified',
  'documentation',
  'benchmarking',
  'reserved',
];

/** A rule of the egress guard: its name as configured, and the addresses that it covers. */
export interface AddressRule {
  readonly name: string;
  readonly covers: (address: AddressBytes) => boolean;
}

/**
 * Reads one value of the address filters: a class name (any case, hyphens ignored) or a CIDR block.
 * @returns null when it is neither.
 */
export function parseAddressRule(value: string): AddressRule | null {
  const name = value.trim().toLowerCase();
  const known = classes.get(name.replaceAll('-', ''));
  const cidr = known === undefined ? parseCidr(name) : null;
  const addressClass = known ?? (cidr === null ? null : { blocks: [cidr], except: [] });
  if (addressClass === null) return null;
  const within = (list: readonly Cidr[], address: AddressBytes) => list.some((each) => inCidr(address, each));
  return { name, covers: (address) => within(addressClass.blocks, address) && !within(addressClass.except, address) };
}
