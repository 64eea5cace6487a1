/**
 * A zstd compressor that keeps its context: to make one (over a megabyte of tables and window) costs as much as to compress a
 * page of 30 KB with it.
 *
 * Node documents no call for this. The handle inside a zlib stream has it: it ends a frame with each write and begins the next
 * one with the same settings. Whether it does so is tried out when the compressor is made; where it does not, or fails later
 * on, and for what is large, `zstdCompressSync` is asked.
 */
import { type ZstdCompress, constants, createZstdCompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** What is used of a zlib stream: behind a write, its state has the bytes that are left in the output, and in the input. */
interface Internals {
  readonly _writeState?: Uint32Array;
  readonly _handle?: {
    writeSync(flush: number, ...inputThenOutput: [Buffer, number, number, Buffer, number, number]): void;
  } | null;
}

/** In what is larger, a context is a small part of the cost. */
const MAX_BYTES = 524_288;
/** `ZSTD_COMPRESSBOUND`: a frame always fits, so that one write ends it. The system gives memory for what is used of it. */
const MAX_FRAME = MAX_BYTES + (MAX_BYTES >> 8) + 64;
const TRIED_BYTES = [70_000, 0, 1, 200_000, 1_000];

/** Compresses at `level`, each piece (text as UTF-8) as one frame. */
export function keptCompressor(level: number): (data: Buffer | string) => Buffer {
  const params = { [constants.ZSTD_c_compressionLevel]: level };
  const write = writerOf(createZstdCompress({ params }));
  const anew = (data: Buffer | string) => zstdCompressSync(data, { params });
  if (!isAsExpected(write)) return anew;
  return (data) => {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    return write(bytes) ?? anew(bytes);
  };
}

type Write = (input: Buffer) => Buffer | null;

/** Null for what is too large, and from the first failure on for all. */
function writerOf(stream: ZstdCompress): Write {
  const { _handle: handle, _writeState: state } = stream as Internals;
  if (typeof handle?.writeSync !== 'function' || !(state instanceof Uint32Array)) return () => null;
  // A failure of the handle destroys its stream; without a listener it would end the process.
  stream.on('error', () => undefined);
  const output = Buffer.allocUnsafeSlow(MAX_FRAME);
  return (input) => {
    const { length } = input;
    if (length > MAX_BYTES || stream.destroyed) return null;
    handle.writeSync(constants.ZSTD_e_end, input, 0, length, output, 0, MAX_FRAME);
    const [outputLeft = 0, inputLeft] = state;
    if (!stream.destroyed && inputLeft === 0 && outputLeft > 0)
      return Buffer.from(output.subarray(0, MAX_FRAME - outputLeft));
    stream.destroy();
    return null;
  };
}

/** Whether pieces come back as they were. */
function isAsExpected(write: Write): boolean {
  try {
    return TRIED_BYTES.every((length) => {
      const piece = Buffer.alloc(length, 'page of 1 host ');
      return zstdDecompressSync(write(piece)!).equals(piece);
    });
  } catch {
    return false;
  }
}
