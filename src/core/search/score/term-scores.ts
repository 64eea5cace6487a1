/**
 * Scores of the documents of a term, straight from its bytes: most of the time of a query is spent here. What it computes is what
 * PostingCursor and FieldFrequency do, in the same order, so that sums are equal to the last bit; a spec compares them.
 */
import { ByteReader } from '../postings/byte-writer.js';
import { CONTENT } from '../postings/posting-codec.js';
import { type FieldFrequency, TITLE, contentTf, saturated } from './bm25f.js';

/** Bits of the fields but the content. */
const OTHER_FIELDS = (1 << CONTENT) - 1;

/** By document: what a leaf of the query adds to. */
export interface TermTarget {
  readonly matches: Uint8Array;
  readonly scores: Float32Array;
  readonly inTitle: Uint8Array;
}

/** @param countsTitles whether the term is a word of the query of which titles are covered */
export function addTerm(
  post: Uint8Array,
  frequency: FieldFrequency,
  { matches, scores, inTitle }: TermTarget,
  { factor, countsTitles }: { readonly factor: number; readonly countsTitles: boolean },
): void {
  const reader = new ByteReader(post);
  const { end } = reader;
  const { ofContent } = frequency;
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
    // Fields may weigh nothing.
    if (tf === 0) continue;
    matches[doc] = 1;
    scores[doc]! += factor * saturated(tf);
    if (countsTitles && isInTitle) inTitle[doc]!++;
  }
}
