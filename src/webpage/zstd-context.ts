/**
 * A zstd compressor and a decompressor that keep their contexts: creating one (over a megabyte of tables and window for the
 * first) costs as much as compressing a page of 30 KB with it.
 *
 * Node documents no call for this. The handle inside a zlib stream can do it: it ends a frame with each write and begins the next
 * one with the same settings. Whether it does so is tested when the compressor is created; if it does not, or fails later
 * on, and for large data, `zstdCompressSync` is used, or null is returned.
 */
import {
  type ZstdCompress,
  type ZstdDecompress,
  constants,
  createZstdCompress,
  createZstdDecompress,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib';

/** The used part of a zlib stream: after a write, its state contains the remaining bytes of the output, and of the input. */
interface Internals {
  readonly _writeState?: Uint32Array;
  readonly _handle?: {
    writeSync(flush: number, ...inputThenOutput: [Buffer, number, number, Buffer, number, number]): void;
  } | null;
}

/** For larger data, a context is a small part of the cost. */
const MAX_BYTES = 524_288;
/** `ZSTD_COMPRESSBOUND`: a frame always fits, so that one write ends it. The system allocates only the memory that is used. */
const MAX_FRAME = MAX_BYTES + (MAX_BYTES >> 8) + 64;
const TRIED_BYTES = [70_000, 0, 1, 200_000, 1_000];

/** Compresses at `level`, each piece (text as UTF-8) as one frame. */
export function keptCompressor(level: number): (data: Buffer | string) => Buffer {
  const params = { [constants.ZSTD_c_compressionLevel]: level };
  const write = writerOf(createZstdCompress({ params }), () => true);
  const anew = (data: Buffer | string) => zstdCompressSync(data, { params });
  if (!isAsExpected(write)) return anew;
  return (data) => {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    return write(bytes) ?? anew(bytes);
  };
}

type Write = (input: Buffer) => Buffer | null;

/**
 * Null for data that is too large, and from the first failure on for all.
 * @param isWhole returns whether an output is complete
 */
function writerOf(stream: ZstdCompress | ZstdDecompress, isWhole: (size: number, input: Buffer) => boolean): Write {
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
    const size = MAX_FRAME - outputLeft;
    if (!stream.destroyed && inputLeft === 0 && outputLeft > 0 && isWhole(size, input))
      return Buffer.from(output.subarray(0, size));
    stream.destroy();
    return null;
  };
}

/**
 * Decompresses frames that declare the length of their content, as those of `keptCompressor` do; null: call `zstdDecompress`,
 * which reports the error of others. After a frame that was cut short a new context is made.
 */
export function keptDecompressor(): (frame: Buffer) => Buffer | null {
  let write: Write | undefined;
  return (frame) => {
    const size = contentSize(frame);
    if (size === null || size > MAX_BYTES) return null;
    write ??= writerOf(createZstdDecompress(), (written, input) => written === contentSize(input));
    const content = write(frame);
    if (content === null) write = undefined;
    return content;
  };
}

const MAGIC = 0xfd2fb528;
/** Bytes of a dictionary's number, by its bits in the header. */
const DICTIONARY = [0, 1, 2, 4] as const;

/** Bytes of a frame's content, where its header has them (RFC 8878, 3.1.1.1). */
function contentSize(frame: Buffer): number | null {
  if (frame.length < 18 || frame.readUInt32LE() !== MAGIC) return null;
  const header = frame[4]!;
  const isSingle = (header & 32) !== 0;
  const at = 5 + (isSingle ? 0 : 1) + DICTIONARY[header & 3]!;
  if (header >>> 6 === 0) return isSingle ? frame[at]! : null;
  if (header >>> 6 === 1) return 256 + frame.readUInt16LE(at);
  return header >>> 6 === 2 ? frame.readUInt32LE(at) : null;
}

/** Whether decompression restores the test data. */
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
