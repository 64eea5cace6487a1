/**
 * Content codings (RFC 9110 §8.4): gzip, deflate, br, zstd, at most two in a chain.
 *
 * The output is limited, so a decompression bomb costs no more than the limit. The usual page is decoded by one synchronous
 * call, without a thread change. If that call fails because the output is too large or the data damaged, the bytes pass through
 * a stream in chunks, which keeps the output before the limit or the damage: half a page is better than none.
 */
import zlib from 'node:zlib';
import { BodyBuffer } from '../core/http/body-buffer.js';
import { wholeMembers, ZSTD_WINDOW } from './coded-members.js';

export interface Decoded {
  readonly body: Buffer;
  /** `length`: the limit was reached; `decode`: the data ends early or is damaged, `body` is the output before that. */
  readonly truncated: false | 'length' | 'decode';
  /** The transfer is complete, but the coded data ends early: the server sent only a part. */
  readonly unfinished?: true;
}

export interface DecodeOptions {
  /** Maximum of decoded bytes kept. */
  readonly limit: number;
  /** False if the transfer was cut: then coded data that ends early is not damaged. */
  readonly complete: boolean;
}

/** The value of Accept-Encoding: the codings that this file decodes. */
export const ACCEPT_ENCODING = 'gzip, deflate, br, zstd';

/** Longest chain that is decoded: servers compress once, some proxies twice, only bombs more often. */
const MAX_CODINGS = 2;
/** Larger outputs are decoded off the main thread. */
const SYNC_LIMIT = 2 * 1024 * 1024;

/**
 * Decodes a body by its Content-Encoding header ('' for none). Tokens that are not registered codings (`utf-8`, `none`: some
 * servers send them) are skipped.
 * @returns null if the body cannot be decoded at all: too many codings, an unsupported one, or no output.
 */
export async function decodeBody(header: string, wire: Buffer, options: DecodeOptions): Promise<Decoded | null> {
  const codings = codingsOf(header);
  if (codings === null) return null;
  if (wire.length === 0) return { body: wire, truncated: false };
  let current: Decoded = { body: wire, truncated: false };
  for (const coding of codings.reverse()) {
    const complete = options.complete && current.truncated === false;
    const next = await decodeOne(coding, current.body, { limit: options.limit, complete });
    if (next.truncated === 'decode' && next.body.length === 0) return null;
    const unfinished = next.unfinished || current.unfinished;
    current = { body: next.body, truncated: next.truncated || current.truncated, ...(unfinished && { unfinished }) };
  }
  return current;
}

type Coding = 'gzip' | 'deflate' | 'br' | 'zstd';

const KNOWN = new Map<string, Coding | 'unsupported'>([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
  ['zstd', 'zstd'],
  ['compress', 'unsupported'],
  ['x-compress', 'unsupported'],
  ['dcb', 'unsupported'],
  ['dcz', 'unsupported'],
  ['exi', 'unsupported'],
  ['aes128gcm', 'unsupported'],
]);

/** The codings in the order they were applied; null if there are too many or one is unsupported. */
function codingsOf(header: string): Coding[] | null {
  const codings: Coding[] = [];
  for (const token of header.toLowerCase().split(',')) {
    const coding = KNOWN.get(token.trim());
    if (coding === 'unsupported') return null;
    if (coding !== undefined) codings.push(coding);
    if (codings.length > MAX_CODINGS) return null;
  }
  return codings;
}

async function decodeOne(coding: Coding, wire: Buffer, options: DecodeOptions): Promise<Decoded> {
  // Node's zstd decoder returns only the first frame, without an error for the others.
  if (coding === 'zstd') return decodeMembers(coding, wire, options);
  const codec = codecs[coding === 'deflate' && !hasZlibHeader(wire) ? 'raw' : coding];
  try {
    const ending = options.complete ? {} : { finishFlush: codec.flush };
    const maxOutputLength = Math.min(options.limit, SYNC_LIMIT);
    return { body: codec.all(wire, { maxOutputLength, ...ending }), truncated: false };
  } catch {
    return coding === 'gzip' ? decodeMembers(coding, wire, options) : salvaged(codec, wire, options);
  }
}

/** Decodes the complete members of a body, and as much as possible of the member after them. */
async function decodeMembers(coding: 'gzip' | 'zstd', wire: Buffer, options: DecodeOptions): Promise<Decoded> {
  const { limit, complete } = options;
  let members = await wholeMembers(coding, wire, { max: Math.min(limit, SYNC_LIMIT), apart: false });
  if (members.rest === 'member' && limit > SYNC_LIMIT)
    members = await wholeMembers(coding, wire, { max: limit, apart: true });
  const { body, count, end, rest } = members;
  if (count > 0 && rest === 'foreign') return { body, truncated: false };
  // Garbage that looks like a header, or a member without data: the page may be incomplete.
  if (count > 0 && rest === 'head') return { body, truncated: complete && 'decode' };
  const last = await salvaged(codecs[coding], wire.subarray(end), { limit: limit - body.length, complete });
  return body.length === 0 ? last : { ...last, body: Buffer.concat([body, last.body]) };
}

/**
 * Decodes up to the limit, the damage or the end. The output of the chunk that contains the damage is lost, so that chunk is
 * decoded again in smaller chunks, down to single bytes.
 */
async function salvaged(codec: Codec, wire: Buffer, { limit, complete }: DecodeOptions): Promise<Decoded> {
  const ending = complete ? {} : { finishFlush: codec.flush };
  const chunkSize = Math.max(64, wire.length >> 8);
  let fine = { from: wire.length, chunkSize };
  for (;;) {
    const { body, end, at } = await decodeInChunks(codec.stream(ending), wire, { chunkSize, limit, fine });
    if (end === 'damaged' && fine.chunkSize > 1) fine = { from: at, chunkSize: Math.max(1, fine.chunkSize >> 6) };
    else if (end === 'unfinished') return { body, truncated: 'decode', unfinished: true };
    else if (end === 'damaged') return { body, truncated: 'decode' };
    else return { body, truncated: end === 'length' ? 'length' : false };
  }
}

/** "deflate" is zlib by the standard, often raw in practice (RFC 9110 §8.4.1.2); a zlib header is two bytes with a check. */
function hasZlibHeader(wire: Buffer): boolean {
  return wire.length >= 2 && ((wire[0] ?? 0) & 15) === 8 && wire.readUInt16BE(0) % 31 === 0;
}

interface Codec {
  readonly all: (wire: Buffer, options: { maxOutputLength: number; finishFlush?: number }) => Buffer;
  readonly stream: (options: { finishFlush?: number }) => zlib.Gunzip | zlib.BrotliDecompress | zlib.ZstdDecompress;
  /** The flush mode that returns the available output without requiring the end of the data. */
  readonly flush: number;
}

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush } = zlib.constants;
const codecs: Record<Coding | 'raw', Codec> = {
  gzip: { all: zlib.gunzipSync, stream: zlib.createGunzip, flush: Z_SYNC_FLUSH },
  deflate: { all: zlib.inflateSync, stream: zlib.createInflate, flush: Z_SYNC_FLUSH },
  raw: { all: zlib.inflateRawSync, stream: zlib.createInflateRaw, flush: Z_SYNC_FLUSH },
  br: { all: zlib.brotliDecompressSync, stream: zlib.createBrotliDecompress, flush: BROTLI_OPERATION_FLUSH },
  zstd: {
    all: zlib.zstdDecompressSync,
    stream: (options) => zlib.createZstdDecompress({ ...options, params: ZSTD_WINDOW }),
    flush: ZSTD_e_flush,
  },
};

/** Result of a pass over the bytes. */
interface Pass {
  readonly body: Buffer;
  readonly end: 'whole' | 'length' | 'damaged' | 'unfinished';
  /** Start of the chunk in which it ended. */
  readonly at: number;
}

/** @param options.fine offset from which chunks are smaller, and their size */
function decodeInChunks(
  stream: ReturnType<Codec['stream']>,
  wire: Buffer,
  { chunkSize, limit, fine }: { chunkSize: number; limit: number; fine: { from: number; chunkSize: number } },
): Promise<Pass> {
  const out = new BodyBuffer(limit);
  let at = 0;
  return new Promise((resolve) => {
    const settle = (end: Pass['end']) => {
      stream.destroy();
      resolve({ body: out.toBuffer(), end, at });
    };
    stream.on('data', (chunk: Buffer) => {
      if (!stream.destroyed && out.push(chunk)) settle('length');
    });
    stream.on('end', () => settle('whole'));
    stream.on('error', (error: NodeJS.ErrnoException) => {
      settle(error.code === 'Z_BUF_ERROR' ? 'unfinished' : 'damaged');
    });
    const feed = (from: number) => {
      if (stream.destroyed) return;
      at = from;
      if (from >= wire.length) return void stream.end();
      const end = from < fine.from ? Math.min(from + chunkSize, fine.from) : from + fine.chunkSize;
      stream.write(wire.subarray(from, end), () => feed(end));
    };
    feed(0);
  });
}
