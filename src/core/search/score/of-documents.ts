/**
 * A segment with the postings of some documents only. To explain a score, all postings of the words of a query are read up to
 * its document: with these, once for all hits of an answer.
 */
import { DEAD, copiedPostings } from '../postings/merge-terms.js';
import type { FoundPostings, SearchedSegment } from './segment-search.js';

/** The documents keep their numbers; yields between terms, so that other requests are processed. */
export function* ofDocuments(segment: SearchedSegment, docs: readonly number[]): Generator<void, SearchedSegment> {
  const numbers = new Int32Array(segment.columns.size).fill(DEAD);
  for (const doc of docs) numbers[doc] = doc;
  const postings = new Map<string, FoundPostings>();
  for (const [term, termPostings] of segment.postings) {
    postings.set(term, copiedPostings(termPostings, numbers));
    yield;
  }
  return { ...segment, postings };
}
