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

/** @param countsTitles whether the term counts for the coverage of titles */
export function addTerm(
  post: Uint8Array,
  frequency: FieldFrequency,
  { matches, scores, inTitle }: TermTarget,
  { factor, countsTitles }: { readonly factor: number; readonly countsTitles: boolean },
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
    scores[doc]! += factor * saturated(tf, k1);
    if (countsTitles && isInTitle) inTitle[doc]!++;
  }
}
