import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBody, type Decoded } from '../../src/net/content-coding.js';

const MIB = 1024 * 1024;
const text = Buffer.from('Crawlers read what servers send. '.repeat(3000));
const noise = Buffer.from(Array.from({ length: 100_000 }, (_, i) => ((i * 7919) % 251) ^ ((i >> 5) & 255)));
const codings: [string, (body: Buffer) => Buffer][] = [
  ['gzip', (body) => zlib.gzipSync(body)],
  ['x-gzip', (body) => zlib.gzipSync(body)],
  ['deflate', (body) => zlib.deflateSync(body)],
  ['deflate (raw)', (body) => zlib.deflateRawSync(body)],
  ['br', (body) => zlib.brotliCompressSync(body)],
  ['zstd', (body) => zlib.zstdCompressSync(body)],
];
/** Texts of people's hands, 1 to 100 kB: what compresses to many shapes of blocks. */
const pages = globSync('node_modules/*/README.md')
  .toSorted()
  .map((file) => readFileSync(file))
  .filter(({ length }) => length > 1000 && length < 100_000)
  .slice(0, 60);
/** Compares by digest: a diff of 100 kB of bytes helps nobody and takes its time. */
const digest = (body: Buffer) => createHash('md5').update(body).digest('hex');
const result = (decoded: Decoded | null) => decoded && { md5: digest(decoded.body), truncated: decoded.truncated };
const expected = (body: Buffer, truncated: Decoded['truncated'] = false) => ({ md5: digest(body), truncated });
const headerOf = (name: string) => name.replace(' (raw)', '');
const whole = { limit: 10 * MIB, complete: true };

describe.each(codings)('%s', (name, encode) => {
  const header = headerOf(name);

  it('is undone', async () => {
    expect(result(await decodeBody(header, encode(text), whole))).toEqual(expected(text));
  });

  it('is cut at the limit, keeping what came before it', async () => {
    const decoded = await decodeBody(header, encode(text), { limit: 1000, complete: true });
    expect(result(decoded)).toEqual(expected(text.subarray(0, 1000), 'length'));
  });

  it('is not cut when it ends at the limit', async () => {
    const decoded = await decodeBody(header, encode(text), { limit: text.length, complete: true });
    expect(result(decoded)).toEqual(expected(text));
  });

  it('is cut at a limit beyond the synchronous way too', async () => {
    const big = Buffer.alloc(5 * MIB, 'abc');
    const decoded = await decodeBody(header, encode(big), { limit: 3 * MIB, complete: true });
    expect(decoded?.truncated).toBe('length');
    expect(decoded?.body.equals(big.subarray(0, 3 * MIB))).toBe(true);
  });

  it('keeps what came out before the stream broke off, and says so', async () => {
    const wire = encode(Buffer.concat([noise, noise.toReversed(), noise]));
    const decoded = await decodeBody(header, Buffer.from(wire.subarray(0, wire.length - 100)), whole);
    expect(decoded?.truncated).toBe('decode');
    expect(decoded?.body.length).toBeGreaterThan(0);
    expect(noise.subarray(0, decoded?.body.length).equals(decoded?.body.subarray(0, noise.length) as Buffer)).toBe(
      true,
    );
  });

  it('is no damage when it was us who cut the wire', async () => {
    const wire = encode(Buffer.concat([noise, noise.toReversed(), noise]));
    const decoded = await decodeBody(header, wire.subarray(0, wire.length - 100), { limit: MIB, complete: false });
    expect(decoded?.truncated).toBe(false);
    expect(decoded?.body.length).toBeGreaterThan(0);
  });

  it.each([
    ['words', 'garbage'],
    ['a line break', '\r\n'],
    ['zeros', '\0'.repeat(512)],
  ])('is whole with %s behind it', async (_what, behind) => {
    const decoded = await decodeBody(header, Buffer.concat([encode(text), Buffer.from(behind)]), whole);
    expect(result(decoded)).toEqual(expected(text));
  });

  const tails: [string, Buffer][] = [
    ['one letter', Buffer.from('g')],
    ['a word', Buffer.from('garbage')],
    ['eight bytes', Buffer.from('12345678')],
    ['a line break', Buffer.from('\r\n')],
    ['zeros', Buffer.alloc(300)],
    ['the first byte of a gzip head', Buffer.from([0x1f])],
    ['half a gzip head', Buffer.from([0x1f, 0x8b])],
    ['a gzip head of an unknown method', Buffer.from([0x1f, 0x8b, 0x07, 0, 0, 0, 0, 0, 0, 3])],
    ['300 bytes of text', Buffer.from('text of a cache '.repeat(20)).subarray(0, 300)],
    ['600 bytes of a comment', Buffer.from('<!-- cached -->'.repeat(40))],
  ];

  it.each(tails)('keeps real pages to their last byte with %s behind them', async (_what, tail) => {
    expect(pages.length).toBe(60);
    for (const page of pages) {
      const decoded = await decodeBody(header, Buffer.concat([encode(page), tail]), whole);
      expect(result(decoded)).toEqual(expected(page));
    }
  });

  it('keeps a page to its last byte, whatever 1 to 600 bytes stand behind it', async () => {
    const behind = fc.uint8Array({ minLength: 1, maxLength: 600 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...pages), behind, async (page, tail) => {
        const decoded = await decodeBody(header, Buffer.concat([encode(page), tail]), whole);
        expect(result(decoded)).toEqual(expected(page));
      }),
      { numRuns: 60 },
    );
  });

  it('keeps a page beyond the synchronous way to its last byte, whatever stands behind it', async () => {
    const big = Buffer.concat(Array<Buffer>(40).fill(noise));
    const decoded = await decodeBody(header, Buffer.concat([encode(big), Buffer.alloc(300, 'x')]), whole);
    expect(result(decoded)).toEqual(expected(big));
  });

  it('is unfinished where complete wire bytes end amid the data, and not where we cut them', async () => {
    for (const page of pages.slice(0, 20)) {
      const wire = encode(page);
      const half = wire.subarray(0, wire.length >> 1);
      expect((await decodeBody(header, half, whole))?.unfinished ?? true).toBe(true);
      expect((await decodeBody(header, half, { limit: MIB, complete: false }))?.unfinished).toBeUndefined();
    }
  });

  it('gives null for a body that was never coded', async () => {
    expect(await decodeBody(header, Buffer.from('this is not compressed at all'), whole)).toBeNull();
  });

  it('costs a bomb its limit and no more', async () => {
    const bomb = encode(Buffer.alloc(64 * MIB));
    const decoded = await decodeBody(header, bomb, { limit: MIB, complete: true });
    expect([decoded?.body.length, decoded?.truncated]).toEqual([MIB, 'length']);
  });
});

describe('chained codings (RFC 9110 §8.4)', () => {
  it.each(
    codings.flatMap(([a, encodeA]) =>
      codings.map(([b, encodeB]) => [headerOf(a), headerOf(b), encodeA, encodeB] as const),
    ),
  )('%s, %s are undone from the last to the first', async (a, b, encodeA, encodeB) => {
    expect(result(await decodeBody(`${a}, ${b}`, encodeB(encodeA(text)), whole))).toEqual(expected(text));
  });

  it('are refused from three on', async () => {
    const wire = zlib.gzipSync(zlib.gzipSync(zlib.gzipSync(text)));
    expect(await decodeBody('gzip, gzip, gzip', wire, whole)).toBeNull();
    expect(await decodeBody(Array(5000).fill('gzip').join(), wire, whole)).toBeNull();
  });

  it('stop at the limit in the inner bomb', async () => {
    const wire = zlib.gzipSync(zlib.gzipSync(Buffer.alloc(64 * MIB)));
    const decoded = await decodeBody('gzip, gzip', wire, { limit: MIB, complete: true });
    expect([decoded?.body.length, decoded?.truncated]).toEqual([MIB, 'length']);
  });
});

describe('the Content-Encoding header', () => {
  it.each(['', 'identity', 'none', 'utf-8', ' IDENTITY , '])('%j leaves the body as it is', async (header) => {
    expect(result(await decodeBody(header, text, whole))).toEqual(expected(text));
  });

  it.each(['compress', 'dcb', 'gzip, exi'])('%j is beyond us', async (header) => {
    expect(await decodeBody(header, zlib.gzipSync(text), whole)).toBeNull();
  });

  it('is read without regard to case', async () => {
    expect(result(await decodeBody('GZip', zlib.gzipSync(text), whole))).toEqual(expected(text));
  });

  it('of an empty body is no damage (HEAD, 304, 204)', async () => {
    expect(await decodeBody('gzip', Buffer.alloc(0), whole)).toEqual({ body: Buffer.alloc(0), truncated: false });
  });
});

describe('a coding that is not the one that is named', () => {
  it.each([
    ['gzip', 'br', zlib.brotliCompressSync(text)],
    ['deflate', 'gzip', zlib.gzipSync(text)],
    ['br', 'gzip', zlib.gzipSync(text)],
    ['zstd', 'gzip', zlib.gzipSync(text)],
    ['gzip, gzip', 'gzip once', zlib.gzipSync(text)],
  ])('%s that is %s gives no page of nonsense', async (header, _actual, wire) => {
    const decoded = await decodeBody(header, wire, whole);
    expect(decoded === null || decoded.truncated === 'decode').toBe(true);
  });

  it.each(['gzip, identity', 'identity, gzip', 'gzip,,', ', gzip', 'none, gzip', 'binary, gzip'])(
    '%j is gzip',
    async (header) => {
      expect(result(await decodeBody(header, zlib.gzipSync(text), whole))).toEqual(expected(text));
    },
  );
});

describe('damaged gzip', () => {
  it('with a wrong checksum keeps its text', async () => {
    const wire = zlib.gzipSync(text);
    wire.writeUInt32LE(1, wire.length - 8);
    const decoded = await decodeBody('gzip', wire, whole);
    expect(result(decoded)).toEqual(expected(text, 'decode'));
  });

  it('of several members is one body (RFC 1952 §2.2)', async () => {
    const wire = Buffer.concat([zlib.gzipSync('one '), zlib.gzipSync('two')]);
    expect((await decodeBody('gzip', wire, whole))?.body.toString()).toBe('one two');
  });

  it('never throws and never exceeds the limit, whatever the bytes', async () => {
    const header = fc.constantFrom('gzip', 'deflate', 'br', 'zstd', 'gzip, br', 'deflate, zstd');
    await fc.assert(
      fc.asyncProperty(header, fc.uint8Array({ maxLength: 300 }), fc.nat(200), async (name, bytes, limit) => {
        const decoded = await decodeBody(name, Buffer.from(bytes), { limit: limit + 1, complete: true });
        expect(decoded === null || bytes.length === 0 || decoded.body.length <= limit + 1).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
