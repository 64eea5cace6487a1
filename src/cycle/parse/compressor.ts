/**
 * Compression for storage: one zstd context for all pages of a process.
 *
 * `zstdCompressSync` makes a stream and a context for each page, which costs a quarter of the time and leaves both to the
 * collector of garbage. Here one context writes one frame after another. Node has no documented way to that: the handle of a
 * zlib stream is used, as npm's own packages do, and where it is not what it was, the documented call does the work.
 */
import { constants, createZstdCompress, zstdCompressSync, type ZstdCompress } from 'node:zlib';

/** Level 2 with a kept context costs less than level 1 without one. */
const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 2 } };

/** What a zlib stream writes with. */
interface Handle {
  writeSync(
    flush: number,
    ...parts: [from: Buffer, start: number, length: number, to: Buffer, start: number, length: number]
  ): void;
}

type Opened = ZstdCompress & { readonly _handle?: Handle; readonly _writeState?: Uint32Array };

/** Room for what does not shrink: ZSTD_compressBound. */
const bound = (length: number): number => length + (length >> 8) + 1_024;

class KeptContext {
  private readonly stream: Opened = createZstdCompress(OPTIONS);
  private readonly room = Buffer.allocUnsafeSlow(bound(1 << 17));

  /** One frame; null where it cannot be made here. */
  frame(data: Buffer): Buffer | null {
    const { _handle: handle, _writeState: state } = this.stream;
    if (typeof handle?.writeSync !== 'function' || state === undefined) return null;
    const most = bound(data.length);
    const room = most <= this.room.length ? this.room : Buffer.allocUnsafeSlow(most);
    handle.writeSync(constants.ZSTD_e_end, data, 0, data.length, room, 0, room.length);
    const [left = 0, unread] = state;
    return unread === 0 && left > 0 ? Buffer.from(room.subarray(0, room.length - left)) : null;
  }
}

/** Null when it failed once: from then on the documented call is used. */
let context: KeptContext | null | undefined;

/** `data` as one zstd frame, in memory of its own. */
export function compress(data: Buffer | string): Buffer {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
  context ??= context === undefined ? new KeptContext() : null;
  const frame = context?.frame(bytes) ?? null;
  if (frame !== null) return frame;
  context = null;
  return zstdCompressSync(bytes, OPTIONS);
}
