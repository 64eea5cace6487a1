/** Documents in which words stand at given distances. */
import { ByteReader } from '../postings/byte-writer.js';
import { FIELDS, type Frequencies, PostingCursor, noFrequencies, readPositions } from '../postings/posting-codec.js';

/** A word of a phrase with its postings in one segment. */
export interface PhrasePostings {
  readonly post: Uint8Array;
  readonly pos: Uint8Array;
  /** Its position in the phrase. */
  readonly position: number;
}

/**
 * Calls `visit` for each document with the phrase, with how often it stands in each field.
 * @param slop positions by which each word may be moved
 */
export function eachPhrase(
  words: readonly PhrasePostings[],
  slop: number,
  visit: (doc: number, frequencies: Frequencies) => void,
): void {
  const cursors = words.map((word) => new PhraseCursor(word));
  const frequencies = noFrequencies();
  if (!cursors.every((cursor) => cursor.next())) return;
  for (;;) {
    const doc = Math.max(...cursors.map((cursor) => cursor.doc));
    if (!cursors.every((cursor) => cursor.reach(doc))) return;
    if (cursors.some((cursor) => cursor.doc !== doc)) continue;
    if (countPhrase(cursors, slop, frequencies)) visit(doc, frequencies);
    if (!cursors[0]!.next()) return;
  }
}

/** Counts the phrase in each field of the document at which all cursors are; false: it stands nowhere. */
function countPhrase(cursors: readonly PhraseCursor[], slop: number, frequencies: Frequencies): boolean {
  const positions = cursors.map((cursor) => cursor.positions());
  for (let field = 0; field < FIELDS; field++) {
    const [first, ...others] = cursors.map(({ position }, i) => ({ position, at: positions[i]![field]! }));
    const isStart = (at: number): boolean => others.every((word) => standsAt(word, at - first!.position, slop));
    frequencies[field] = first!.at.filter(isStart).length;
  }
  return frequencies.some((count) => count > 0);
}

/** Whether a word stands where the phrase that begins at `start` has it. */
function standsAt({ position, at }: { position: number; at: readonly number[] }, start: number, slop: number): boolean {
  const wanted = start + position;
  let [low, high] = [0, at.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (at[middle]! < wanted - slop) low = middle + 1;
    else high = middle;
  }
  return low < at.length && at[low]! <= wanted + slop;
}

/** Walks postings and positions together. */
class PhraseCursor {
  readonly position: number;
  private readonly cursor: PostingCursor;
  private readonly reader: ByteReader;
  /** Whether the positions of the document are behind the reader. */
  private isRead = true;

  constructor({ post, pos, position }: PhrasePostings) {
    this.cursor = new PostingCursor(post);
    this.reader = new ByteReader(pos);
    this.position = position;
  }

  get doc(): number {
    return this.cursor.doc;
  }

  next(): boolean {
    if (!this.isRead) this.reader.skip(this.cursor.positions);
    this.isRead = false;
    return this.cursor.next();
  }

  /** Goes on to the first document from `doc` on. */
  reach(doc: number): boolean {
    while (this.cursor.doc < doc) if (!this.next()) return false;
    return true;
  }

  positions(): number[][] {
    this.isRead = true;
    return readPositions(this.reader, this.cursor.frequencies);
  }
}
