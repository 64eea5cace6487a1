/**
 * Blocks of terms: a few consecutive terms in the order of their bytes share a row of the table, as most terms occur in one
 * document only, and a row for each would be larger than its postings.
 *
 * A block: varint number of terms; for each term varint bytes shared with the previous one, varint bytes of its own and these,
 * varint df, varint bytes in `post`, varint bytes in `pos`; then the postings of all. Their positions follow each other in `pos`.
 */
import { ByteReader, ByteWriter } from './byte-writer.js';

/** Postings of one term in one segment. */
export interface TermPostings {
  readonly term: string;
  /** Documents with it, dead ones included. */
  readonly df: number;
  readonly post: Uint8Array;
  readonly pos: Uint8Array;
}

export interface TermBlock {
  /** The first term of the block. */
  readonly term: string;
  readonly post: Uint8Array;
  readonly pos: Uint8Array;
}

/** Entry of a term in a block: its postings, and the byte range of its positions. */
export interface TermPlace {
  readonly df: number;
  readonly post: Uint8Array;
  readonly pos: { readonly from: number; readonly to: number };
}

/** Size up to which a block is stored in the row itself; a term with more bytes than the second number has a block of its own. */
const MAX_BLOCK = 1_800;
const MAX_SMALL = 1_200;

/** Packs terms, given in the order of their bytes, into blocks. */
export class BlockPacker {
  private readonly head = new ByteWriter(4_096);
  private readonly posts = new ByteWriter(4_096);
  private readonly positions = new ByteWriter(8_192);
  private first = '';
  private last: Buffer = Buffer.alloc(0);
  private count = 0;

  /** Adds a term; returns the blocks that are full now. */
  add({ term, df, post, pos }: TermPostings): TermBlock[] {
    const full: TermBlock[] = [];
    const isLarge = post.length > MAX_SMALL;
    if (this.count > 0 && (isLarge || this.size + post.length + term.length > MAX_BLOCK)) full.push(this.take());
    const bytes = Buffer.from(term);
    if (this.count === 0) this.first = term;
    const shared = this.count === 0 ? 0 : sharedPrefix(this.last, bytes);
    for (const number of [shared, bytes.length - shared]) this.head.varint(number);
    this.head.append(bytes, shared);
    for (const number of [df, post.length, pos.length]) this.head.varint(number);
    this.posts.append(post);
    this.positions.append(pos);
    this.last = bytes;
    this.count++;
    if (isLarge) full.push(this.take());
    return full;
  }

  /** Returns the remaining blocks. */
  end(): TermBlock[] {
    return this.count > 0 ? [this.take()] : [];
  }

  private get size(): number {
    return this.head.length + this.posts.length;
  }

  private take(): TermBlock {
    const out = new ByteWriter(this.size + 5);
    out.varint(this.count);
    out.append(this.head.bytes, 0, this.head.length);
    out.append(this.posts.bytes, 0, this.posts.length);
    const block = { term: this.first, post: out.copy(), pos: this.positions.copy() };
    for (const writer of [this.head, this.posts, this.positions]) writer.clear();
    this.count = 0;
    return block;
  }
}

function sharedPrefix(a: Uint8Array, b: Uint8Array): number {
  const max = Math.min(a.length, b.length);
  let i = 0;
  while (i < max && a[i] === b[i]) i++;
  return i;
}

/** Finds a term, as UTF-8 bytes, in a block; undefined if it is not there. Earlier terms are skipped without decoding them. */
export function findTerm(block: Uint8Array, term: Uint8Array): TermPlace | undefined {
  const reader = new ByteReader(block);
  const count = reader.varint();
  let equal = 0;
  let entry: { df: number; post: number; postSize: number; pos: number; posSize: number } | undefined;
  let [post, pos] = [0, 0];
  let isBehind = false;
  for (let i = 0; i < count && reader.at < reader.end; i++) {
    const shared = reader.varint();
    const size = reader.varint();
    const from = reader.at;
    reader.at += size;
    const [df, postSize, posSize] = [reader.varint(), reader.varint(), reader.varint()];
    if (!isBehind && !entry && shared <= equal) {
      equal = shared + sharedPrefix(block.subarray(from, from + size), term.subarray(shared));
      const isWhole = equal === shared + size;
      if (isWhole && equal === term.length) entry = { df, post, postSize, pos, posSize };
      else isBehind = !isWhole && (equal === term.length || block[from + equal - shared]! > term[equal]!);
    }
    post += postSize;
    pos += posSize;
  }
  if (!entry) return undefined;
  const start = reader.at + entry.post;
  return {
    df: entry.df,
    post: block.subarray(start, start + entry.postSize),
    pos: { from: entry.pos, to: entry.pos + entry.posSize },
  };
}

/** All terms of a block, with their entries. */
export function* termsOf(block: Uint8Array): Generator<TermPlace & { term: string }> {
  const reader = new ByteReader(block);
  const count = reader.varint();
  const entries: { term: string; df: number; postSize: number; posSize: number }[] = [];
  let last = Buffer.alloc(0);
  for (let i = 0; i < count && reader.at < reader.end; i++) {
    const shared = reader.varint();
    const size = reader.varint();
    last = Buffer.concat([last.subarray(0, shared), block.subarray(reader.at, reader.at + size)]);
    reader.at += size;
    entries.push({
      term: last.toString(),
      df: reader.varint(),
      postSize: reader.varint(),
      posSize: reader.varint(),
    });
  }
  let { at } = reader;
  let pos = 0;
  for (const { term, df, postSize, posSize } of entries) {
    yield { term, df, post: block.subarray(at, at + postSize), pos: { from: pos, to: pos + posSize } };
    at += postSize;
    pos += posSize;
  }
}

/** Maximum of bytes of a term that are compared; UTF-8 has at most three per UTF-16 unit. */
const MAX_TERM_BYTES = 1_024;

export interface TermFilter {
  /** Prefix of terms, in UTF-8. */
  readonly prefix: Uint8Array;
  readonly minBytes: number;
  readonly maxBytes: number;
}

/** Calls `visit` for the terms of a block, or of the start of one, that a filter accepts; others are not decoded to strings. */
export function eachTerm(
  block: Uint8Array,
  { prefix, minBytes, maxBytes }: TermFilter,
  visit: (term: string, df: number) => void,
): void {
  const reader = new ByteReader(block);
  const count = reader.varint();
  const term = Buffer.allocUnsafe(MAX_TERM_BYTES);
  for (let i = 0; i < count && reader.at < reader.end; i++) {
    const shared = reader.varint();
    const size = reader.varint();
    const end = shared + size;
    for (let at = shared; at < end && at < MAX_TERM_BYTES; at++) term[at] = block[reader.at + at - shared] ?? 0;
    reader.at += size;
    const df = reader.varint();
    reader.skip(2);
    // The start of a block may end within a term.
    if (reader.at > reader.end) return;
    if (end >= minBytes && end <= maxBytes && end <= MAX_TERM_BYTES && beginsWith(term, end, prefix))
      visit(term.toString('utf8', 0, end), df);
  }
}

function beginsWith(term: Uint8Array, length: number, prefix: Uint8Array): boolean {
  if (length < prefix.length) return false;
  for (let at = 0; at < prefix.length; at++) if (term[at] !== prefix[at]) return false;
  return true;
}
