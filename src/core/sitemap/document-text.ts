/**
 * Turns the bytes of a sitemap into text: decompresses gzip, then decodes by the byte order mark, the header or the XML
 * declaration, else as UTF-8 (XML 1.0 appendix F, sitemaps.org). Servers send a sitemap.xml.gz as a file, so the body
 * is gzip data without a Content-Encoding header; the size of the output is bounded.
 */
import zlib from 'node:zlib';
import { byteOrderMark } from '../byte-order-mark.js';
import { decoderOf } from '../decoder.js';
import { gzipDataAt, readGzipMember } from '../gzip-member.js';
import { declaredInXml, encodingOfLabel } from '../html/charset.js';
import { parseMimeType } from '../page/mime.js';

/** A gzip file within a gzip file happens; deeper nesting is a decompression bomb. */
const MAX_LAYERS = 2;
/** Members that are read one by one where other data follows the last one. */
const MAX_MEMBERS = 1_000;

export interface UnpackedBytes {
  bytes: Uint8Array;
  /** `too-large`: over the limit, `bytes` is the beginning or empty; `coding`: gzip data that is corrupt or truncated. */
  problem: 'too-large' | 'coding' | null;
}

/** Decompresses gzip and caps the size at `limit` bytes. Never throws. */
export function unpack(content: Uint8Array, limit: number): UnpackedBytes {
  let bytes = content;
  for (let layer = 0; layer < MAX_LAYERS && isGzip(bytes); layer++) {
    const inflated = inflate(bytes, limit);
    if (inflated.problem !== null) return inflated;
    bytes = inflated.bytes;
  }
  if (isGzip(bytes)) return { bytes: new Uint8Array(), problem: 'coding' };
  return bytes.length > limit ? { bytes: bytes.subarray(0, limit), problem: 'too-large' } : { bytes, problem: null };
}

export const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 0x08;

function inflate(bytes: Uint8Array, limit: number): UnpackedBytes {
  const options = { maxOutputLength: Math.max(1, limit) };
  try {
    return { bytes: zlib.gunzipSync(bytes, options), problem: null };
  } catch (error) {
    if (isTooLarge(error)) return { bytes: new Uint8Array(), problem: 'too-large' };
  }
  const whole = wholeMembers(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), limit);
  if (whole !== null) return { bytes: whole, problem: null };
  try {
    // Decompresses truncated data as far as it goes.
    return {
      bytes: zlib.gunzipSync(bytes, { ...options, finishFlush: zlib.constants.Z_SYNC_FLUSH }),
      problem: 'coding',
    };
  } catch (error) {
    return { bytes: new Uint8Array(), problem: isTooLarge(error) ? 'too-large' : 'coding' };
  }
}

/** The concatenated members of a file with other data after the last one; null for any other file. */
function wholeMembers(bytes: Buffer, limit: number): Buffer | null {
  const bodies: Buffer[] = [];
  let left = limit;
  for (let at = 0; bodies.length < MAX_MEMBERS;) {
    const data = gzipDataAt(bytes, at);
    if (data === null) return bodies.length === 0 ? null : Buffer.concat(bodies);
    const member = data < bytes.length ? readGzipMember(bytes, data, left) : null;
    if (member === null) return null;
    bodies.push(member.body);
    left -= member.body.length;
    at = member.end;
  }
  return null;
}

const isTooLarge = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';

/** Decodes a document; bytes that are invalid in its encoding become U+FFFD, the byte order mark is removed. */
export function decodeDocument(bytes: Uint8Array, contentType: string | null): string {
  return decoderOf(encodingOf(bytes, contentType)).decode(bytes);
}

function encodingOf(bytes: Uint8Array, contentType: string | null): string {
  const byBom = byteOrderMark(bytes);
  if (byBom !== null) return byBom;
  // The `<` of a document without a byte order mark.
  const [first, second] = bytes;
  if (first === 0 && second === 0x3c) return 'utf-16be';
  if (first === 0x3c && second === 0) return 'utf-16le';
  const header = contentType === null ? undefined : parseMimeType(contentType)?.parameters.get('charset');
  return encodingOfLabel(header ?? '') ?? declaredInXml(bytes) ?? 'utf-8';
}
