import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBody, type Decoded } from '../../src/net/content-coding.js';

const MIB = 1024 * 1024;
const text = Buffer.from('Crawlers read what servers send. '.repeat(3000));
const noise = Buffer.from(Array.from({ length: 100_000 }, (_, i) => ((i * 7919) % 251) ^ ((i >> 5) & 255)));
/** Beyond what is decoded in one synchronous call. */
const large = Buffer.concat(Array<Buffer>(40).fill(noise));
type Encode = (body: Buffer) => Buffer;
/** Encodes each buffer once: brotli takes half a second for all pages. */
function once(encode: Encode): Encode {
  const wires = new WeakMap<Buffer, Buffer>();
  return (body) => {
    const wire = wires.get(body) ?? encode(body);
    wires.set(body, wire);
    return wire;
  };
}
const codings: [string, Encode][] = [
  ['gzip', once((body) => zlib.gzipSync(body))],
  ['x-gzip', once((body) => zlib.gzipSync(body))],
  ['deflate', once((body) => zlib.deflateSync(body))],
  ['deflate (raw)', once((body) => zlib.deflateRawSync(body))],
  ['br', once((body) => zlib.brotliCompressSync(body))],
  ['zstd', once((body) => zlib.zstdCompressSync(body))],
];
/** Texts written by people, 1 to 100 kB: they compress to blocks of many shapes. */
const pages = globSync('node_modules/*/README.md')
  .toSorted()
  .map((file) => readFileSync(file))
  .filter(({ length }) => length > 1000 && length < 100_000)
  .slice(0, 60);
/** Compares by digest: a diff of 100 kB of bytes is slow and of no use. */
const digest = (body: Buffer) => createHash('md5').update(body).digest('hex');
const result = (decoded: Decoded | null) => decoded && { md5: digest(decoded.body), truncated: decoded.truncated };
const expected = (body: Buffer, truncated: Decoded['truncated'] = false) => ({ md5: digest(body), truncated });
const headerOf = (name: string) => name.replace(' (raw)', '');
const whole = { limit: 10 * MIB, complete: true };

describe.each(codings)('Content-Encoding %s (RFC 9110 §8.4)', (name, encode) => {
  const header = headerOf(name);

  it('is decoded to the bytes that were encoded', async () => {
    expect(result(await decodeBody(header, encode(text), whole))).toEqual(expected(text));
  });

  it('is cut at the limit, and the bytes before it are kept', async () => {
    const decoded = await decodeBody(header, encode(text), { limit: 1000, complete: true });
    expect(result(decoded)).toEqual(expected(text.subarray(0, 1000), 'length'));
  });

  it('is not cut when it ends at the limit', async () => {
    const decoded = await decodeBody(header, encode(text), { limit: text.length, complete: true });
    expect(result(decoded)).toEqual(expected(text));
  });

  it('is also cut at a limit above the size that is decoded synchronously', async () => {
    const big = Buffer.alloc(5 * MIB, 'abc');
    const decoded = await decodeBody(header, encode(big), { limit: 3 * MIB, complete: true });
    expect(decoded?.truncated).toBe('length');
    expect(decoded?.body.equals(big.subarray(0, 3 * MIB))).toBe(true);
  });

  it('keeps the bytes decoded before the stream broke off, marked as truncated', async () => {
    const wire = encode(Buffer.concat([noise, noise.toReversed(), noise]));
    const decoded = await decodeBody(header, Buffer.from(wire.subarray(0, wire.length - 100)), whole);
    expect(decoded?.truncated).toBe('decode');
    expect(decoded?.body.length).toBeGreaterThan(0);
    expect(noise.subarray(0, decoded?.body.length).equals(decoded?.body.subarray(0, noise.length) as Buffer)).toBe(
      true,
    );
  });

  it('is not reported as damaged when the client cut the wire', async () => {
    const wire = encode(Buffer.concat([noise, noise.toReversed(), noise]));
    const decoded = await decodeBody(header, wire.subarray(0, wire.length - 100), { limit: MIB, complete: false });
    expect(decoded?.truncated).toBe(false);
    expect(decoded?.body.length).toBeGreaterThan(0);
  });

  it.each([
    ['words', 'garbage'],
    ['a line break', '\r\n'],
    ['zeros', '\0'.repeat(512)],
  ])('is complete with %s after it', async (_what, behind) => {
    const decoded = await decodeBody(header, Buffer.concat([encode(text), Buffer.from(behind)]), whole);
    expect(result(decoded)).toEqual(expected(text));
  });

  const tails: [string, Buffer][] = [
    ['one letter', Buffer.from('g')],
    ['a word', Buffer.from('garbage')],
    ['eight bytes', Buffer.from('12345678')],
    ['a line break', Buffer.from('\r\n')],
    ['zeros', Buffer.alloc(300)],
    ['the first byte of a gzip header', Buffer.from([0x1f])],
    ['half a gzip header', Buffer.from([0x1f, 0x8b])],
    ['a gzip header with an unknown method', Buffer.from([0x1f, 0x8b, 0x07, 0, 0, 0, 0, 0, 0, 3])],
    ['300 bytes of text', Buffer.from('text of a cache '.repeat(20)).subarray(0, 300)],
    ['600 bytes of a comment', Buffer.from('<!-- cached -->'.repeat(40))],
  ];
  /** Bytes that may start another member, of which nothing follows. */
  const heads: [string, Buffer][] = [
    ['three bytes of a gzip header', Buffer.from([0x1f, 0x8b, 8])],
    ['a gzip header', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])],
    ['a gzip header with an unterminated name', Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3, 97, 98])],
    [
      'a gzip header and words',
      Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, ...Buffer.from('garbage '.repeat(30))]),
    ],
    ['the first bytes of a zstd frame', Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
    ['a damaged zstd frame', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0, 7, 0, 0])],
  ];

  it.each(tails)('keeps real pages complete with %s after them', async (_what, tail) => {
    expect(pages.length).toBe(60);
    for (const page of pages) {
      const decoded = await decodeBody(header, Buffer.concat([encode(page), tail]), whole);
      expect(result(decoded)).toEqual(expected(page));
    }
  });

  it('keeps a page complete with any 1 to 600 bytes after it', async () => {
    const behind = fc.uint8Array({ minLength: 1, maxLength: 600 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...pages), behind, async (page, tail) => {
        const decoded = await decodeBody(header, Buffer.concat([encode(page), tail]), whole);
        expect(result(decoded)).toEqual(expected(page));
      }),
      { numRuns: 60 },
    );
  });

  it.each(tails)(
    'keeps a page that is too large for synchronous decoding complete with %s after it',
    async (_what, tail) => {
      const wire = Buffer.concat([encode(large), tail]);
      for (const limit of [10 * MIB, large.length])
        expect(result(await decodeBody(header, wire, { limit, complete: true }))).toEqual(expected(large));
    },
  );

  it.each(heads)('keeps the page with %s after it, and reports at most a decode error', async (_what, tail) => {
    for (const page of [...pages.slice(0, 10), large]) {
      const decoded = await decodeBody(header, Buffer.concat([encode(page), tail]), whole);
      expect(decoded?.body.equals(page)).toBe(true);
      expect([false, 'decode']).toContain(decoded?.truncated);
      expect(decoded?.unfinished).toBeUndefined();
    }
  });

  it('is unfinished when a complete wire ends inside the data, but not when the client cut it', async () => {
    const page = pages.toSorted((a, b) => a.length - b.length)[0] ?? noise;
    const wire = encode(page);
    for (let at = 1; at < wire.length; at++) {
      const cut = wire.subarray(0, at);
      const decoded = await decodeBody(header, cut, whole);
      expect(decoded === null || (decoded.unfinished === true && decoded.truncated === 'decode'), `${at}`).toBe(true);
      expect((await decodeBody(header, cut, { limit: MIB, complete: false }))?.unfinished).toBeUndefined();
    }
  });

  it('returns null for a body that is not encoded', async () => {
    expect(await decodeBody(header, Buffer.from('this is not compressed at all'), whole)).toBeNull();
  });

  it('decodes no more of a bomb than the limit', async () => {
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
  )('are decoded from the last to the first: %s, %s', async (a, b, encodeA, encodeB) => {
    expect(result(await decodeBody(`${a}, ${b}`, encodeB(encodeA(text)), whole))).toEqual(expected(text));
  });

  it('are refused when there are three or more', async () => {
    const wire = zlib.gzipSync(zlib.gzipSync(zlib.gzipSync(text)));
    expect(await decodeBody('gzip, gzip, gzip', wire, whole)).toBeNull();
    expect(await decodeBody(Array(5000).fill('gzip').join(), wire, whole)).toBeNull();
  });

  it('are cut at the limit inside an inner bomb', async () => {
    const wire = zlib.gzipSync(zlib.gzipSync(Buffer.alloc(64 * MIB)));
    const decoded = await decodeBody('gzip, gzip', wire, { limit: MIB, complete: true });
    expect([decoded?.body.length, decoded?.truncated]).toEqual([MIB, 'length']);
  });
});

describe('the Content-Encoding header', () => {
  it.each(['', 'identity', 'none', 'utf-8', ' IDENTITY , '])('leaves the body unchanged for %j', async (header) => {
    expect(result(await decodeBody(header, text, whole))).toEqual(expected(text));
  });

  it.each(['compress', 'dcb', 'gzip, exi'])('yields null for unsupported %j', async (header) => {
    expect(await decodeBody(header, zlib.gzipSync(text), whole)).toBeNull();
  });

  it('is case-insensitive', async () => {
    expect(result(await decodeBody('GZip', zlib.gzipSync(text), whole))).toEqual(expected(text));
  });

  it('is ignored for an empty body (HEAD, 304, 204)', async () => {
    expect(await decodeBody('gzip', Buffer.alloc(0), whole)).toEqual({ body: Buffer.alloc(0), truncated: false });
  });
});

describe('a coding other than the one that is named', () => {
  it.each([
    ['gzip', 'br', zlib.brotliCompressSync(text)],
    ['deflate', 'gzip', zlib.gzipSync(text)],
    ['br', 'gzip', zlib.gzipSync(text)],
    ['zstd', 'gzip', zlib.gzipSync(text)],
    ['gzip, gzip', 'gzip once', zlib.gzipSync(text)],
  ])('%s that is %s in fact yields null or a decode error', async (header, _actual, wire) => {
    const decoded = await decodeBody(header, wire, whole);
    expect(decoded === null || decoded.truncated === 'decode').toBe(true);
  });

  it.each(['gzip, identity', 'identity, gzip', 'gzip,,', ', gzip', 'none, gzip', 'binary, gzip'])(
    '%j is decoded as gzip',
    async (header) => {
      expect(result(await decodeBody(header, zlib.gzipSync(text), whole))).toEqual(expected(text));
    },
  );
});

describe.each([
  ['gzip members (RFC 1952 §2.2)', 'gzip', (body: Buffer | string) => zlib.gzipSync(body), 3],
  ['zstd frames (RFC 8878 §3.1)', 'zstd', (body: Buffer | string) => zlib.zstdCompressSync(body), 4],
] as const)('%s', (_what, header, encode, magic) => {
  const one = pages[0] ?? noise;
  const two = pages[1] ?? noise;

  it.each([
    ['small', [one, two]],
    ['empty', [Buffer.alloc(0), one, Buffer.alloc(0), two, Buffer.alloc(0)]],
    ['large', [large, one, large]],
    ['ten thousand', Array<Buffer>(10_000).fill(Buffer.from('page '))],
  ])('are decoded as one body: %s', async (_size, parts) => {
    const wire = Buffer.concat(parts.map(encode));
    expect(result(await decodeBody(header, wire, whole))).toEqual(expected(Buffer.concat(parts)));
    const behind = Buffer.concat([wire, Buffer.from('garbage')]);
    expect(result(await decodeBody(header, behind, whole))).toEqual(expected(Buffer.concat(parts)));
  });

  it('are cut at the limit, wherever it falls', async () => {
    const both = Buffer.concat([one, two]);
    const wire = Buffer.concat([encode(one), encode(two), Buffer.from('garbage')]);
    for (const limit of [1, one.length - 1, one.length, one.length + 1, both.length - 1])
      expect(result(await decodeBody(header, wire, { limit, complete: true }))).toEqual(
        expected(both.subarray(0, limit), 'length'),
      );
    expect(result(await decodeBody(header, wire, { limit: both.length, complete: true }))).toEqual(expected(both));
  });

  it('are reported as truncated when the last one is cut, and those before it are kept', async () => {
    const first = encode(one);
    const second = encode(two);
    for (let at = magic; at < second.length; at += 7) {
      const decoded = await decodeBody(header, Buffer.concat([first, second.subarray(0, at)]), whole);
      expect(decoded?.truncated, `${at}`).toBe('decode');
      expect(decoded?.body.subarray(0, one.length).equals(one)).toBe(true);
      if (at > 30) expect(decoded?.unfinished, `${at}`).toBe(true);
    }
  });
});

describe('zstd (RFC 8878)', () => {
  it('ignores skippable frames (RFC 8878 §3.1.2)', async () => {
    const skipped = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4]);
    const wire = Buffer.concat([skipped, zlib.zstdCompressSync(text), skipped]);
    expect(result(await decodeBody('zstd', wire, whole))).toEqual(expected(text));
  });

  it('is refused with a window of more than 8 MiB (RFC 9659)', async () => {
    const frame = (log: number) =>
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, (log - 10) << 3, (5 << 3) | 1, 0, 0, ...Buffer.from('hello')]);
    expect((await decodeBody('zstd', frame(23), whole))?.body.toString()).toBe('hello');
    expect(await decodeBody('zstd', frame(24), whole)).toBeNull();
  });
});

describe('damaged gzip (RFC 1952 §2.3)', () => {
  it('with a wrong checksum keeps its text, marked as truncated', async () => {
    const wire = zlib.gzipSync(text);
    wire.writeUInt32LE(1, wire.length - 8);
    const decoded = await decodeBody('gzip', wire, whole);
    expect(result(decoded)).toEqual(expected(text, 'decode'));
  });

  it('and any other bytes never cause an exception or exceed the limit', async () => {
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
