/** Decompresses stored contents and texts of pages: each is a zstd frame of its own (docs/adr/0012). */
import { promisify } from 'node:util';
import { zstdDecompress, zstdDecompressSync } from 'node:zlib';

/** Maximum decompressed size of one; what is stored was cut at http.content.limit.cap before. */
const MAX = 1_073_741_824;
const zstd = promisify(zstdDecompress);

export const decompress = (stored: Buffer, maxOutputLength = MAX): Promise<Buffer> => zstd(stored, { maxOutputLength });

export const decompressSync = (stored: Buffer): Buffer => zstdDecompressSync(stored, { maxOutputLength: MAX });
