/** A plan asked of all segments of an index. */
import { setImmediate as otherWork } from 'node:timers/promises';
import { TITLE, coverage } from '../core/search/score/bm25f.js';
import { FacetCounts } from '../core/search/score/facets.js';
import type { QueryPlan } from '../core/search/score/query-plan.js';
import { type Ranking, bm25fRanking } from '../core/search/score/ranking.js';
import { luceneRanking } from '../core/search/similarity/lucene-ranking.js';
import { ScratchArrays } from '../core/search/score/scratch-arrays.js';
import { type ScoredDoc, TopHits } from '../core/search/score/top-hits.js';
import type { IndexSnapshot } from './index-snapshot.js';
import type { SearchRequest } from './search-request.js';

/** Milliseconds of computing after which other work goes on. */
const SLICE_MS = 10;

/** A document with how much of its title the query is, 0 to 1. */
export interface CoveredDoc extends ScoredDoc {
  readonly covered: number;
}

export interface FoundDocs {
  readonly top: readonly CoveredDoc[];
  readonly total: number;
  readonly facets: readonly FacetCounts[];
}

/** The ranking of a plan whose terms were read. */
export async function rankingOf(
  snapshot: IndexSnapshot,
  plan: QueryPlan,
  { similarity, weights }: Pick<SearchRequest, 'similarity' | 'weights'>,
): Promise<Ranking> {
  const { statistics } = snapshot;
  const index = { statistics, weights, df: (term: string) => snapshot.df(term) };
  if (similarity === 'bm25f') return bm25fRanking(plan, index);
  const segments = snapshot.segments.map((_, at) => snapshot.searched(at));
  return inSlices(luceneRanking(similarity, plan, segments, index));
}

/** @param range how many documents, and behind which one */
export async function searchSegments(
  snapshot: IndexSnapshot,
  { plan, ranking }: { plan: QueryPlan; ranking: Ranking },
  request: Pick<SearchRequest, 'facets'>,
  { max, after }: { max: number; after?: ScoredDoc | undefined },
): Promise<FoundDocs> {
  const top = new TopHits<CoveredDoc>(max, after);
  const facets = request.facets.map((name) => new FacetCounts(name));
  const arrays = new ScratchArrays(snapshot.scratch);
  let total = 0;
  for (const [at, { state, columns }] of snapshot.segments.entries()) {
    const { matches, scores, inTitle } = await inSlices(ranking.search(snapshot.searched(at), arrays));
    for (const facet of facets) facet.add(columns, matches);
    const titles = columns.lengths[TITLE]!;
    let { threshold } = top;
    for (let doc = 0; doc < columns.size; doc++) {
      if (matches[doc] === 0) continue;
      total++;
      const score = scores[doc]!;
      if (score < threshold) continue;
      top.offer({ score, seg: state.seg, doc, covered: coverage(inTitle[doc]!, plan.words, titles[doc]!) });
      ({ threshold } = top);
    }
    arrays.release();
  }
  return { top: top.sorted(), total, facets };
}

/** Runs a computation; between its steps other work goes on from time to time. */
async function inSlices<T>(steps: Generator<void, T>): Promise<T> {
  let until = performance.now() + SLICE_MS;
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() < until) continue;
    await otherWork();
    until = performance.now() + SLICE_MS;
  }
}
