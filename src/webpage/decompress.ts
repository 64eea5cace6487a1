/** Contents and texts of pages as they were before they were stored: each is a zstd frame of its own (docs/adr/0012). */
import { promisify } from 'node:util';
import { zstdDecompress, zstdDecompressSync } from 'node:zlib';

/** Most bytes that one can unfold to; what is stored was cut at http.content.limit.cap long before. */
const MAX = 1_073_741_824;
const zstd = promisify(zstdDecompress);

export const decompress = (stored: Buffer, maxOutputLength = MAX): Promise<Buffer> => zstd(stored, { maxOutputLength });

export const decompressSync = (stored: Buffer): Buffer => zstdDecompressSync(stored, { maxOutputLength: MAX });
