/** Stored contents and texts: one frame of zstd each, independent of what was compressed before. */
import { zstdCompressSync, constants, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compress, decompress, decompressSmall, decompressSync } from '../../src/webpage/compression.js';
import { unicodeText } from '../support/unicode-text.js';

const anew = (data: Buffer | string) => zstdCompressSync(data, { params: { [constants.ZSTD_c_compressionLevel]: 2 } });
const noise = (length: number): Buffer => {
  let state = 1;
  return Buffer.from(Array.from({ length }, () => (state = (state * 48_271) % 2_147_483_647) >> 8));
};

describe('compression of stored pages', () => {
  it.each([0, 1, 65_535, 65_536, 131_073, 524_288, 524_289, 3_000_000])(
    'restores %i bytes, compressible and incompressible',
    async (length) => {
      for (const data of [Buffer.alloc(length, 'abc '), noise(length)]) {
        const stored = compress(data);
        expect(decompressSync(stored).equals(data)).toBe(true);
        expect((await decompress(stored)).equals(data)).toBe(true);
        expect((await decompressSmall(stored)).equals(data)).toBe(true);
      }
    },
  );

  it('gives the same frame as a new context, whatever was compressed before', () => {
    const piece = fc.oneof(
      unicodeText({ maxLength: 2_000 }).map((text) => text.toWellFormed()),
      fc.uint8Array({ maxLength: 3_000 }).map((bytes) => Buffer.from(bytes)),
      fc.nat(700_000).map((length) => Buffer.alloc(length, 'one page after another ')),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), (pieces) => {
        for (const data of pieces) {
          const stored = compress(data);
          expect(stored.equals(anew(data))).toBe(true);
          expect(zstdDecompressSync(stored).equals(Buffer.from(data as string))).toBe(true);
        }
      }),
    );
  });

  it('does not change earlier results when more is compressed', () => {
    const stored = compress('first page');
    const before = Buffer.from(stored);
    compress(noise(100_000));
    expect(stored.equals(before)).toBe(true);
  });

  it('reads the next page after one that is damaged, cut or too long', async () => {
    const page = compress(noise(20_000));
    const damaged = Buffer.from(page);
    damaged.fill(255, 8, 20);
    const other = compress('another page, long enough to have a size in its header, and some words more');
    const settled = async (read: () => Buffer | Promise<Buffer>) =>
      (async () => read())().then(
        (content) => content.toString('hex'),
        (error: Error) => error.message,
      );
    for (const wrong of [damaged, page.subarray(0, -7), Buffer.from('no frame at all, but some words of a text')]) {
      expect(await settled(() => decompressSmall(wrong))).toBe(await settled(() => decompress(wrong)));
      expect((await decompressSmall(page)).equals(noise(20_000))).toBe(true);
      expect((await decompressSmall(other)).toString()).toMatch(/^another page/);
    }
    await expect((async () => decompressSmall(page, 19_999))()).rejects.toThrow();
    expect((await decompressSmall(page, 20_000)).length).toBe(20_000);
  });
});
