/** Compression of stored contents and texts of pages: each is a zstd frame of its own (docs/adr/0012). */
import { promisify } from 'node:util';
import { constants, zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib';

const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 2 } };

/** `data`, text as UTF-8, as one zstd frame. */
export const compress = (data: Buffer | string): Buffer => zstdCompressSync(data, OPTIONS);

/** Maximum decompressed size of one; what is stored was cut at http.content.limit.cap before. */
const MAX = 1_073_741_824;
const zstd = promisify(zstdDecompress);

export const decompress = (stored: Buffer, maxOutputLength = MAX): Promise<Buffer> => zstd(stored, { maxOutputLength });

export const decompressSync = (stored: Buffer): Buffer => zstdDecompressSync(stored, { maxOutputLength: MAX });
