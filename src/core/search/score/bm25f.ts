/**
 * BM25F with title coverage and a prior (Robertson, Zaragoza, Taylor 2004; docs/search.md, "Ranking").
 *
 *   tf' = Σ_field w · tf / (1 − b + b · len / avg)
 *   s_w = idf · tf' · (k1 + 1) / (k1 + tf')                        idf = ln(1 + (N − df + 0.5) / (df + 0.5))^IDF_POWER
 *   s   = Σ_word weight · ((1 − A) · s_word + A · s_written)       written: the exact word, A: AS_WRITTEN
 *                                                                  plus proximity (proximity.ts)
 *   s  *= 1 + TITLE_COVERAGE · (m / words) · (m / len_title) + SAME_TITLE · [title]
 *                                                                  m: words of the query in the title; [title]: both are equal
 *                                                                  (a part equals the query: 1 + TITLE_COVERAGE + SAME_PART)
 *   s  *= 1 + PRIOR · ln(1 + boost)
 *
 * k1 and b are properties (`search.bm25.*`), the fixed numbers are in ranking-numbers.ts.
 */
import { CONTENT, FIELDS, type PostingCursor } from '../postings/posting-codec.js';
import type { SegmentColumns } from '../postings/segment-columns.js';
import { searchFields } from '../search-fields.js';
import {
  ANCHOR_B,
  IDF_POWER,
  MAX_SAME_PARTS,
  PRIOR,
  SAME_PART,
  SAME_TITLE,
  TITLE_COVERAGE,
} from './ranking-numbers.js';

/** The parameters of BM25, as in Lucene: saturation of the frequency, and normalization by the length of the field. */
export interface Bm25Parameters {
  readonly k1: number;
  readonly b: number;
}

/** The length normalization of a field. */
export const bOf = (field: number, { b }: Bm25Parameters): number => (searchFields[field] === 'anchor' ? ANCHOR_B : b);
export const TITLE = 0;

/** Weights by field, in the order of `searchFields`. */
export type FieldWeights = readonly number[];

/** Statistics of all documents of an index, including dead ones until the next merge. */
export interface IndexStatistics {
  readonly documents: number;
  /** Average number of words per document, by field. */
  readonly averages: readonly number[];
}

export function statisticsOf(segments: readonly { documents: number; sums: readonly number[] }[]): IndexStatistics {
  const documents = segments.reduce((sum, segment) => sum + segment.documents, 0);
  const averages = Array.from({ length: FIELDS }, (_, field) => {
    const sum = segments.reduce((all, { sums }) => all + (sums[field] ?? 0), 0);
    return documents === 0 || sum === 0 ? 1 : sum / documents;
  });
  return { documents, averages };
}

export const idf = (documents: number, df: number): number =>
  Math.log(1 + (documents - df + 0.5) / (df + 0.5)) ** IDF_POWER;

export const saturated = (tf: number, k1: number): number => (tf * (k1 + 1)) / (k1 + tf);

/** Share of the query's words that are in the title, times share of the title's words that are in the query: 0 to 1. */
export function coverage(matched: number, words: number, titleLength: number): number {
  if (matched === 0 || words === 0) return 0;
  const m = Math.min(matched, words);
  return (m / words) * Math.min(1, m / Math.max(1, titleLength));
}

/** Whether titles count at all. Without weight, a word in the title must not raise a score by the coverage either. */
export const hasTitleWeight = (weights: FieldWeights): boolean => weights[TITLE]! > 0;

/** Whether a title, or a part of it, is the query. */
export const NOT_SAME = 0;
export const IS_TITLE = 1;
export const IS_PART = 2;
export type SameTitle = typeof NOT_SAME | typeof IS_TITLE | typeof IS_PART;

/** @param frequencies of the query as the term of a title @param df documents with that term */
export function sameTitleOf(frequencies: ArrayLike<number>, df: number): SameTitle {
  if (frequencies[CONTENT]! > 1) return IS_TITLE;
  return df > MAX_SAME_PARTS ? NOT_SAME : IS_PART;
}

/** By `SameTitle`. */
const SAME_TITLES = [0, SAME_TITLE, SAME_PART] as const;

/** @param same whether the title equals the query (`titleTerm`), or a part of it does, which is covered as a title is */
export const titleFactor = (covered: number, same: SameTitle): number =>
  1 + TITLE_COVERAGE * (same === IS_PART ? 1 : covered) + SAME_TITLES[same];

export const priorFactor = (boost: number): number => 1 + PRIOR * Math.log1p(boost);

/** What tf' of the content is computed of. */
interface ContentFrequency {
  readonly weight: number;
  readonly intercept: number;
  readonly slope: number;
  readonly lengths: Uint16Array;
}

/** Returns the same as `FieldFrequency.ofField` of the content. */
export const contentTf = (
  { weight, intercept, slope, lengths }: ContentFrequency,
  frequency: number,
  doc: number,
): number => (weight * frequency) / (intercept + slope * lengths[doc]!);

/** Frequencies of a posting, weighted by field and length, of one segment. */
export class FieldFrequency {
  readonly k1: number;
  private readonly slopes: number[];
  private readonly intercepts: number[];
  private readonly content: ContentFrequency;

  constructor(
    private readonly columns: SegmentColumns,
    private readonly weights: FieldWeights,
    { averages }: IndexStatistics,
    bm25: Bm25Parameters,
  ) {
    this.k1 = bm25.k1;
    this.slopes = averages.map((average, field) => bOf(field, bm25) / average);
    this.intercepts = averages.map((_, field) => 1 - bOf(field, bm25));
    const lengths = columns.lengths[CONTENT]!;
    const [intercept, slope] = [this.intercepts[CONTENT]!, this.slopes[CONTENT]!];
    this.content = { weight: weights[CONTENT]!, intercept, slope, lengths };
  }

  /** tf' of one field. */
  ofField(field: number, frequency: number, doc: number): number {
    const { columns, weights, slopes, intercepts } = this;
    const norm = intercepts[field]! + slopes[field]! * columns.lengths[field]![doc]!;
    const boosts = columns.fieldBoosts[field];
    return (weights[field]! * (boosts ? boosts[doc]! : 1) * frequency) / norm;
  }

  /** For `contentTf`, of the field of most postings; undefined if documents have their own weights of it. */
  get ofContent(): ContentFrequency | undefined {
    return this.columns.fieldBoosts[CONTENT] ? undefined : this.content;
  }

  /** tf' of the document of a cursor, over all fields. */
  ofDocument({ doc, hasOthers, frequencies }: PostingCursor): number {
    if (!hasOthers) return this.ofField(CONTENT, frequencies[CONTENT]!, doc);
    let sum = 0;
    for (let field = 0; field < FIELDS; field++) {
      const frequency = frequencies[field]!;
      if (frequency > 0) sum += this.ofField(field, frequency, doc);
    }
    return sum;
  }
}
