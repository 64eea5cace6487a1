/**
 * Answers queries from the built-in index (docs/search.md): parses the query, plans its terms in the languages of the index, reads
 * their postings, ranks documents by segment, adds feedback terms, collapses near duplicates, and reads snippets of the hits.
 * All segments are read in one snapshot; those that are cached need no transaction, as long as the index has not changed.
 */
import type { Pool } from 'pg';
import { FEEDBACK_HITS } from '../core/search/feedback.js';
import type { StoredFields } from '../core/search/postings/segment-builder.js';
import type { SegmentColumns } from '../core/search/postings/segment-columns.js';
import type { Fingerprint } from '../core/search/collapse-hits.js';
import { describeQuery } from '../core/search/query/describe-query.js';
import { emptyFieldNotes, unweightedFieldNotes } from '../core/search/query/empty-fields.js';
import { parseQuery } from '../core/search/query/parse-query.js';
import { likelyFirst } from '../core/search/query/query-language.js';
import { withinSegment } from '../core/search/query/within-segment.js';
import type { ParsedQuery } from '../core/search/query.js';
import type { Explanation } from '../core/search/score/explanation.js';
import { hasTitleWeight } from '../core/search/score/bm25f.js';
import { ofDocuments } from '../core/search/score/of-documents.js';
import { type ResultPage, resultPage } from '../core/search/result-page.js';
import { nearTerms } from '../core/search/score/proximity.js';
import { type PrefixLeaf, type QueryPlan, leavesOf, planQuery, termsOfLeaf } from '../core/search/score/query-plan.js';
import type { Ranking } from '../core/search/score/ranking.js';
import { KNOWN_TITLE } from '../core/search/score/ranking-numbers.js';
import type { SearchedSegment } from '../core/search/score/segment-search.js';
import type { ScoredDoc } from '../core/search/score/top-hits.js';
import { highlightedTitle } from '../core/search/snippet/snippet.js';
import { ONE_INSTANT, type Sql, transaction } from '../db/sql.js';
import { type QueryExpansion, expanded } from './expansion.js';
import { IndexCache } from './index-cache.js';
import { IndexChanged, IndexSnapshot } from './index-snapshot.js';
import type { FoundHit, SearchCursor, SearchRequest, SearchResult } from '../core/search/search-request.js';
import { inTimeSlices } from './time-slices.js';
import { type CoveredDoc, type FoundDocs, rankingOf, searchSegments } from './search-segments.js';
import { docAddresses, docKey } from './segment-writing.sql.js';
import { queryHighlights, snippetsOf } from './snippets.js';
import { didYouMean } from './spelling.js';

/** Maximum of languages by whose rules a query is analyzed: more than there are stemmers. */
const MAX_LANGUAGES = 32;
/** Hits read in addition to twice the requested number, as some may be near duplicates; if too many are, four times as many. */
const MORE_HITS = 80;
/** Maximum of hits, those of earlier pages included, whose near duplicates are known to all pages. */
const MAX_COMPARED = 2_000;
/** Maximum of UTF-16 units of a displayed title. */
const MAX_TITLE_LENGTH = 300;
const NO_DOCUMENTS = 'The built-in index of this crawl has no documents: INDEX writes them.';

/** The documents that an answer has read, and its page of them. */
interface FoundPage {
  readonly docs: FoundDocs;
  readonly page: ResultPage<CoveredDoc>;
  /** Documents of earlier pages that were not read again. */
  readonly skipped: number;
}

interface FoundResult extends Omit<SearchResult, 'hits' | 'query'> {
  readonly plan: QueryPlan;
  readonly hits: readonly FoundHit[];
}

export class Searcher {
  private readonly cache: IndexCache;

  /** @param cacheBytes limit of memory for data read from segments */
  constructor(
    private readonly pool: Pool,
    cacheBytes: number,
  ) {
    this.cache = new IndexCache(cacheBytes);
  }

  async search(request: SearchRequest): Promise<SearchResult> {
    const written = parseQuery(request.query);
    const parsed = request.segment === undefined ? written : withinSegment(written, request.segment);
    const read = async (tx: Sql) => {
      const snapshot = await IndexSnapshot.open(tx, request.crawl, this.cache);
      return new Search(tx, snapshot, request).run(parsed);
    };
    const answer = (await this.fromCached(request, parsed)) ?? (await transaction(this.pool, read, ONE_INSTANT));
    const { plan, hits, ...result } = answer;
    // Texts are read outside the snapshot: snippets show the current text of a page.
    const highlights = queryHighlights(plan);
    const snippetOptions = { highlights, maxSnippets: request.snippets };
    const snippets = await snippetsOf(this.pool, request.crawl, hits, snippetOptions);
    return {
      ...result,
      query: describeQuery(parsed),
      hits: hits.map((hit) => {
        const title = highlightedTitle(hit.title, hit.language || null, highlights.own, MAX_TITLE_LENGTH);
        return { ...hit, title: title.text, titleMarks: title.marks, snippets: snippets.get(hit.id) ?? [] };
      }),
    };
  }

  /** With the segments of the last search, without a transaction; undefined: the index has changed since, or is not cached. */
  private async fromCached(request: SearchRequest, parsed: ParsedQuery): Promise<FoundResult | undefined> {
    const snapshot = IndexSnapshot.cached(this.pool, request.crawl, this.cache);
    try {
      return snapshot && (await new Search(this.pool, snapshot, request).run(parsed));
    } catch (error) {
      if (error instanceof IndexChanged) return undefined;
      throw error;
    }
  }
}

/** One query on one snapshot. */
class Search {
  /** Prefixes of which not all terms are searched for. */
  private readonly cutPrefixes = new Set<string>();

  constructor(
    private readonly tx: Sql,
    private readonly snapshot: IndexSnapshot,
    private readonly request: SearchRequest,
  ) {}

  async run(parsed: ParsedQuery): Promise<FoundResult> {
    const { snapshot, request } = this;
    const languages = likelyFirst(parsed, snapshot.languages(MAX_LANGUAGES));
    const mergesWords = request.similarity === 'bm25f';
    const findsTitles = mergesWords && hasTitleWeight(request.weights);
    const plan = planQuery(request.query, parsed, { languages, mergesWords, findsTitles });
    await this.read(plan);
    const expansion = await this.expansion(plan);
    const used = expansion.plan ?? plan;
    const after = request.after && (await this.docOf(request.after));
    const ranked = { plan: used, ranking: await rankingOf(snapshot, used, request) };
    const page = await this.findPage(ranked, after);
    // A query that is continued on a next page is assumed to be typed correctly.
    const isTitle = (page.docs.top[0]?.covered ?? 0) >= KNOWN_TITLE;
    const typedQuery = { text: request.query, parsed, isTitle };
    const suggested = after === undefined ? await didYouMean(snapshot, typedQuery, languages) : null;
    return this.answer(ranked, page, { parsed, expansion, suggested });
  }

  /**
   * The hits of earlier pages are ranked again, as later ones may be near duplicates of them. Behind the first MAX_COMPARED, and
   * if near duplicates are not collapsed, a page knows its own hits only.
   */
  private async findPage(ranked: { plan: QueryPlan; ranking: Ranking }, after?: ScoredDoc): Promise<FoundPage> {
    const { snapshot, request } = this;
    const { limit } = request;
    const rank = request.after?.rank ?? 0;
    const least = 2 * limit + MORE_HITS;
    const isFar = !request.collapse || rank + least > MAX_COMPARED;
    for (let max = isFar ? least : rank + least; ; max = Math.min(4 * max, MAX_COMPARED)) {
      const docs = await searchSegments(snapshot, ranked, request, { max, after: isFar ? after : undefined });
      const isAll = docs.top.length < max;
      const fingerprint = request.collapse ? this.fingerprintOf : noFingerprint;
      const page = resultPage(docs.top, fingerprint, { limit, after, isAll });
      if (page.shown.length === limit || isAll || isFar || max === MAX_COMPARED)
        return { docs, page, skipped: isFar ? rank : 0 };
    }
  }

  private readonly fingerprintOf = ({ seg, doc }: ScoredDoc): Fingerprint => {
    const { simhashes } = columnsOf(this.snapshot, seg);
    return [simhashes[2 * doc]!, simhashes[2 * doc + 1]!];
  };

  /** Reads the postings and positions that the plan uses. */
  private async read(plan: QueryPlan): Promise<void> {
    const { snapshot, request } = this;
    const { root, title } = plan;
    const leaves = leavesOf(root);
    for (const leaf of leaves) if (leaf.kind === 'prefix') await this.findPrefix(leaf);
    const near = request.similarity === 'bm25f' ? nearTerms(plan) : [];
    await snapshot.find([...leaves.flatMap(termsOfLeaf), ...(title === null ? [] : [title])], near);
    await snapshot.findPositions(leaves.filter(({ kind }) => kind === 'phrase').flatMap(termsOfLeaf));
  }

  private async findPrefix({ prefixes, terms }: PrefixLeaf): Promise<void> {
    const ofPrefix = await this.snapshot.findPrefixes(prefixes);
    terms.push(...ofPrefix.terms);
    if (!ofPrefix.areAll) this.cutPrefixes.add(prefixes[0]!);
  }

  private async expansion(plan: QueryPlan): Promise<QueryExpansion> {
    const { tx: db, snapshot, request } = this;
    const first = async () => {
      const ranking = await rankingOf(snapshot, plan, request);
      const { top } = await searchSegments(snapshot, { plan, ranking }, { facets: [] }, { max: FEEDBACK_HITS });
      const stored = await snapshot.stored(top);
      return top.map((doc, i) => ({ ...hitOf(snapshot, doc, stored[i]!), covered: doc.covered }));
    };
    return expanded({ db, crawl: request.crawl, snapshot, plan }, request.expand, first);
  }

  /** The document of a cursor, in the order of hits. If it was removed since, hits with the same score are repeated. */
  private async docOf({ score, id }: SearchCursor): Promise<ScoredDoc> {
    const [address] = await docAddresses(this.tx, this.request.crawl, [docKey(id)]);
    const isKnown = this.snapshot.segments.some(({ state }) => state.seg === address?.seg);
    return { score, seg: isKnown ? address!.seg : -1, doc: isKnown ? address!.doc : -1 };
  }

  private async answer(
    { plan, ranking }: { plan: QueryPlan; ranking: Ranking },
    { docs: { top, total, facets }, page, skipped }: FoundPage,
    { parsed, expansion, suggested }: { parsed: ParsedQuery; expansion: QueryExpansion; suggested: string | null },
  ): Promise<FoundResult> {
    const { snapshot, request } = this;
    const last = page.isLast ? undefined : top[page.end - 1];
    const docs = page.shown.map(({ hit }) => hit);
    const stored = await snapshot.stored(last ? [...docs, last] : docs);
    const explanations = request.explain ? await this.explained(ranking, docs) : undefined;
    const hits = page.shown.map(({ hit: doc, near }, i) => ({
      ...hitOf(snapshot, doc, stored[i]!),
      duplicates: near.length,
      ...(explanations && { explanation: explanations.get(doc)! }),
    }));
    const empty =
      snapshot.segments.length === 0 ? [NO_DOCUMENTS] : emptyFieldNotes(parsed, (field) => snapshot.isEmpty(field));
    // With Lucene's similarities a word that names its field counts by its own boost alone.
    const unweighted = request.similarity === 'bm25f' ? unweightedFieldNotes(parsed, request.weights) : [];
    const leftOut = [
      ...[...snapshot.leftOut].map((term) => `"${term}" occurs in too many documents and was left out.`),
      ...[...this.cutPrefixes].map(
        (prefix) => `Of the words that begin with "${prefix}" only the most frequent were searched for.`,
      ),
    ];
    return {
      plan,
      hits,
      total,
      isExact: snapshot.leftOut.size + this.cutPrefixes.size === 0,
      next: last ? { score: last.score, id: stored.at(-1)!.id, rank: skipped + page.end } : null,
      facets: Object.fromEntries(facets.map((facet) => [facet.name, facet.values])),
      notes: [...empty, ...unweighted, ...plan.notes, ...leftOut],
      didYouMean: suggested,
      expansion: { reason: expansion.verdict.reason, added: expansion.added },
      generation: snapshot.generation,
    };
  }

  private async explained(ranking: Ranking, docs: readonly CoveredDoc[]): Promise<Map<CoveredDoc, Explanation>> {
    const explanations = new Map<CoveredDoc, Explanation>();
    const explainAll = function* (segment: SearchedSegment, segmentDocs: readonly CoveredDoc[]): Generator<void> {
      for (const doc of segmentDocs) {
        explanations.set(doc, ranking.explain(segment, doc.doc, doc.isFirst));
        yield;
      }
    };
    for (const [seg, segmentDocs] of Map.groupBy(docs, (doc) => doc.seg)) {
      const numbers = segmentDocs.map(({ doc }) => doc);
      const segment = await inTimeSlices(ofDocuments(this.snapshot.searchedOf(seg), numbers));
      await inTimeSlices(explainAll(segment, segmentDocs));
    }
    return explanations;
  }
}

const noFingerprint = (): Fingerprint => [0, 0];

const columnsOf = (snapshot: IndexSnapshot, segment: number): SegmentColumns =>
  snapshot.segments.find(({ state: { seg } }) => seg === segment)!.columns;

function hitOf(snapshot: IndexSnapshot, { score, seg, doc }: ScoredDoc, stored: StoredFields): FoundHit {
  const { languages, types, hosts } = columnsOf(snapshot, seg);
  return {
    ...stored,
    score,
    language: languages.values[languages.byDoc[doc]!]!,
    type: types.values[types.byDoc[doc]!]!,
    host: hosts.values[hosts.byDoc[doc]!]!,
    duplicates: 0,
  };
}
