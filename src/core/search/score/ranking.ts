/** How the documents of an index are ranked by a query. */
import type { Explanation } from './explanation.js';
import { explain } from './explain.js';
import type { QueryPlan } from './query-plan.js';
import { type SearchedIndex, type SearchedSegment, type SegmentMatches, searchSegment } from './segment-search.js';

export const similarities = ['bm25f', 'bm25', 'classic'] as const;
export type SimilarityName = (typeof similarities)[number];

export interface Ranking {
  /** Searches a segment; yields between the leaves of the query, so that others may go on meanwhile. */
  search(segment: SearchedSegment): Generator<void, SegmentMatches>;
  /** How the score of a document that was found came about. */
  explain(segment: SearchedSegment, doc: number): Explanation;
}

export const bm25fRanking = (plan: QueryPlan, index: SearchedIndex): Ranking => ({
  search: (segment) => searchSegment(plan, segment, index),
  explain: (segment, doc) => explain(plan, segment, index, doc),
});
