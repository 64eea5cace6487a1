/** Ranking by one of Lucene's similarities. */
import type { Bm25Parameters } from '../score/bm25f.js';
import type { QueryPlan } from '../score/query-plan.js';
import type { Ranking, SimilarityName } from '../score/ranking.js';
import type { SearchedIndex, SearchedSegment } from '../score/segment-search.js';
import { bm25Similarity } from './bm25.js';
import { classicSimilarity } from './classic.js';
import { explainByLucene } from './lucene-explain.js';
import { searchByLucene } from './lucene-search.js';
import type { Similarity } from './similarity.js';
import { weighPlan } from './weighed-plan.js';

const SIMILARITIES: Readonly<Record<Exclude<SimilarityName, 'bm25f'>, (parameters: Bm25Parameters) => Similarity>> = {
  bm25: bm25Similarity,
  classic: () => classicSimilarity,
};

/** @param segments all of the index: how many documents have a word in a field is counted first */
export function* luceneRanking(
  name: keyof typeof SIMILARITIES,
  plan: QueryPlan,
  segments: readonly SearchedSegment[],
  index: SearchedIndex,
): Generator<void, Ranking> {
  const weighed = yield* weighPlan(plan, segments, { index, similarity: SIMILARITIES[name](index.bm25) });
  return {
    search: (segment) => searchByLucene(weighed, segment),
    proximity: null,
    explain: (segment, doc) => explainByLucene(weighed, segment, doc),
  };
}
