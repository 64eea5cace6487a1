/** Lucene's similarities: the weight of a query word in a field of a document. Formulas over statistics, called per posting. */
import type { Explanation } from '../score/explanation.js';

export interface Collection {
  /** All documents, with the field or not. */
  readonly documents: number;
  /** Documents that have the field. */
  readonly docCount: number;
  /** Average number of words of the field in documents that have it. */
  readonly averageLength: number;
}

/** A word, or the words of a phrase, whose weight is the sum of theirs. */
export interface WeighedTerms {
  readonly field: string;
  /** Name as in Lucene: `content:"tide table"`. */
  readonly label: string;
  readonly terms: readonly string[];
  readonly docFreqs: readonly number[];
  readonly isPhrase: boolean;
  /** The boost of the word times those of all brackets around it. */
  readonly boost: number;
}

/** Its occurrence in a document. */
export interface Occurrence {
  readonly freq: number;
  /** Words of the field; null: a field whose length does not count (host). */
  readonly length: number | null;
  /** The document's boost times the field's. Not used by Lucene 8. */
  readonly boost: number;
}

export interface TermWeight {
  /** Its contribution to the sum for the query norm. */
  readonly squaredWeight: number;
  /** Without the norm of the query. */
  score(occurrence: Occurrence): number;
  /** @param doc the number of the document in its segment, which Lucene names */
  explain(occurrence: Occurrence, doc: number, queryNorm: number): Explanation;
}

export interface Similarity {
  weigh(terms: WeighedTerms, collection: Collection): TermWeight;
  /**
   * Whether scores include queryNorm and coord: factors for the query, and for the share of its clauses that a document
   * matches.
   */
  readonly normsQueries: boolean;
}
