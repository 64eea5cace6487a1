/** Compression for storage: each page and each text is a zstd frame of its own (docs/adr/0012). */
import { constants, zstdCompressSync } from 'node:zlib';

const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 2 } };

/** `data`, text as UTF-8, as one zstd frame. */
export const compress = (data: Buffer | string): Buffer => zstdCompressSync(data, OPTIONS);
