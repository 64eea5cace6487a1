/**
 * From the bytes of a sitemap to its text: gzip undone, then the encoding that the byte order mark, the header or the
 * XML declaration names, else UTF-8, as XML 1.0 (appendix F) and sitemaps.org have it. Servers give a sitemap.xml.gz as a file, so
 * the coding is inside of the body and not named in a header; the output is bounded whatever the bytes say.
 */
import zlib from 'node:zlib';
import { decoderOf } from '../decoder.js';
import { gzipDataAt, readGzipMember } from '../gzip-member.js';
import { declaredInXml, encodingOfLabel } from '../html/charset.js';
import { parseMimeType } from '../page/mime.js';

/** A gzip file inside of a gzip file happens; more is a bomb. */
const MAX_LAYERS = 2;
/** Members that are read one by one, where something else stands behind them. */
const MAX_MEMBERS = 1_000;

export interface UnpackedBytes {
  bytes: Uint8Array;
  /** `too-large`: over the limit, `bytes` is its beginning or empty; `coding`: gzip data that is damaged or cut off. */
  problem: 'too-large' | 'coding' | null;
}

/** Undoes gzip and caps the size at `limit` bytes. Never throws. */
export function unpack(given: Uint8Array, limit: number): UnpackedBytes {
  let bytes = given;
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
    // What came before the end that is missing.
    return {
      bytes: zlib.gunzipSync(bytes, { ...options, finishFlush: zlib.constants.Z_SYNC_FLUSH }),
      problem: 'coding',
    };
  } catch (error) {
    return { bytes: new Uint8Array(), problem: isTooLarge(error) ? 'too-large' : 'coding' };
  }
}

/** The members of a file that has something else behind its last one; null for any other. */
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

/** Decodes a document; bytes that are wrong in its encoding become U+FFFD, the byte order mark is removed. */
export function textOf(bytes: Uint8Array, contentType: string | null): string {
  return decoderOf(encodingOf(bytes, contentType)).decode(bytes);
}

function encodingOf(bytes: Uint8Array, contentType: string | null): string {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  // The byte order mark, or the `<` of a document that has none.
  if ((a === 0xfe && b === 0xff) || (a === 0 && b === 0x3c)) return 'utf-16be';
  if ((a === 0xff && b === 0xfe) || (a === 0x3c && b === 0)) return 'utf-16le';
  const header = contentType === null ? undefined : parseMimeType(contentType)?.parameters.get('charset');
  return encodingOfLabel(header ?? '') ?? declaredInXml(bytes) ?? 'utf-8';
}
