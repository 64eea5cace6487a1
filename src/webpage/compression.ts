/** Compression of stored contents and texts of pages: each is a zstd frame of its own (docs/adr/0012). */
import { promisify } from 'node:util';
import { zstdDecompress, zstdDecompressSync } from 'node:zlib';
import { keptCompressor, keptDecompressor } from './zstd-context.js';

/** Level of zstd: a higher one takes more CPU time for each page than the bytes are worth (docs/adr/0012). */
const LEVEL = 2;

let compressor: ReturnType<typeof keptCompressor> | undefined;

/** `data`, text as UTF-8, as one zstd frame. */
export const compress = (data: Buffer | string): Buffer => (compressor ??= keptCompressor(LEVEL))(data);

/** Maximum decompressed size of one; stored data was cut at http.content.limit.cap before. */
const MAX_BYTES = 1_073_741_824;
const zstd = promisify(zstdDecompress);

/** Decompresses data in a thread of libuv. @throws Error if the data are damaged, or longer than `maxOutputLength` bytes */
export const decompress = (stored: Buffer, maxOutputLength = MAX_BYTES): Promise<Buffer> =>
  zstd(stored, { maxOutputLength });

let decompressor: ReturnType<typeof keptDecompressor> | undefined;

/** Decompresses small data (a text, a few KB) without a thread, which would cost more than the microseconds that they take. */
export const decompressSmall = (stored: Buffer, maxOutputLength = MAX_BYTES): Buffer | Promise<Buffer> => {
  const content = (decompressor ??= keptDecompressor())(stored);
  return content !== null && content.length <= maxOutputLength ? content : decompress(stored, maxOutputLength);
};

/** For readers that cannot wait; it blocks the event loop. @throws Error if the data are damaged */
export const decompressSync = (stored: Buffer): Buffer => zstdDecompressSync(stored, { maxOutputLength: MAX_BYTES });
