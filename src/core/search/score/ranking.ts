/** Ranking of the documents of an index for a query. */
import type { Explanation } from './explanation.js';
import { explain } from './explain.js';
import { type NearWord, nearWords, proximities, totalGain } from './proximity.js';
import type { QueryPlan } from './query-plan.js';
import type { ScratchArrays } from './scratch-arrays.js';
import {
  type SearchedIndex,
  type SearchedSegment,
  type SegmentMatches,
  idfOf,
  searchSegment,
} from './segment-search.js';

export const similarities = ['bm25f', 'bm25', 'classic'] as const;
export type SimilarityName = (typeof similarities)[number];

export interface Ranking {
  /**
   * Searches a segment; yields between the leaves of the query, so that other requests are processed.
   * @param arrays may contain the arrays of the result, which are valid until they are released
   */
  search(segment: SearchedSegment, arrays: ScratchArrays): Generator<void, SegmentMatches>;
  /** Null: proximity does not count. */
  readonly proximity: ProximityRanking | null;
  /** Explains the score of a document that was found. @param isFirst whether the score includes `proximity` */
  explain(segment: SearchedSegment, doc: number, isFirst: boolean): Explanation;
}

/** Gains of the first documents of a ranking by the proximity of words: positions are read for these only. */
export interface ProximityRanking {
  /** Terms whose positions are read. */
  readonly terms: readonly string[];
  /** @param docs in ascending order */
  gains(segment: SearchedSegment, docs: readonly number[]): Generator<void, number[]>;
}

export function bm25fRanking(plan: QueryPlan, index: SearchedIndex): Ranking {
  const words = nearWords(plan, (terms) => idfOf(index, terms));
  return {
    search: (segment, arrays) => searchSegment(plan, segment, index, arrays),
    proximity: words.length === 0 ? null : proximityRanking(words, index),
    explain: (segment, doc, isFirst) => explain(plan, segment, index, { doc, near: isFirst ? words : [] }),
  };
}

const proximityRanking = (words: readonly NearWord[], index: SearchedIndex): ProximityRanking => ({
  terms: words.flatMap(({ terms }) => terms),
  *gains(segment, docs) {
    const gains = yield* proximities(words, segment, index, docs);
    return gains.map(totalGain);
  },
});
