/** Flags of the documents of a segment that match a part of a query: 1 if they do. */
import type { LiveBits } from '../postings/live-bits.js';
import { type Frequencies, PostingCursor } from '../postings/posting-codec.js';
import type { SegmentColumns } from '../postings/segment-columns.js';
import type { DaysLeaf } from './query-plan.js';

interface TermPostings {
  readonly postings: ReadonlyMap<string, { readonly post: Uint8Array }>;
}

export const isWithin = ({ from, to }: DaysLeaf, day: number): boolean => day >= from && day <= to;

export function flagDays(leaf: DaysLeaf, { days }: SegmentColumns, matches: Uint8Array): void {
  for (let doc = 0; doc < matches.length; doc++) if (isWithin(leaf, days[doc]!)) matches[doc] = 1;
}

export function flagTerm(term: string, segment: TermPostings, matches: Uint8Array): void {
  const cursor = termCursor(term, segment);
  while (cursor?.next()) matches[cursor.doc] = 1;
}

export function termCursor(term: string, { postings }: TermPostings): PostingCursor | undefined {
  const termPostings = postings.get(term);
  return termPostings && new PostingCursor(termPostings.post);
}

/** How often a document contains a term, by field; undefined if it does not. */
export function frequenciesIn(doc: number, term: string, segment: TermPostings): Frequencies | undefined {
  const cursor = termCursor(term, segment);
  while (cursor && cursor.doc < doc && cursor.next());
  return cursor?.doc === doc ? cursor.frequencies : undefined;
}

/** Keeps the flags that the other array has, too. */
export function keepBoth(flags: Uint8Array, other: Uint8Array): void {
  for (let doc = 0; doc < flags.length; doc++) flags[doc]! &= other[doc]!;
}

export function dropDead(matches: Uint8Array, { bytes }: LiveBits): void {
  for (let at = 0; at < bytes.length; at++) {
    // Mostly all eight documents are live.
    if (bytes[at] === 255) continue;
    for (let doc = 8 * at; doc < 8 * at + 8 && doc < matches.length; doc++) matches[doc]! &= bytes[at]! >>> (doc & 7);
  }
}
