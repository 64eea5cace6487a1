/**
 * IP addresses as bytes, and the IPv4 addresses embedded in IPv6 addresses.
 *
 * An IPv6 address can embed an IPv4 address: `::ffff:10.0.0.1` (mapped, RFC 4291 §2.5.5.2), `::10.0.0.1` (compatible,
 * §2.5.5.1), `64:ff9b::a00:1` (NAT64, RFC 6052 and RFC 8215), `2002:a00:1::` (6to4, RFC 3056), Teredo (RFC 4380). A packet
 * to the outer address reaches the embedded one, so an address rule has to check both: `addressForms` returns them all.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Four bytes (IPv4) or sixteen (IPv6), network order. */
export type AddressBytes = Uint8Array;

/** A block of addresses: those whose first `prefix` bits equal those of `bytes`. */
export interface Cidr {
  readonly bytes: AddressBytes;
  readonly prefix: number;
}

/**
 * Parses an address in its canonical text forms; a zone (`%eth0`) is dropped, an IPv4-mapped address becomes IPv4.
 * The legacy forms of inet_aton (`127.1`, `0x7f.1`) are not addresses here: the URL parser has normalized them before.
 * @returns null if the text is not an address.
 */
export function parseAddress(text: string): AddressBytes | null {
  if (text.length > 100 || isIP(text) === 0) return null;
  // Without its zone; an IPv4-compatible address so that ipaddr.js does not take it for a mapped one.
  const canonical = text.replace(/%.*$/, '').replace(/^::(?=\d+\.)/, '::0:');
  const bytes = Uint8Array.from(ipaddr.parse(canonical).toByteArray());
  return isMapped(bytes) ? bytes.slice(12) : bytes;
}

/**
 * Parses `10.0.0.0/8`, `fe80::/10` or a single address. Bits beyond the prefix are ignored, as in Nutch.
 * @returns null if the text is not a block (bad address, prefix out of range).
 */
export function parseCidr(text: string): Cidr | null {
  const match = /^([0-9a-fA-F.:]{2,45})(?:\/(\d{1,3}))?$/.exec(text);
  if (match?.[1] === undefined) return null;
  const bytes = parseAddress(match[1]);
  if (bytes === null) return null;
  // A block of mapped addresses (::ffff:7f00:0/104) becomes the IPv4 block.
  const mappedBits = match[1].includes(':') && bytes.length === 4 ? 96 : 0;
  const prefix = match[2] === undefined ? bytes.length * 8 : Number(match[2]) - mappedBits;
  return prefix < 0 || prefix > bytes.length * 8 ? null : { bytes, prefix };
}

/** True when the address lies in the block; an IPv4 address never lies in an IPv6 block. */
export function inCidr(address: AddressBytes, block: Cidr): boolean {
  if (address.length !== block.bytes.length) return false;
  const whole = block.prefix >> 3;
  for (let i = 0; i < whole; i++) if (address[i] !== block.bytes[i]) return false;
  const rest = block.prefix & 7;
  return rest === 0 || ((address[whole] ?? 0) ^ (block.bytes[whole] ?? 0)) >> (8 - rest) === 0;
}

/** The address itself, then each embedded IPv4 address (none for IPv4; duplicates possible; at most 8). */
export function addressForms(address: AddressBytes): AddressBytes[] {
  if (address.length === 4) return [address];
  const forms = [address];
  for (const { block, offsets } of CARRIERS) {
    if (inCidr(address, block)) for (const at of offsets) forms.push(Uint8Array.from(at, (i) => address[i] ?? 0));
  }
  if (inCidr(address, TEREDO))
    forms.push(
      address.slice(4, 8),
      address.slice(12).map((byte) => byte ^ 0xff),
    );
  return forms;
}

const block = (text: string): Cidr => {
  const cidr = parseCidr(text);
  if (cidr === null) throw new TypeError(`not a CIDR block: ${text}`);
  return cidr;
};

/**
 * Positions of the embedded IPv4 bytes in each block. RFC 6052 §2.2 lets the operator of a local NAT64 prefix choose its
 * length, and byte 8 is skipped, so `64:ff9b:1::/48` is read in all four possible ways.
 */
const CARRIERS = [
  { block: block('::/96'), offsets: [[12, 13, 14, 15]] },
  { block: block('::ffff:0:0:0/96'), offsets: [[12, 13, 14, 15]] },
  { block: block('64:ff9b::/96'), offsets: [[12, 13, 14, 15]] },
  {
    block: block('64:ff9b:1::/48'),
    offsets: [
      [6, 7, 9, 10],
      [7, 9, 10, 11],
      [9, 10, 11, 12],
      [12, 13, 14, 15],
    ],
  },
  { block: block('2002::/16'), offsets: [[2, 3, 4, 5]] },
];

/** Teredo embeds the server address as it is and the client address with inverted bits (RFC 4380 §4). */
const TEREDO = block('2001::/32');

function isMapped(bytes: Uint8Array): boolean {
  return bytes.length === 16 && bytes[10] === 0xff && bytes[11] === 0xff && bytes.subarray(0, 10).every((b) => b === 0);
}
