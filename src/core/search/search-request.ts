/** Request and result of a search in the built-in index. */
import type { ExpandMode } from './feedback.js';
import type { StoredFields } from './postings/segment-builder.js';
import type { Bm25Parameters, FieldWeights } from './score/bm25f.js';
import type { FacetName, FacetValue } from './score/facets.js';
import type { Explanation } from './score/explanation.js';
import type { SimilarityName } from './score/ranking.js';
import type { Snippet } from './snippet/snippet.js';

export interface SearchRequest {
  readonly crawl: number;
  readonly query: string;
  /** Only pages of this batch: its id, or the name of its segment. */
  readonly segment?: string;
  readonly limit: number;
  readonly after?: SearchCursor;
  readonly facets: readonly FacetName[];
  readonly weights: FieldWeights;
  readonly bm25: Bm25Parameters;
  readonly similarity: SimilarityName;
  readonly expand: ExpandMode;
  /** Near duplicates are one hit. */
  readonly collapse: boolean;
  readonly explain: boolean;
  /** Maximum of snippets per hit. */
  readonly snippets: number;
}

/** The last document of a result. */
export interface SearchCursor {
  readonly score: number;
  readonly id: string;
  /** Number of documents up to this one, duplicates included. */
  readonly rank: number;
}

/** A found document. */
export interface FoundHit extends StoredFields {
  readonly score: number;
  readonly language: string;
  readonly type: string;
  readonly host: string;
  /** Number of near duplicates of it that are not shown. */
  readonly duplicates: number;
  readonly explanation?: Explanation;
}

export interface SearchHit extends FoundHit {
  readonly titleMarks: Snippet['marks'];
  readonly snippets: readonly Snippet[];
}

export interface SearchResult {
  /** The parsed query in Lucene's syntax. */
  readonly query: string;
  readonly hits: readonly SearchHit[];
  readonly total: number;
  /** Whether `total` is exact; else it is a lower bound. */
  readonly isExact: boolean;
  readonly next: SearchCursor | null;
  readonly facets: Readonly<Partial<Record<FacetName, readonly FacetValue[]>>>;
  readonly notes: readonly string[];
  readonly didYouMean: string | null;
  /** Words added by feedback, and the reason for the decision. */
  readonly expansion: { readonly reason: string; readonly added: readonly string[] };
  readonly generation: string;
}
