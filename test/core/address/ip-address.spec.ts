import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressForms, inCidr, parseAddress, parseCidr } from '../../../src/core/address/ip-address.js';

/** Addresses as bytes, blocks of them, and the IPv4 addresses inside IPv6 addresses. */

const text = (bytes: Uint8Array): string =>
  bytes.length === 4
    ? bytes.join('.')
    : Array.from({ length: 8 }, (_, n) => (bytes[2 * n]! * 256 + bytes[2 * n + 1]!).toString(16)).join(':');
const parsed = (address: string): string | null => {
  const bytes = parseAddress(address);
  return bytes && text(bytes);
};
const embedded = (address: string): string[] => addressForms(parseAddress(address)!).slice(1).map(text);

describe('an address in text form (RFC 4291 §2.2)', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['0.0.0.0', '0.0.0.0'],
    ['255.255.255.255', '255.255.255.255'],
    ['2001:DB8:0:0:8:800:200C:417A', '2001:db8:0:0:8:800:200c:417a'],
    ['2001:db8::8:800:200c:417a', '2001:db8:0:0:8:800:200c:417a'],
    ['::', '0:0:0:0:0:0:0:0'],
    ['::1', '0:0:0:0:0:0:0:1'],
    ['1::', '1:0:0:0:0:0:0:0'],
    ['::13.1.68.3', '0:0:0:0:0:0:d01:4403'],
    ['64:ff9b::192.0.2.33', '64:ff9b:0:0:0:0:c000:221'],
  ])('%s is %s', (given, expected) => expect(parsed(given)).toBe(expected));

  it.each([
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:c000:201', '192.0.2.1'],
    ['::ffff:0.0.0.0', '0.0.0.0'],
    ['::ffff:192.0.2.1%eth0', '192.0.2.1'],
  ])('%s, IPv4-mapped (§2.5.5.2), is the IPv4 address %s', (given, expected) => expect(parsed(given)).toBe(expected));

  it.each([
    ['::fffe:192.0.2.1', '0:0:0:0:0:fffe:c000:201'],
    ['::1:ffff:c000:201', '0:0:0:0:1:ffff:c000:201'],
    ['1::ffff:c000:201', '1:0:0:0:0:ffff:c000:201'],
  ])('%s is nearly IPv4-mapped, and stays an IPv6 address', (given, expected) => expect(parsed(given)).toBe(expected));

  it.each(['fe80::1%eth0', 'fe80::1%1', 'fe80::1%en-0.5'])('%s has a zone (RFC 4007 §11), which is dropped', (given) =>
    expect(parsed(given)).toBe('fe80:0:0:0:0:0:0:1'),
  );

  it.each([
    '',
    ' ',
    '192.0.2',
    '192.0.2.256',
    '192.0.2.1.1',
    '192.0.2.01',
    '0xc0.0.2.1',
    '3221225985',
    '192.0.2.1 ',
    '192.0.2.1%eth0',
    '192.0.2.1/32',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '12345::',
    '::g',
    '[::1]',
    '%eth0',
    'fe80::1%',
    `fe80::1%${'a'.repeat(100)}`,
    'localhost',
  ])('%j is no address', (given) => expect(parseAddress(given)).toBeNull());
});

describe('a block of addresses (RFC 4632 §3.1; RFC 4291 §2.3)', () => {
  it.each([
    ['10.0.0.0/8', '10.255.255.255', '11.0.0.0'],
    ['10.1.2.3/8', '10.255.255.255', '9.255.255.255'],
    ['172.16.0.0/12', '172.31.255.255', '172.32.0.0'],
    ['192.0.2.128/25', '192.0.2.255', '192.0.2.127'],
    ['192.0.2.2/31', '192.0.2.3', '192.0.2.4'],
    ['192.0.2.1/32', '192.0.2.1', '192.0.2.2'],
    ['192.0.2.1', '192.0.2.1', '192.0.2.0'],
    ['fe80::/10', 'febf:ffff::', 'fec0::'],
    ['2001:db8::/32', '2001:db8:ffff::', '2001:db9::'],
    ['::1/128', '::1', '::2'],
    ['::1', '::1', '::'],
    ['::ffff:127.0.0.0/104', '127.255.255.255', '128.0.0.0'],
    ['::ffff:192.0.2.1', '192.0.2.1', '192.0.2.2'],
  ])('%s contains %s and not %s', (block, inside, outside) => {
    const cidr = parseCidr(block)!;
    expect([inside, outside].map((address) => inCidr(parseAddress(address)!, cidr))).toEqual([true, false]);
  });

  it.each([
    ['0.0.0.0/0', '192.0.2.1', '::1'],
    ['::/0', '2001:db8::1', '192.0.2.1'],
    ['::ffff:0:0/96', '192.0.2.1', '::1'],
  ])('%s contains %s; %s is of the other family', (block, inside, outside) => {
    const cidr = parseCidr(block)!;
    expect([inside, outside].map((address) => inCidr(parseAddress(address)!, cidr))).toEqual([true, false]);
  });

  it.each([
    '',
    '/8',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8.0',
    '10.0.0.0/255.0.0.0',
    '10.0.0.0/8/8',
    '10.0.0.0 /8',
    '10.0.0/8',
    '::/129',
    '::/1000',
    'fe80::1%eth0/64',
    '::ffff:127.0.0.0/95',
    'example.test/8',
  ])('%j is no block', (given) => expect(parseCidr(given)).toBeNull());

  it('of any prefix contains its own address, and none that differs in a bit of the prefix', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(
        fc.oneof(fc.tuple(byte, byte, byte, byte), fc.array(byte, { minLength: 16, maxLength: 16 })),
        fc.nat(),
        fc.nat(),
        (bytes, anyPrefix, anyBit) => {
          const [address, bits] = [Uint8Array.from(bytes), bytes.length * 8];
          const [prefix, bit] = [anyPrefix % (bits + 1), anyBit % bits];
          const other = address.slice();
          other[bit >> 3]! ^= 0x80 >> (bit & 7);
          const contains = [address, other].map((one) => inCidr(one, { bytes: address, prefix }));
          expect(contains).toEqual([true, bit >= prefix]);
        },
      ),
    );
  });
});

describe('the IPv4 addresses inside an IPv6 address', () => {
  it.each([
    ['IPv4-compatible (RFC 4291 §2.5.5.1)', '::192.0.2.1', ['192.0.2.1']],
    ['IPv4-translated (RFC 2765 §2.1)', '::ffff:0:192.0.2.1', ['192.0.2.1']],
    ['NAT64, the well-known prefix (RFC 6052 §2.1)', '64:ff9b::192.0.2.33', ['192.0.2.33']],
    ['6to4 (RFC 3056 §2)', '2002:c000:204::1', ['192.0.2.4']],
    [
      'Teredo: the server, and the client with its bits inverted (RFC 4380 §4)',
      '2001:0:4136:e378:8000:63bf:3fff:fdd2',
      ['65.54.227.120', '192.0.2.45'],
    ],
  ])('%s: in %s there is %j', (_kind, address, expected) => expect(embedded(address)).toEqual(expected));

  // The examples of RFC 6052 §2.4, for the local prefix: byte 8 is not part of the IPv4 address.
  it.each([
    ['48', '64:ff9b:1:c000:2:2100::', '192.0.2.33'],
    ['56', '64:ff9b:1:aac0:0:221::', '192.0.2.33'],
    ['64', '64:ff9b:1:aaaa:c0:2:2100:0', '192.0.2.33'],
    ['96', '64:ff9b:1:aaaa:0:aaaa:192.0.2.33', '192.0.2.33'],
  ])('local NAT64 (RFC 8215) of prefix length %s (RFC 6052 §2.2): in %s there is %s', (_length, address, expected) =>
    expect(embedded(address)).toContain(expected),
  );

  it.each(['2001:db8::192.0.2.1', '2003:c000:204::1', '2001:1::1', '64:ff9a::192.0.2.1', 'fe80::1'])(
    'none is in %s',
    (address) => expect(embedded(address)).toEqual([]),
  );

  it('an IPv4 address is its only form', () => {
    expect(addressForms(parseAddress('192.0.2.1')!).map(text)).toEqual(['192.0.2.1']);
  });
});
