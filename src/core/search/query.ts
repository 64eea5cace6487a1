/** A parsed query: Lucene's BooleanQuery over words, phrases, prefixes and filters. */
import type { SearchField } from './search-fields.js';

/** Filters are terms of the index without a score; `date` is a range of days. */
export type FilterName = 'site' | 'host' | 'lang' | 'type' | 'date' | 'segment';

export type QueryNode =
  | {
      readonly kind: 'word' | 'prefix' | 'phrase';
      readonly text: string;
      readonly field: SearchField | null;
      readonly boost?: number;
      /** Of a phrase: number of positions by which its words may be moved (`"a b"~2`). */
      readonly slop?: number;
    }
  | { readonly kind: 'filter'; readonly name: FilterName; readonly value: string }
  | { readonly kind: 'boolean'; readonly clauses: readonly QueryClause[]; readonly boost?: number };

/** A clause and its occurrence (Lucene `BooleanClause.Occur`). */
export interface QueryClause {
  readonly occur: 'must' | 'should' | 'must_not';
  readonly node: QueryNode;
}

export interface ParsedQuery {
  readonly root: Extract<QueryNode, { kind: 'boolean' }>;
  /** Parts of the query that were reinterpreted or ignored, as sentences for users. */
  readonly notes: readonly string[];
}
