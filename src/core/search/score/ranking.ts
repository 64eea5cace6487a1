/** How the documents of an index are ranked by a query. */
import type { Explanation } from './explanation.js';
import { CONTENT } from '../postings/posting-codec.js';
import { explain } from './explain.js';
import { type NearWord, nearWords, proximities } from './proximity.js';
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
   * Searches a segment; yields between the leaves of the query, so that others may go on meanwhile.
   * @param arrays those of the answer may be of these, until they are released
   */
  search(segment: SearchedSegment, arrays: ScratchArrays): Generator<void, SegmentMatches>;
  /** Null: how near words are to each other does not count. */
  readonly proximity: ProximityRanking | null;
  /** How the score of a document that was found came about. @param isFirst whether it is one of those that `proximity` was asked of */
  explain(segment: SearchedSegment, doc: number, isFirst: boolean): Explanation;
}

/** What the first documents of a ranking gain by how near words stand to each other: the others are not read so far. */
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

const proximityRanking = (words: readonly NearWord[], { statistics }: SearchedIndex): ProximityRanking => ({
  terms: words.flatMap(({ terms }) => terms),
  *gains(segment, docs) {
    const found = yield* proximities(words, segment, statistics.averages[CONTENT]!, docs);
    return found.map((each) => each.reduce((sum, one) => sum + one, 0));
  },
});
