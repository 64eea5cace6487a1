/** Finds the documents that contain a phrase, by the positions of its words. */
import { PositionCursor } from '../postings/position-cursor.js';
import { FIELDS } from '../postings/posting-codec.js';

/** A word of a phrase with its postings in one segment. */
export interface PhrasePostings {
  readonly post: Uint8Array;
  readonly pos: Uint8Array;
  /** Its position in the phrase. */
  readonly position: number;
}

/** A word of a phrase in one field of one document. */
export interface PhraseWordPositions {
  /** Its position in the phrase. */
  readonly offset: number;
  /** Its positions in the field, in ascending order. */
  readonly positions: readonly number[];
}

/** Returns the frequency of a phrase in a field. */
export type PhraseCount = (words: readonly PhraseWordPositions[], slop: number) => number;

/**
 * Calls `visit` for each document with the phrase, with its frequency in each field.
 * @param slop positions by which each word may be moved
 */
export function eachPhrase(
  words: readonly PhrasePostings[],
  slop: number,
  visit: (doc: number, frequencies: Float64Array) => void,
  countIn: PhraseCount = occurrencesWithin,
): void {
  const cursors = words.map((word) => new PositionCursor(word));
  const frequencies = new Float64Array(FIELDS);
  if (!cursors.every((cursor) => cursor.next())) return;
  for (;;) {
    const doc = Math.max(...cursors.map((cursor) => cursor.doc));
    if (!cursors.every((cursor) => cursor.reach(doc))) return;
    if (cursors.some((cursor) => cursor.doc !== doc)) continue;
    const positions = cursors.map((cursor) => cursor.positions());
    for (let field = 0; field < FIELDS; field++) {
      const found = words.map(({ position }, i) => ({ offset: position, positions: positions[i]![field]! }));
      frequencies[field] = countIn(found, slop);
    }
    if (frequencies.some((count) => count > 0)) visit(doc, frequencies);
    if (!cursors[0]!.next()) return;
  }
}

/** Number of positions of the first word for which each other word is within `slop` of its position in the phrase. */
function occurrencesWithin([first, ...others]: readonly PhraseWordPositions[], slop: number): number {
  const isStart = (at: number): boolean => others.every((word) => standsAt(word, at - first!.offset, slop));
  return first!.positions.filter(isStart).length;
}

/** Whether a word is within `slop` of its position in the phrase that begins at `start`. */
function standsAt({ offset, positions }: PhraseWordPositions, start: number, slop: number): boolean {
  const wanted = start + offset;
  let [low, high] = [0, positions.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (positions[middle]! < wanted - slop) low = middle + 1;
    else high = middle;
  }
  return low < positions.length && positions[low]! <= wanted + slop;
}
