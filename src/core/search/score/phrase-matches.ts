/** Finds the documents that contain a phrase, by the positions of its words. */
import { PositionCursor } from '../postings/position-cursor.js';
import { FIELDS } from '../postings/posting-codec.js';
import type { PhraseWord } from './query-plan.js';
import { type PhraseWordPositions, eachSloppyMatch } from './sloppy-matches.js';

/** A word of a phrase with its postings in one segment. */
export interface PhrasePostings {
  readonly post: Uint8Array;
  readonly pos: Uint8Array;
  /** Its position in the phrase. */
  readonly position: number;
}

/** The postings of the words of a phrase in a segment; null if it lacks one of them. */
export function postingsOfPhrase(
  { postings }: { readonly postings: ReadonlyMap<string, Omit<PhrasePostings, 'position'>> },
  words: readonly PhraseWord[],
): PhrasePostings[] | null {
  const phrasePostings = words.flatMap(({ term, position }) => {
    const wordPostings = postings.get(term);
    return wordPostings ? [{ ...wordPostings, position }] : [];
  });
  return phrasePostings.length < words.length ? null : phrasePostings;
}

/** Returns the frequency of a phrase in a field. */
export type PhraseCount = (words: readonly PhraseWordPositions[], slop: number) => number;

/** Called for each document with the phrase, with its frequency in each field. */
type VisitPhrase = (doc: number, frequencies: Float64Array) => void;

/** Candidates that are compared between two pauses: some milliseconds. */
const DOCS_AT_ONCE = 512;

/**
 * Calls `visit` for each document with the phrase; yields now and then, so that other requests are processed.
 * @param slop positions by which each word may be moved
 */
export function* eachPhrase(
  words: readonly PhrasePostings[],
  slop: number,
  visit: VisitPhrase,
  countIn: PhraseCount = occurrencesWithin,
): Generator<void, void> {
  const search = new PhraseSearch(words, visit, (positions) => countIn(positions, slop));
  while (search.advance(DOCS_AT_ONCE)) yield;
}

/** The frequency of a phrase in each field of a document; undefined if it is not there. */
export function phraseIn(
  words: readonly PhrasePostings[],
  slop: number,
  target: number,
  countIn?: PhraseCount,
): number[] | undefined {
  let frequenciesInTarget: number[] | undefined;
  const visit = (doc: number, frequencies: Float64Array): void => {
    if (doc === target) frequenciesInTarget = [...frequencies];
  };
  const steps = eachPhrase(words, slop, visit, countIn);
  while (steps.next().done !== true);
  return frequenciesInTarget;
}

/** In functions of its own: V8 optimizes loops in generators late. */
class PhraseSearch {
  private readonly cursors: readonly PositionCursor[];
  private readonly frequencies = new Float64Array(FIELDS);
  private isOver: boolean;

  constructor(
    private readonly words: readonly PhrasePostings[],
    private readonly visit: VisitPhrase,
    private readonly countIn: (words: readonly PhraseWordPositions[]) => number,
  ) {
    this.cursors = words.map((word) => new PositionCursor(word));
    this.isOver = !this.cursors.every((cursor) => cursor.next());
  }

  /** Compares the next documents that may have the phrase. @returns whether there are more */
  advance(candidates: number): boolean {
    const { cursors } = this;
    for (let left = candidates; left > 0 && !this.isOver; left--) {
      const doc = Math.max(...cursors.map((cursor) => cursor.doc));
      if (!cursors.every((cursor) => cursor.reach(doc))) this.isOver = true;
      else if (cursors.every((cursor) => cursor.doc === doc)) {
        this.compare(doc);
        this.isOver = !cursors[0]!.next();
      }
    }
    return !this.isOver;
  }

  private compare(doc: number): void {
    const { cursors, frequencies, words } = this;
    const positions = cursors.map((cursor) => cursor.positions());
    for (let field = 0; field < FIELDS; field++)
      frequencies[field] = this.countIn(
        words.map(({ position }, i) => ({ offset: position, positions: positions[i]![field]! })),
      );
    if (frequencies.some((count) => count > 0)) this.visit(doc, frequencies);
  }
}

/** How often the words are at most `slop` positions apart from where the phrase has them. */
function occurrencesWithin(words: readonly PhraseWordPositions[], slop: number): number {
  return slop === 0 || words.length < 3 ? startsWithin(words, slop) : sloppyMatches(words, slop);
}

function sloppyMatches(words: readonly PhraseWordPositions[], slop: number): number {
  let count = 0;
  eachSloppyMatch(words, (distance) => {
    if (distance <= slop) count++;
  });
  return count;
}

/** Of up to two words, or without slop: positions of the first word for which each other word is within `slop` of its own. */
function startsWithin([first, ...others]: readonly PhraseWordPositions[], slop: number): number {
  const isStart = (at: number): boolean => others.every((word) => standsAt(word, at - first!.offset, slop));
  return first!.positions.filter(isStart).length;
}

/** Whether a word is within `slop` of its position in the phrase that begins at `start`. */
function standsAt({ offset, positions }: PhraseWordPositions, start: number, slop: number): boolean {
  const position = start + offset;
  let [low, high] = [0, positions.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (positions[middle]! < position - slop) low = middle + 1;
    else high = middle;
  }
  return low < positions.length && positions[low]! <= position + slop;
}
