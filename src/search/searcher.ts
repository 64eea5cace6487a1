/** Answers queries from the built-in index (docs/search.md). */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { FieldWeights } from '../core/search/score/bm25f.js';
import type { Explanation } from '../core/search/similarity/explanation.js';
import { explain } from '../core/search/score/explain.js';
import { FacetCounts, type FacetName, type FacetValue } from '../core/search/score/facets.js';
import { type QueryPlan, leavesOf, planQuery, termsOfLeaf } from '../core/search/score/query-plan.js';
import { type SearchedIndex, searchSegment } from '../core/search/score/segment-search.js';
import { collapsed } from '../core/search/score/near-hits.js';
import { type ScoredDoc, TopHits } from '../core/search/score/top-hits.js';
import { parseQuery } from '../core/search/query/parse-query.js';
import type { StoredFields } from '../core/search/postings/segment-builder.js';
import { type Sql, sql, transaction } from '../db/sql.js';
import { type Fragment, highlight } from '../core/search/snippet/snippet.js';
import type { SegmentColumns } from '../core/search/postings/segment-columns.js';
import { markedWords, snippetsOf } from './snippets.js';
import { IndexCache } from './index-cache.js';
import { IndexSnapshot } from './index-snapshot.js';
import { docKey, placesOf } from './segment-writing.sql.js';

export interface SearchRequest {
  readonly crawl: number;
  readonly query: string;
  readonly limit: number;
  readonly after?: SearchCursor;
  readonly facets: readonly FacetName[];
  readonly weights: FieldWeights;
  readonly explain?: boolean;
  /** Fragments of the text that each hit shows, at most. */
  readonly snippets?: number;
}

/** The last document of an answer. */
export interface SearchCursor {
  readonly score: number;
  readonly id: string;
}

export interface SearchHit extends StoredFields {
  readonly score: number;
  readonly language: string;
  readonly type: string;
  readonly host: string;
  readonly explanation?: Explanation;
  /** Hits that are nearly the same page, and are not shown. */
  readonly duplicates: number;
  readonly titleMarks: Fragment['marks'];
  readonly snippets: readonly Fragment[];
}

export interface SearchResult {
  readonly hits: readonly SearchHit[];
  readonly total: number;
  /** Whether `total` is exact; else there are at least so many. */
  readonly isExact: boolean;
  readonly next: SearchCursor | null;
  readonly facets: Readonly<Partial<Record<FacetName, readonly FacetValue[]>>>;
  readonly notes: readonly string[];
  readonly generation: string;
}

type FoundHit = Omit<SearchHit, 'duplicates' | 'titleMarks' | 'snippets'>;

interface FoundResult extends Omit<SearchResult, 'hits'> {
  readonly plan: QueryPlan;
  readonly hits: readonly (FoundHit & Pick<SearchHit, 'duplicates'>)[];
}

/** Languages in whose ways the words of a query are read. */
const MAX_LANGUAGES = 4;
/** Hits beyond twice those that are asked for, as some may be near duplicates of others. */
const MORE_HITS = 20;
/** UTF-16 units of a title that are shown. */
const MAX_TITLE = 300;
/** Milliseconds of computing after which others go on. */
const SLICE_MS = 10;

export class Searcher {
  private readonly cache: IndexCache;

  /** @param cacheBytes memory for what was read of segments */
  constructor(
    private readonly pool: Pool,
    cacheBytes: number,
  ) {
    this.cache = new IndexCache(cacheBytes);
  }

  async search(request: SearchRequest): Promise<SearchResult> {
    const { plan, ...result } = await this.found(request);
    const words = markedWords(plan);
    const snippets = await snippetsOf(this.pool, request.crawl, result.hits, {
      words,
      maxFragments: request.snippets ?? 0,
    });
    const hits = result.hits.map((hit) => ({
      ...hit,
      titleMarks: highlight(hit.title, hit.language || null, words, MAX_TITLE).marks,
      snippets: snippets.get(hit.id) ?? [],
    }));
    return { ...result, hits };
  }

  private found(request: SearchRequest): Promise<FoundResult> {
    return transaction(this.pool, async (tx) => {
      await tx.query(sql`set transaction isolation level repeatable read read only`);
      const snapshot = await IndexSnapshot.open(tx, request.crawl, this.cache);
      const plan = planQuery(parseQuery(request.query), snapshot.languages(MAX_LANGUAGES));
      await findAll(snapshot, plan);
      const after = request.after && (await placeOf(tx, request.crawl, request.after));
      const found = await searchAll(snapshot, plan, request, after);
      return this.answer(snapshot, plan, request, found);
    });
  }

  private async answer(
    snapshot: IndexSnapshot,
    plan: QueryPlan,
    request: SearchRequest,
    { top, total, facets }: FoundDocs,
  ): Promise<FoundResult> {
    const { kept, taken } = collapsed(
      top.map((doc) => ({ ...doc, simhash: simhashOf(snapshot, doc) })),
      request.limit,
    );
    const last = top[taken - 1];
    const docs = kept.map(({ hit }) => hit);
    const stored = await snapshot.stored(last ? [...docs, last] : docs);
    const index = indexOf(snapshot, request);
    const hits = kept.map(({ hit: doc, duplicates }, i) => ({
      ...hitOf(snapshot, doc, stored[i]!),
      duplicates,
      ...(request.explain && { explanation: explain(plan, snapshot.searchedOf(doc.seg), index, doc.doc) }),
    }));
    const leftOut = [...snapshot.leftOut].map((term) => `"${term}" stands in too many documents and was left out.`);
    return {
      plan,
      hits,
      total,
      isExact: snapshot.leftOut.size === 0,
      next: last && taken < top.length ? { score: last.score, id: stored.at(-1)!.id } : null,
      facets: Object.fromEntries(facets.map((facet) => [facet.name, facet.values])),
      notes: [...plan.notes, ...leftOut],
      generation: snapshot.generation,
    };
  }
}

/** Reads all that the plan asks for. */
async function findAll(snapshot: IndexSnapshot, { root }: QueryPlan): Promise<void> {
  const leaves = leavesOf(root);
  for (const leaf of leaves) if (leaf.kind === 'prefix') leaf.terms.push(...(await snapshot.findPrefix(leaf.prefix)));
  await snapshot.find(leaves.flatMap(termsOfLeaf));
  await snapshot.findPositions(leaves.filter(({ kind }) => kind === 'phrase').flatMap(termsOfLeaf));
}

/** The document of a cursor in the order of hits. One that has left the index since: equal scores are shown again. */
async function placeOf(tx: Sql, crawl: number, { score, id }: SearchCursor): Promise<ScoredDoc> {
  const [place] = await placesOf(tx, crawl, [docKey(id)]);
  return { score, seg: place?.seg ?? -1, doc: place?.doc ?? -1 };
}

interface FoundDocs {
  /** More than was asked for: some may be nearly the same. */
  readonly top: readonly ScoredDoc[];
  readonly total: number;
  readonly facets: readonly FacetCounts[];
}

async function searchAll(
  snapshot: IndexSnapshot,
  plan: QueryPlan,
  request: SearchRequest,
  after: ScoredDoc | undefined,
): Promise<FoundDocs> {
  const top = new TopHits(2 * request.limit + MORE_HITS, after);
  const facets = request.facets.map((name) => new FacetCounts(name));
  const index = indexOf(snapshot, request);
  let total = 0;
  for (const [at, { state, columns }] of snapshot.segments.entries()) {
    const { matches, scores } = await inSlices(searchSegment(plan, snapshot.searched(at), index));
    for (const facet of facets) facet.add(columns, matches);
    for (let doc = 0; doc < columns.size; doc++) {
      if (matches[doc] === 0) continue;
      total++;
      if (scores[doc]! >= top.threshold) top.offer({ score: scores[doc]!, seg: state.seg, doc });
    }
  }
  return { top: top.sorted(), total, facets };
}

const indexOf = (snapshot: IndexSnapshot, { weights }: SearchRequest): SearchedIndex => ({
  statistics: snapshot.statistics,
  weights,
  df: (term) => snapshot.df(term),
});

/** Runs a computation; between its steps others go on from time to time. */
async function inSlices<T>(steps: Generator<void, T>): Promise<T> {
  let until = performance.now() + SLICE_MS;
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() < until) continue;
    await nextTurn();
    until = performance.now() + SLICE_MS;
  }
}

function simhashOf(snapshot: IndexSnapshot, { seg, doc }: ScoredDoc): readonly [number, number] {
  const { simhashes } = columnsOf(snapshot, seg);
  return [simhashes[2 * doc]!, simhashes[2 * doc + 1]!];
}

const columnsOf = (snapshot: IndexSnapshot, wanted: number): SegmentColumns =>
  snapshot.segments.find(({ state: { seg } }) => seg === wanted)!.columns;

function hitOf(snapshot: IndexSnapshot, { score, seg, doc }: ScoredDoc, stored: StoredFields): FoundHit {
  const columns = columnsOf(snapshot, seg);
  const { languages, types, hosts } = columns;
  return {
    ...stored,
    score,
    language: languages.values[languages.of[doc]!]!,
    type: types.values[types.of[doc]!]!,
    host: hosts.values[hosts.of[doc]!]!,
  };
}
