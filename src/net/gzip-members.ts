/**
 * The members of a gzip body (RFC 1952), each to its own end.
 *
 * Node looks for another member behind the last one, and when something else stands there (300 bytes of a cache's comment, a line
 * feed), it fails and loses what it had not yet given out. Here the head and the trailer of a member are read apart from its deflate
 * stream, which knows its end by itself; what stands behind the last member is passed over, as browsers do.
 */
import { crc32, inflateRawSync, type InputType, type ZlibOptions } from 'node:zlib';

const HEAD = 10;
const TRAILER = 8;
const FLAG = { headChecksum: 2, extra: 4, name: 8, comment: 16 } as const;

/** `inflateRawSync` with `info`: the declarations of Node know only its result without it. */
const inflate = inflateRawSync as unknown as (
  wire: InputType,
  options: ZlibOptions & { info: true },
) => { buffer: Buffer; engine: { bytesWritten: number } };

/**
 * All members of a body whose last one is complete.
 * @param maxOutputLength bytes of all members together
 * @returns the bytes; null when it does not begin with a whole member, a checksum is wrong, or it is longer than allowed
 */
export function gunzipMembers(wire: Buffer, maxOutputLength: number): Buffer | null {
  const members: Buffer[] = [];
  let length = 0;
  for (let at = 0; ;) {
    const member = memberAt(wire, at, maxOutputLength - length);
    if (member === null) return members.length > 0 && !isMember(wire, at) ? joined(members, length) : null;
    members.push(member.body);
    length += member.body.length;
    at = member.end;
  }
}

const joined = (members: readonly Buffer[], length: number): Buffer =>
  members.length === 1 ? members[0]! : Buffer.concat(members, length);

const isMember = (wire: Buffer, at: number): boolean =>
  wire.length >= at + 3 && wire[at] === 0x1f && wire[at + 1] === 0x8b && wire[at + 2] === 8;

function memberAt(wire: Buffer, at: number, maxOutputLength: number): { body: Buffer; end: number } | null {
  if (!isMember(wire, at) || maxOutputLength < 1) return null;
  const start = endOfHead(wire, at);
  try {
    const { buffer: body, engine } = inflate(wire.subarray(start), { maxOutputLength, info: true });
    const end = start + engine.bytesWritten;
    if (end + TRAILER > wire.length || wire.readUInt32LE(end) !== crc32(body)) return null;
    return { body, end: end + TRAILER };
  } catch {
    return null;
  }
}

/** Where the deflate stream of a member begins (RFC 1952 §2.3); behind the body when the head does not end. */
function endOfHead(wire: Buffer, member: number): number {
  const flags = wire[member + 3] ?? 0;
  let at = member + HEAD;
  if (flags & FLAG.extra) at += 2 + (at + 2 <= wire.length ? wire.readUInt16LE(at) : 0);
  for (const text of [FLAG.name, FLAG.comment]) {
    if (!(flags & text)) continue;
    const zero = wire.indexOf(0, at);
    at = zero < 0 ? wire.length : zero + 1;
  }
  return flags & FLAG.headChecksum ? at + 2 : at;
}
