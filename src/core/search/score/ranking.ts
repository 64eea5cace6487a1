/** How the documents of an index are ranked by a query. */
import type { Explanation } from './explanation.js';
import { explain } from './explain.js';
import type { QueryPlan } from './query-plan.js';
import type { ScratchArrays } from './scratch-arrays.js';
import { type SearchedIndex, type SearchedSegment, type SegmentMatches, searchSegment } from './segment-search.js';

export const similarities = ['bm25f', 'bm25', 'classic'] as const;
export type SimilarityName = (typeof similarities)[number];

export interface Ranking {
  /**
   * Searches a segment; yields between the leaves of the query, so that others may go on meanwhile.
   * @param arrays those of the answer may be of these, until they are released
   */
  search(segment: SearchedSegment, arrays: ScratchArrays): Generator<void, SegmentMatches>;
  /** How the score of a document that was found came about. */
  explain(segment: SearchedSegment, doc: number): Explanation;
}

export const bm25fRanking = (plan: QueryPlan, index: SearchedIndex): Ranking => ({
  search: (segment, arrays) => searchSegment(plan, segment, index, arrays),
  explain: (segment, doc) => explain(plan, segment, index, doc),
});
