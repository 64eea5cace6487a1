import { describe, expect, it } from 'vitest';
import { SHIPPED_EXCLUSIONS, parseAddressRule } from '../../../src/core/address/address-classes.js';
import { parseAddress } from '../../../src/core/address/ip-address.js';

/** Named classes of addresses: blocks of the special-purpose address registries (RFC 6890) by their first and last addresses. */

const covers = (rule: string, address: string): boolean => parseAddressRule(rule)!.covers(parseAddress(address)!);
const classesOf = (address: string): string[] => SHIPPED_EXCLUSIONS.filter((name) => covers(name, address));

describe('a special-purpose block', () => {
  it.each([
    ['0.0.0.0/8, this network (RFC 1122 §3.2.1.3)', 'unspecified', '0.0.0.0', '0.255.255.255'],
    ['10.0.0.0/8, private use (RFC 1918)', 'private', '10.0.0.0', '10.255.255.255'],
    ['100.64.0.0/10, shared address space (RFC 6598)', 'cgnat', '100.64.0.0', '100.127.255.255'],
    ['127.0.0.0/8, loopback (RFC 1122 §3.2.1.3)', 'loopback', '127.0.0.0', '127.255.255.255'],
    ['169.254.0.0/16, link local (RFC 3927)', 'linklocal', '169.254.0.0', '169.254.255.255'],
    ['172.16.0.0/12, private use (RFC 1918)', 'private', '172.16.0.0', '172.31.255.255'],
    ['192.0.0.0/24, IETF protocol assignments (RFC 6890)', 'reserved', '192.0.0.0', '192.0.0.255'],
    ['192.0.2.0/24, documentation (RFC 5737)', 'documentation', '192.0.2.0', '192.0.2.255'],
    ['192.88.99.0/24, 6to4 relay anycast (RFC 7526)', 'reserved', '192.88.99.0', '192.88.99.255'],
    ['192.168.0.0/16, private use (RFC 1918)', 'private', '192.168.0.0', '192.168.255.255'],
    ['198.18.0.0/15, benchmarking (RFC 2544)', 'benchmarking', '198.18.0.0', '198.19.255.255'],
    ['198.51.100.0/24, documentation (RFC 5737)', 'documentation', '198.51.100.0', '198.51.100.255'],
    ['203.0.113.0/24, documentation (RFC 5737)', 'documentation', '203.0.113.0', '203.0.113.255'],
    ['224.0.0.0/4, multicast (RFC 5771)', 'multicast', '224.0.0.0', '239.255.255.255'],
    ['240.0.0.0/4, reserved (RFC 1112 §4)', 'reserved', '240.0.0.0', '255.255.255.255'],
    ['::1/128, loopback (RFC 4291 §2.5.3)', 'loopback', '::1', '::1'],
    ['::/128, unspecified (RFC 4291 §2.5.2)', 'unspecified', '::', '::'],
    ['100::/64, discard only (RFC 6666)', 'reserved', '100::', '100::ffff:ffff:ffff:ffff'],
    ['2001:2::/48, benchmarking (RFC 5180)', 'benchmarking', '2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff'],
    ['2001:10::/28, ORCHID (RFC 4843)', 'reserved', '2001:10::', '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff'],
    [
      '2001:db8::/32, documentation (RFC 3849)',
      'documentation',
      '2001:db8::',
      '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
    ],
    ['3fff::/20, documentation (RFC 9637)', 'documentation', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['fc00::/7, unique local (RFC 4193)', 'uniquelocal', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['fe80::/10, link local (RFC 4291 §2.5.6)', 'linklocal', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['fec0::/10, site local (RFC 3879)', 'sitelocal', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['ff00::/8, multicast (RFC 4291 §2.7)', 'multicast', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ])('%s is of the class %s from %s to %s', (_block, name, first, last) => {
    expect([first, last].map((address) => covers(name, address))).toEqual([true, true]);
  });

  it.each([
    ['below', '1.0.0.0', '9.255.255.255', '100.63.255.255', '126.255.255.255', '169.253.255.255', '172.15.255.255'],
    ['above', '11.0.0.0', '100.128.0.0', '128.0.0.0', '169.255.0.0', '172.32.0.0', '192.0.1.0', '192.169.0.0'],
    ['between', '191.255.255.255', '192.0.3.0', '192.88.100.0', '198.17.255.255', '198.20.0.0', '223.255.255.255'],
    [
      'of IPv6',
      '2000::',
      '2001:200::',
      '2001:db7:ffff::',
      '2001:db9::',
      '3ffe::',
      '3fff:1000::',
      '2001:0:808:808::f7f7:f7f7',
    ],
  ])('covers no globally reachable address %s its bounds', (_where, ...addresses) => {
    expect(addresses.map(classesOf)).toEqual(addresses.map(() => []));
  });
});

describe('the name of a class', () => {
  it.each([
    ['LOOPBACK', '127.0.0.1'],
    [' site-local ', '10.0.0.1'],
    ['link-local', '169.254.0.1'],
    ['Unique-Local', 'fd00::1'],
    ['localhost', '::1'],
    ['anyLocal', '0.0.0.0'],
  ])('may be written %j', (name, address) => expect(covers(name, address)).toBe(true));

  it.each(['', 'lokal', 'loop back', 'private,', '10.0.0.0/33'])('is not %j', (name) =>
    expect(parseAddressRule(name)).toBeNull(),
  );

  it.each([
    ['AWS, Azure, GCP', '169.254.169.254'],
    ['AWS, containers', '169.254.170.2'],
    ['Azure', '168.63.129.16'],
    ['Alibaba', '100.100.100.200'],
    ['Oracle', '192.0.0.192'],
    ['AWS over IPv6', 'fd00:ec2::254'],
    ['GCP over IPv6', 'fd20:ce::254'],
  ])('metadata covers the instance metadata service of %s, and no neighbour of it', (_cloud, address) => {
    const bytes = parseAddress(address)!;
    const neighbour = bytes.map((byte, n) => (n === bytes.length - 1 ? byte ^ 1 : byte));
    const rule = parseAddressRule('metadata')!;
    expect([rule.covers(bytes), rule.covers(neighbour)]).toEqual([true, false]);
  });
});
