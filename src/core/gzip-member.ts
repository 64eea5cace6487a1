/**
 * Reads one member of a gzip file (RFC 1952 §2.3) to its end: header and trailer here, the deflate stream, which marks its
 * own end, by zlib. Node expects another member after the last one; if other data follows, it fails and loses the
 * output that it had not yet emitted.
 */
import { type InputType, type ZlibOptions, crc32, inflateRawSync } from 'node:zlib';

export interface Member {
  readonly body: Buffer;
  /** Offset of its end in the input. */
  readonly end: number;
}

/** The result of Node's decoders with `info`; their type declarations lack it. */
export interface Informed {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

const HEAD = 10;
const TRAILER = 8;
const FLAG = { headChecksum: 2, extra: 4, name: 8, comment: 16 } as const;

/** Offset of the member's data; beyond the input when the header is truncated; null: no member begins at `at`. */
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

/** The member of this inflated data; null when its trailer is missing or wrong. */
export function gzipMemberOf(wire: Buffer, data: number, { buffer: body, engine }: Informed): Member | null {
  const end = data + engine.bytesWritten;
  if (end + TRAILER > wire.length || wire.readUInt32LE(end) !== crc32(body)) return null;
  return { body, end: end + TRAILER };
}

const inflate = inflateRawSync as unknown as (wire: InputType, options: ZlibOptions & { info: true }) => Informed;

/** The member whose data begins at `data`; null: it is truncated, corrupt, or longer than `max` bytes. */
export function readGzipMember(wire: Buffer, data: number, max: number): Member | null {
  try {
    // Node accepts only limits of 1 or more.
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
