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
/** Encodes the same buffer once: brotli takes half a second for all pages. */
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

describe.each(codings)('Content-Encoding %s (RFC 9110 section 8.4)', (name, encode) => {
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
  /** What may as well be another member, of which nothing came. */
  const heads: [string, Buffer][] = [
    ['three bytes of a gzip head', Buffer.from([0x1f, 0x8b, 8])],
    ['a gzip head', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])],
    ['a gzip head whose name does not end', Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3, 97, 98])],
    ['a gzip head and words', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, ...Buffer.from('garbage '.repeat(30))])],
    ['the first bytes of a zstd frame', Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
    ['a zstd frame of damage', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0, 7, 0, 0])],
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

  it.each(tails)('keeps a page beyond the synchronous way to its last byte with %s behind it', async (_what, tail) => {
    const wire = Buffer.concat([encode(large), tail]);
    for (const limit of [10 * MIB, large.length])
      expect(result(await decodeBody(header, wire, { limit, complete: true }))).toEqual(expected(large));
  });

  it.each(heads)('keeps the page with %s behind it, and says at most that more was begun', async (_what, tail) => {
    for (const page of [...pages.slice(0, 10), large]) {
      const decoded = await decodeBody(header, Buffer.concat([encode(page), tail]), whole);
      expect(decoded?.body.equals(page)).toBe(true);
      expect([false, 'decode']).toContain(decoded?.truncated);
      expect(decoded?.unfinished).toBeUndefined();
    }
  });

  it('is unfinished wherever complete wire bytes end amid the data, and not where we cut them', async () => {
    const page = pages.toSorted((a, b) => a.length - b.length)[0] ?? noise;
    const wire = encode(page);
    for (let at = 1; at < wire.length; at++) {
      const cut = wire.subarray(0, at);
      const decoded = await decodeBody(header, cut, whole);
      expect(decoded === null || (decoded.unfinished === true && decoded.truncated === 'decode'), `${at}`).toBe(true);
      expect((await decodeBody(header, cut, { limit: MIB, complete: false }))?.unfinished).toBeUndefined();
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
  ])('are one body: %s', async (_size, parts) => {
    const wire = Buffer.concat(parts.map(encode));
    expect(result(await decodeBody(header, wire, whole))).toEqual(expected(Buffer.concat(parts)));
    const behind = Buffer.concat([wire, Buffer.from('garbage')]);
    expect(result(await decodeBody(header, behind, whole))).toEqual(expected(Buffer.concat(parts)));
  });

  it('are cut at the limit wherever it stands', async () => {
    const both = Buffer.concat([one, two]);
    const wire = Buffer.concat([encode(one), encode(two), Buffer.from('garbage')]);
    for (const limit of [1, one.length - 1, one.length, one.length + 1, both.length - 1])
      expect(result(await decodeBody(header, wire, { limit, complete: true }))).toEqual(
        expected(both.subarray(0, limit), 'length'),
      );
    expect(result(await decodeBody(header, wire, { limit: both.length, complete: true }))).toEqual(expected(both));
  });

  it('are not whole where the last one is cut, and keep those before it', async () => {
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
  it('skips what it is told to skip (RFC 8878 §3.1.2)', async () => {
    const skipped = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4]);
    const wire = Buffer.concat([skipped, zlib.zstdCompressSync(text), skipped]);
    expect(result(await decodeBody('zstd', wire, whole))).toEqual(expected(text));
  });

  it('is refused with a window of more than 8 MiB (RFC 9659), which is memory for each page', async () => {
    const frame = (log: number) =>
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, (log - 10) << 3, (5 << 3) | 1, 0, 0, ...Buffer.from('hello')]);
    expect((await decodeBody('zstd', frame(23), whole))?.body.toString()).toBe('hello');
    expect(await decodeBody('zstd', frame(24), whole)).toBeNull();
  });
});

describe('damaged gzip (RFC 1952 section 2.3)', () => {
  it('with a wrong checksum keeps its text', async () => {
    const wire = zlib.gzipSync(text);
    wire.writeUInt32LE(1, wire.length - 8);
    const decoded = await decodeBody('gzip', wire, whole);
    expect(result(decoded)).toEqual(expected(text, 'decode'));
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
