/**
 * Scores the documents of a term directly from its bytes: most of the time of a query is spent here. It computes the same as
 * PostingCursor and FieldFrequency, in the same order, so that sums are equal to the last bit; a spec compares them.
 */
import { ByteReader } from '../postings/byte-writer.js';
import { CONTENT } from '../postings/posting-codec.js';
import { type FieldFrequency, TITLE, contentTf, saturated } from './bm25f.js';

/** Bits of all fields except the content. */
const OTHER_FIELDS = (1 << CONTENT) - 1;

/** Arrays by document to which a leaf of the query adds. */
export interface TermTarget {
  readonly matches: Uint8Array;
  readonly scores: Float32Array;
  readonly inTitle: Uint8Array;
}

/** What documents have of the terms of a word that were added before: all terms of a word count as one. */
export interface EarlierTerms {
  readonly tfs: Float32Array;
  /** 1: it is in the title. */
  readonly titles: Uint8Array;
}

/** How a term of a word counts. */
export interface CountedTerm {
  readonly factor: number;
  /** Whether it counts for the coverage of titles. */
  readonly countsTitles: boolean;
  /** Undefined: the word has no other term. */
  readonly earlier?: EarlierTerms | undefined;
}

/** What a term adds to the score of a document, besides the factor. */
export function addedScore(tf: number, doc: number, k1: number, earlier: EarlierTerms | undefined): number {
  if (earlier === undefined) return saturated(tf, k1);
  const before = earlier.tfs[doc]!;
  earlier.tfs[doc] = before + tf;
  return saturated(before + tf, k1) - (before === 0 ? 0 : saturated(before, k1));
}

/** Counts a word of the title of a document once, whatever terms of it are there. */
export function countInTitle(inTitle: Uint8Array, doc: number, earlier: EarlierTerms | undefined): void {
  if (earlier?.titles[doc] === 1) return;
  if (earlier) earlier.titles[doc] = 1;
  inTitle[doc]!++;
}

export function addTerm(
  post: Uint8Array,
  frequency: FieldFrequency,
  { matches, scores, inTitle }: TermTarget,
  { factor, countsTitles, earlier }: CountedTerm,
): void {
  const reader = new ByteReader(post);
  const { end } = reader;
  const { ofContent, k1 } = frequency;
  let doc = -1;
  let at = 0;
  while (at < end) {
    let head = post[at++]!;
    if (head > 127) {
      reader.at = at - 1;
      head = reader.varint();
      at = reader.at;
    }
    doc += (head >>> 1) + 1;
    let content = 2;
    if ((head & 1) === 0) {
      content = post[at++] ?? 0;
      if (content > 127) {
        reader.at = at - 1;
        content = reader.varint();
        at = reader.at;
      }
    }
    let tf = 0;
    let isInTitle = false;
    if ((content & 1) === 1) {
      reader.at = at;
      const others = reader.varint() & OTHER_FIELDS;
      for (let bits = others; bits !== 0; bits &= bits - 1)
        tf += frequency.ofField(31 - Math.clz32(bits & -bits), reader.varint(), doc);
      isInTitle = ((others >>> TITLE) & 1) === 1;
      at = reader.at;
    }
    if (content > 1)
      tf += ofContent ? contentTf(ofContent, content >>> 1, doc) : frequency.ofField(CONTENT, content >>> 1, doc);
    // The weight of a field may be 0.
    if (tf === 0) continue;
    matches[doc] = 1;
    scores[doc]! += factor * addedScore(tf, doc, k1, earlier);
    if (countsTitles && isInTitle) countInTitle(inTitle, doc, earlier);
  }
}
