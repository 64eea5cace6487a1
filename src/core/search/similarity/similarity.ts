/**
 * Lucene's similarities: how a word of a query weighs in a field of a document. Pure formulas over statistics, so that they can be
 * called a posting at a time.
 */
import type { Explanation } from './explanation.js';

export interface FieldStatistics {
  /** Documents that have the field. */
  readonly docCount: number;
  /** Words of the field in all documents. */
  readonly sumTotalTermFreq: number;
}

export interface Collection {
  /** All documents, with the field or not. */
  readonly documents: number;
  readonly field: FieldStatistics;
}

/** What is weighed: a word; or the words of a phrase, which weigh what all of them do. */
export interface WeighedTerms {
  readonly docFreqs: readonly number[];
  /** As Lucene names it: `content:"tide table"`. */
  readonly label: string;
  readonly isPhrase: boolean;
  /** The word's own, times that of all brackets around it. */
  readonly boost: number;
}

/** How a document has it. */
export interface Occurrence {
  readonly freq: number;
  /** Words of the field; null: a field whose length does not count (host). */
  readonly length: number | null;
  /** The document's boost times the field's. Lucene 8 does not know it. */
  readonly boost: number;
  /** The number of the document: an explanation names it. */
  readonly doc: number;
}

export interface TermWeight {
  /** What the query's norm is made from. */
  readonly squaredWeight: number;
  score(occurrence: Occurrence, queryNorm: number): number;
  explain(occurrence: Occurrence, queryNorm: number): Explanation;
}

export interface Similarity {
  weigh(terms: WeighedTerms, collection: Collection): TermWeight;
  /** The factor that makes scores of queries comparable; 1 where there is none. */
  queryNorm(sumOfSquaredWeights: number): number;
  /** The factor for a document that has so many of the clauses; null: clauses are only added. */
  coord(matching: number, clauses: number): number | null;
}
