/**
 * Decodes the members of a gzip body (RFC 1952 §2.2) and the frames of a zstd body (RFC 8878 §3.1) one by one.
 *
 * Node fails if other bytes follow the last gzip member (a comment of a cache, a line feed), and reads only the first frame of
 * zstd. Here every member is decoded separately, and bytes after the last one are ignored, as in browsers.
 */
import { setImmediate as nextIteration } from 'node:timers/promises';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { type Informed, type Member, gzipDataAt, gzipMemberOf, readGzipMember } from '../core/gzip-member.js';

export interface Members {
  /** Decoded content of all complete members. */
  readonly body: Buffer;
  /** Complete members read. */
  readonly count: number;
  /** End of the last complete member. */
  readonly end: number;
  /**
   * The bytes after `end`. `foreign`: none, or not a member; `head`: the header of a member without data; `member`: a member
   * that is unfinished, damaged, or longer than allowed.
   */
  readonly rest: 'foreign' | 'head' | 'member';
}

/** Maximum of decoded bytes; whether to decode off the main thread. */
interface Reading {
  readonly max: number;
  readonly apart: boolean;
}

interface Kind {
  /** @returns offset of the member's data; beyond the body if the header is incomplete; null: there is no member */
  readonly dataOf: (wire: Buffer, at: number) => number | null;
  /** Decodes a member that `dataOf` found; null: it is unfinished, damaged or too long. */
  readonly read: (wire: Buffer, at: { head: number; data: number }, how: Reading) => Promise<Member | null>;
}

/** Limits the window of a zstd frame, and so its memory, to 8 MiB, the maximum for HTTP (RFC 9659). */
export const ZSTD_WINDOW = { [zlib.constants.ZSTD_d_windowLogMax]: 23 } as const;

/** Members read before the event loop runs other work: a mebibyte can contain fifty thousand. */
const AT_ONCE = 64;

/**
 * Reads members up to the first incomplete one.
 * @param max decoded bytes of all members together
 * @param options.apart decode off the main thread: the output is large
 */
export async function wholeMembers(coding: 'gzip' | 'zstd', wire: Buffer, { max, apart }: Reading): Promise<Members> {
  const kind = coding === 'gzip' ? gzip : zstd;
  const bodies: Buffer[] = [];
  let length = 0;
  let count = 0;
  for (let end = 0; ;) {
    const data = kind.dataOf(wire, end);
    const isThere = data !== null && data < wire.length;
    const member = isThere ? await kind.read(wire, { head: end, data }, { max: max - length, apart }) : null;
    if (member === null) {
      const rest = data === null ? 'foreign' : data >= wire.length ? 'head' : 'member';
      const body = bodies.length === 1 ? bodies[0]! : Buffer.concat(bodies, length);
      return { body, count, end, rest };
    }
    if (member.body.length > 0) bodies.push(member.body);
    length += member.body.length;
    end = member.end;
    if (++count % AT_ONCE === 0) await nextIteration();
  }
}

const inflateApart: (wire: Buffer, options: object) => Promise<unknown> = promisify<Buffer, object, unknown>(
  zlib.inflateRaw,
);
const zstdApart: (wire: Buffer, options: object) => Promise<Buffer> = promisify<Buffer, object, Buffer>(
  zlib.zstdDecompress,
);

const gzip: Kind = {
  dataOf: gzipDataAt,

  async read(wire, { data }, { max, apart }) {
    if (!apart) return readGzipMember(wire, data, max);
    const options = { maxOutputLength: Math.max(1, max), info: true };
    const inflated = await inflateApart(wire.subarray(data), options).catch(() => null);
    const member = inflated === null ? null : gzipMemberOf(wire, data, inflated as Informed);
    return member !== null && member.body.length > max ? null : member;
  },
};

const ZSTD_FRAME = 0xfd2fb528;
/** Without its last four bits. */
const ZSTD_SKIPPED = 0x184d2a5;
const isSkipped = (wire: Buffer, at: number): boolean => wire.readUInt32LE(at) >>> 4 === ZSTD_SKIPPED;

const zstd: Kind = {
  dataOf(wire, at) {
    if (wire.length < at + 4) return null;
    if (isSkipped(wire, at)) return at + 4;
    if (wire.readUInt32LE(at) !== ZSTD_FRAME) return null;
    const descriptor = wire[at + 4] ?? 0;
    const isSingle = (descriptor & 32) !== 0;
    const window = isSingle ? 0 : 1;
    const dictionary = [0, 1, 2, 4][descriptor & 3] ?? 0;
    const size = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
    return at + 5 + window + dictionary + size;
  },

  async read(wire, { head: at, data }, { max, apart }) {
    const end = isSkipped(wire, at) ? endOfSkipped(wire, at) : endOfFrame(wire, at, data);
    if (end > wire.length) return null;
    if (isSkipped(wire, at)) return { body: Buffer.alloc(0), end };
    const options = { maxOutputLength: Math.max(1, max), params: ZSTD_WINDOW };
    const frame = wire.subarray(at, end);
    try {
      const body = apart ? await zstdApart(frame, options) : zlib.zstdDecompressSync(frame, options);
      return body.length > max ? null : { body, end };
    } catch {
      return null;
    }
  },
};

const endOfSkipped = (wire: Buffer, at: number): number =>
  at + 8 <= wire.length ? at + 8 + wire.readUInt32LE(at + 4) : Infinity;

/** The end of a frame: of its last block and the checksum after it (RFC 8878 §3.1.1.2). */
function endOfFrame(wire: Buffer, frame: number, firstBlock: number): number {
  const hasChecksum = ((wire[frame + 4] ?? 0) & 4) !== 0;
  for (let at = firstBlock; at + 3 <= wire.length;) {
    const head = wire.readUIntLE(at, 3);
    const isRepeated = ((head >> 1) & 3) === 1;
    at += 3 + (isRepeated ? 1 : head >> 3);
    if (head & 1) return at + (hasChecksum ? 4 : 0);
  }
  return Infinity;
}
