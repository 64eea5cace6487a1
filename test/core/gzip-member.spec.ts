import { crc32, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { gzipDataAt, readGzipMember } from '../../src/core/gzip-member.js';

/** Members of gzip files, RFC 1952 §2.3; fields of the header in the order of §2.3.1. */

const CONTENT = 'the content of the file';
const [CRC, EXTRA, NAME, COMMENT] = [2, 4, 8, 16];

/** The member of a content with fields in its header, as `gzip` (NAME), `bgzip` (EXTRA) and others write them. */
function member(flags: number): Buffer {
  const plain = gzipSync(CONTENT);
  const head = Buffer.from(plain.subarray(0, 10));
  head[3] = flags;
  const fields = [
    flags & EXTRA ? Buffer.from([6, 0, 0x42, 0x43, 2, 0, 0, 0]) : Buffer.alloc(0),
    Buffer.from(flags & NAME ? 'sitemap.xml\0' : ''),
    Buffer.from(flags & COMMENT ? 'made by hand\0' : ''),
  ];
  const written = Buffer.concat([head, ...fields]);
  const checksum = Buffer.alloc(2);
  checksum.writeUInt16LE(crc32(written) & 0xffff);
  return Buffer.concat([written, flags & CRC ? checksum : Buffer.alloc(0), plain.subarray(10)]);
}

describe('a member of a gzip file', () => {
  it.each([
    ['without further fields', 0],
    ['with the name of its file', NAME],
    ['with an extra field', EXTRA],
    ['with a comment', COMMENT],
    ['with a checksum of its header', CRC],
    ['with all of them', EXTRA | NAME | COMMENT | CRC],
  ])('%s is read to its end, whatever follows', (_, flags) => {
    const wire = member(flags);
    const data = gzipDataAt(Buffer.concat([wire, Buffer.from('\n')]), 0);
    const read = readGzipMember(Buffer.concat([wire, Buffer.from('\n')]), data!, 1_000);
    expect([read?.body.toString(), read?.end]).toEqual([CONTENT, wire.length]);
  });

  it('that is cut in its header has no data, wherever it is cut', () => {
    const wire = member(EXTRA | NAME | COMMENT | CRC);
    const header = gzipDataAt(wire, 0)!;
    for (let length = 3; length < header; length++)
      expect([length, gzipDataAt(wire.subarray(0, length), 0)! >= length]).toEqual([length, true]);
  });

  it('that is cut, or damaged in its data or its trailer, is not read', () => {
    const wire = member(NAME);
    const data = gzipDataAt(wire, 0)!;
    for (let length = data; length < wire.length; length++)
      expect(readGzipMember(wire.subarray(0, length), data, 1_000)).toBeNull();
    const damaged = Buffer.from(wire);
    damaged[wire.length - 8]! ^= 1;
    expect(readGzipMember(damaged, data, 1_000)).toBeNull();
  });

  it('that is longer than allowed is not read', () => {
    const wire = member(0);
    expect(readGzipMember(wire, 10, CONTENT.length)?.body.length).toBe(CONTENT.length);
    expect(readGzipMember(wire, 10, CONTENT.length - 1)).toBeNull();
    expect(readGzipMember(gzipSync(''), 10, 0)?.body.length).toBe(0);
  });

  it('begins with its magic number and method', () => {
    expect(gzipDataAt(Buffer.from('plain text'), 0)).toBeNull();
    expect(gzipDataAt(Buffer.from([0x1f, 0x8b]), 0)).toBeNull();
  });
});
