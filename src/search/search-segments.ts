/** Runs a query plan on all segments of an index. */
import { inTimeSlices } from './time-slices.js';
import { NOT_SAME, TITLE, coverage } from '../core/search/score/bm25f.js';
import { FacetCounts } from '../core/search/score/facets.js';
import type { QueryPlan } from '../core/search/score/query-plan.js';
import { type ProximityRanking, type Ranking, bm25fRanking } from '../core/search/score/ranking.js';
import { KNOWN_TITLE } from '../core/search/score/ranking-numbers.js';
import { luceneRanking } from '../core/search/similarity/lucene-ranking.js';
import { type SegmentMatches, scoreOf } from '../core/search/score/segment-search.js';
import { FlagScan, ScratchArrays } from '../core/search/score/scratch-arrays.js';
import { type ScoredDoc, TopHits } from '../core/search/score/top-hits.js';
import type { IndexSnapshot } from './index-snapshot.js';
import type { SearchRequest } from '../core/search/search-request.js';

/** Number of documents, the best by their words alone, that are ranked by proximity: their positions are read. */
const FIRST = 100;
export interface CoveredDoc extends ScoredDoc {
  /** Coverage of its title by the query, 0 to 1; 1 if a part of the title equals the query. */
  readonly covered: number;
  /** The factor by which the scores of its words were multiplied. */
  readonly factor: number;
  /** Whether it is one of the FIRST, whose scores include proximity. */
  readonly isFirst: boolean;
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
  { similarity, weights, bm25 }: Pick<SearchRequest, 'similarity' | 'weights' | 'bm25'>,
): Promise<Ranking> {
  const { statistics } = snapshot;
  const index = { statistics, weights, bm25, df: (term: string) => snapshot.df(term) };
  if (similarity === 'bm25f') return bm25fRanking(plan, index);
  const segments = snapshot.segments.map((_, at) => snapshot.searched(at));
  return inTimeSlices(luceneRanking(similarity, plan, segments, index));
}

/** @param range maximum of documents, and the document after which they begin */
export async function searchSegments(
  snapshot: IndexSnapshot,
  { plan, ranking }: { plan: QueryPlan; ranking: Ranking },
  request: Pick<SearchRequest, 'facets'>,
  { max, after }: { max: number; after?: ScoredDoc | undefined },
): Promise<FoundDocs> {
  const { proximity } = ranking;
  // Proximity changes the order of the first documents, which stay the first ones; behind a document of an earlier page, any
  // number of them may be missing.
  const collected = after === undefined ? Math.max(max, FIRST) : max + FIRST;
  const top = new TopHits<CoveredDoc>(proximity === null ? max : collected, after);
  const first = proximity === null || after === undefined ? top : new TopHits<CoveredDoc>(FIRST);
  const facets = request.facets.map((name) => new FacetCounts(name));
  const arrays = new ScratchArrays(snapshot.scratch);
  let total = 0;
  for (const [at, { state, columns }] of snapshot.segments.entries()) {
    const segmentMatches = await inTimeSlices(ranking.search(snapshot.searched(at), arrays));
    for (const facet of facets) await inTimeSlices(facet.add(columns, segmentMatches.matches));
    const titles = columns.lengths[TITLE]!;
    total += offerMatches(segmentMatches, new Set([top, first]), (doc, score) => {
      const isTitle = (segmentMatches.sameTitles?.[doc] ?? NOT_SAME) !== NOT_SAME;
      const covered = isTitle ? 1 : coverage(segmentMatches.inTitle[doc]!, plan.words, titles[doc]!);
      return { score, seg: state.seg, doc, covered, factor: segmentMatches.factorOf(doc), isFirst: false };
    });
    arrays.release();
  }
  const counts = { total, facets };
  const best = first.sorted().slice(0, FIRST);
  if (proximity === null || (best[0]?.covered ?? 0) >= KNOWN_TITLE)
    return { ...counts, top: top.sorted().slice(0, max) };
  const lifted = await withProximity(snapshot, proximity, best);
  const isFirst = new Set(best);
  const merged = new TopHits<CoveredDoc>(max, after);
  for (const hit of [...lifted, ...top.sorted().filter((doc) => !isFirst.has(doc))]) merged.offer(hit);
  return { ...counts, top: merged.sorted() };
}

/** Offers matches to hits; returns how many there are. In a function of its own: V8 optimizes loops of async functions late. */
function offerMatches(
  segmentMatches: SegmentMatches,
  tops: ReadonlySet<TopHits<CoveredDoc>>,
  hitOf: (doc: number, score: number) => CoveredDoc,
): number {
  const { matches, sums, inTitle, maxFactor, maxUntitled } = segmentMatches;
  const topList = [...tops];
  const lowest = (): number => Math.min(...topList.map((top) => top.threshold));
  const matching = new FlagScan(matches);
  let threshold = lowest();
  let count = 0;
  for (let doc = matching.from(0); doc < matches.length; doc = matching.from(doc + 1)) {
    count++;
    // Of equal scores the first one counts, and they come in their order.
    if (sums[doc]! * (inTitle[doc] === 0 ? maxUntitled : maxFactor) <= threshold) continue;
    const score = scoreOf(segmentMatches, doc);
    if (score <= threshold) continue;
    const hit = hitOf(doc, score);
    for (const top of topList) top.offer(hit);
    threshold = lowest();
  }
  return count;
}

/** Adds the gains by proximity to the scores of documents. */
async function withProximity(
  snapshot: IndexSnapshot,
  { terms, gains }: ProximityRanking,
  hits: readonly CoveredDoc[],
): Promise<CoveredDoc[]> {
  const bySegment = Map.groupBy(hits, ({ seg }) => seg);
  await snapshot.findNear(terms, [...bySegment.keys()]);
  const lifted: CoveredDoc[] = [];
  for (const [seg, segmentHits] of bySegment) {
    const ascending = segmentHits.toSorted((a, b) => a.doc - b.doc);
    const docs = ascending.map(({ doc }) => doc);
    const gained = await inTimeSlices(gains(snapshot.searchedOf(seg), docs));
    for (const [i, hit] of ascending.entries())
      lifted.push({ ...hit, score: hit.score + hit.factor * gained[i]!, isFirst: true });
  }
  return lifted;
}
