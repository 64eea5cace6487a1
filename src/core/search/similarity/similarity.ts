/** Lucene's similarities: how a word of a query weighs in a field of a document. Formulas over statistics, called a posting at a time. */
import type { Explanation } from '../score/explanation.js';

export interface Collection {
  /** All documents, with the field or not. */
  readonly documents: number;
  /** Documents that have the field. */
  readonly docCount: number;
  /** Words of the field, of an average document that has it. */
  readonly averageLength: number;
}

/** What is weighed: a word; or the words of a phrase, which weigh what all of them do. */
export interface WeighedTerms {
  readonly field: string;
  /** As Lucene names it: `content:"tide table"`. */
  readonly label: string;
  readonly terms: readonly string[];
  readonly docFreqs: readonly number[];
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
}

export interface TermWeight {
  /** What the norm of the query is made from. */
  readonly squaredWeight: number;
  /** Without the norm of the query. */
  score(occurrence: Occurrence): number;
  /** @param doc the number of the document in its segment, which Lucene names */
  explain(occurrence: Occurrence, doc: number, queryNorm: number): Explanation;
}

export interface Similarity {
  weigh(terms: WeighedTerms, collection: Collection): TermWeight;
  /** Whether there are queryNorm and coord: factors of the query, and of how many of its clauses a document has. */
  readonly normsQueries: boolean;
}
