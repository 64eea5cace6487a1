/** Compression of stored contents and texts of pages: each is a zstd frame of its own (docs/adr/0012). */
import { promisify } from 'node:util';
import { zstdDecompress, zstdDecompressSync } from 'node:zlib';
import { keptCompressor, keptDecompressor } from './zstd-context.js';

const LEVEL = 2;

let compressor: ReturnType<typeof keptCompressor> | undefined;

/** `data`, text as UTF-8, as one zstd frame. */
export const compress = (data: Buffer | string): Buffer => (compressor ??= keptCompressor(LEVEL))(data);

/** Maximum decompressed size of one; stored data was cut at http.content.limit.cap before. */
const MAX = 1_073_741_824;
const zstd = promisify(zstdDecompress);

export const decompress = (stored: Buffer, maxOutputLength = MAX): Promise<Buffer> => zstd(stored, { maxOutputLength });

let decompressor: ReturnType<typeof keptDecompressor> | undefined;

/** Decompresses small data (a text, a few KB) without a thread, which would cost more than the microseconds that they take. */
export const decompressSmall = (stored: Buffer, maxOutputLength = MAX): Buffer | Promise<Buffer> => {
  const content = (decompressor ??= keptDecompressor())(stored);
  return content !== null && content.length <= maxOutputLength ? content : decompress(stored, maxOutputLength);
};

export const decompressSync = (stored: Buffer): Buffer => zstdDecompressSync(stored, { maxOutputLength: MAX });
