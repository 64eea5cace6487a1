/**
 * One member of a gzip file (RFC 1952 §2.3), read to its own end: head and trailer apart from the deflate stream, which knows its end by
 * itself. Node looks for another member behind the last one, and when something else stands there, it fails and loses what it
 * had not yet given out.
 */
import { type InputType, type ZlibOptions, crc32, inflateRawSync } from 'node:zlib';

export interface Member {
  readonly body: Buffer;
  /** Where it ends in the bytes that it stands in. */
  readonly end: number;
}

/** What decoders of Node give with `info`; their declarations know only the result without it. */
export interface Informed {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

const HEAD = 10;
const TRAILER = 8;
const FLAG = { headChecksum: 2, extra: 4, name: 8, comment: 16 } as const;

/** Where the data of a member begins; behind the bytes when its head does not end; null: no member stands there. */
export function gzipDataAt(wire: Buffer, at: number): number | null {
  if (wire.length < at + 3 || wire.readUIntBE(at, 3) !== 0x1f8b08) return null;
  const flags = wire[at + 3] ?? 0;
  let data = at + HEAD;
  if (flags & FLAG.extra) data += 2 + (data + 2 <= wire.length ? wire.readUInt16LE(data) : 0);
  for (const text of [FLAG.name, FLAG.comment]) {
    if (!(flags & text)) continue;
    const zero = wire.indexOf(0, data);
    data = zero < 0 ? wire.length : zero + 1;
  }
  return flags & FLAG.headChecksum ? data + 2 : data;
}

/** A member of which this is the data, inflated; null when its trailer is missing or wrong. */
export function gzipMemberOf(wire: Buffer, data: number, { buffer: body, engine }: Informed): Member | null {
  const end = data + engine.bytesWritten;
  if (end + TRAILER > wire.length || wire.readUInt32LE(end) !== crc32(body)) return null;
  return { body, end: end + TRAILER };
}

const inflate = inflateRawSync as unknown as (wire: InputType, options: ZlibOptions & { info: true }) => Informed;

/** The member whose data begins here; null: it is unfinished, damaged, or longer than `max` bytes. */
export function readGzipMember(wire: Buffer, data: number, max: number): Member | null {
  try {
    // The limit of Node is 1 or more.
    const member = gzipMemberOf(
      wire,
      data,
      inflate(wire.subarray(data), { maxOutputLength: Math.max(1, max), info: true }),
    );
    return member !== null && member.body.length > max ? null : member;
  } catch {
    return null;
  }
}
