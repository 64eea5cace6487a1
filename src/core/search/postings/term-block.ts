/**
 * Blocks of terms: a few neighbours in the order of their bytes share a row of the table, as a row for each of the many terms that
 * stand in one document only would be larger than its postings.
 *
 * A block: varint number of terms; for each term varint bytes shared with the one before, varint bytes of its own and these, varint
 * df, varint bytes in `post`, varint bytes in `pos`; then the postings of all. Their positions lie one after the other in `pos`.
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

/** What a block says of one of its terms: where its bytes are. */
export interface TermPlace {
  readonly df: number;
  readonly post: Uint8Array;
  readonly pos: { readonly from: number; readonly to: number };
}

/** Bytes of a block that still lie in the row itself; a term with more than the second number has a block of its own. */
const MAX_BLOCK = 1_800;
const MAX_SMALL = 1_200;

/** Gathers terms, given in the order of their bytes, into blocks. */
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

  /** What is left. */
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
    for (const part of [this.head, this.posts, this.positions]) part.clear();
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

/** The term of a block, as bytes in UTF-8; undefined where it is not there. Terms before it are passed over without being put together. */
export function findTerm(block: Uint8Array, term: Uint8Array): TermPlace | undefined {
  const reader = new ByteReader(block);
  const count = reader.varint();
  let equal = 0;
  let found: { df: number; post: number; postSize: number; pos: number; posSize: number } | undefined;
  let [post, pos] = [0, 0];
  let isBehind = false;
  for (let i = 0; i < count && reader.at < reader.end; i++) {
    const shared = reader.varint();
    const size = reader.varint();
    const from = reader.at;
    reader.at += size;
    const [df, postSize, posSize] = [reader.varint(), reader.varint(), reader.varint()];
    if (!isBehind && !found && shared <= equal) {
      equal = shared + sharedPrefix(block.subarray(from, from + size), term.subarray(shared));
      const isWhole = equal === shared + size;
      if (isWhole && equal === term.length) found = { df, post, postSize, pos, posSize };
      else isBehind = !isWhole && (equal === term.length || block[from + equal - shared]! > term[equal]!);
    }
    post += postSize;
    pos += posSize;
  }
  if (!found) return undefined;
  const start = reader.at + found.post;
  return {
    df: found.df,
    post: block.subarray(start, start + found.postSize),
    pos: { from: found.pos, to: found.pos + found.posSize },
  };
}

/** All terms of a block, with their places. */
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
