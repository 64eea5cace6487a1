/** A query of words and brackets, scored for one document after the other as Lucene's BooleanQuery, with an explanation. */
import { type Explanation, explained } from './explanation.js';
import type { Collection, Occurrence, Similarity, TermWeight } from './similarity.js';

/** A word, a phrase, or a prefix, in one field. */
export interface QueryLeaf {
  readonly kind: 'leaf';
  readonly field: string;
  /** The words that it weighs by; a prefix has none: it scores 1 times its boost. */
  readonly terms: readonly string[];
  /** As Lucene writes it: `content:"tide table"`, `content:light*`. */
  readonly label: string;
  readonly boost: number;
}

export interface QueryBoolean {
  readonly kind: 'boolean';
  readonly clauses: readonly { readonly occur: 'must' | 'should' | 'must_not'; readonly query: ScoredQuery }[];
  readonly boost: number;
}

export type ScoredQuery = QueryLeaf | QueryBoolean;

export interface CollectionStatistics {
  collectionOf(field: string): Collection;
  /** Documents that have a word in a field. */
  docFreq(field: string, term: string): number;
}

/** What one document has of a leaf; null: nothing. */
export type Occurrences = (leaf: QueryLeaf) => Occurrence | null;

/** A query weighed: made once, asked for each document. */
export class QueryScorer {
  readonly #root: WeighedQuery;
  readonly #queryNorm: number;

  constructor(query: ScoredQuery, statistics: CollectionStatistics, similarity: Similarity) {
    this.#root = weighed(query, 1, { statistics, similarity });
    this.#queryNorm = similarity.queryNorm(this.#root.squaredWeight);
  }

  /** null: the document does not match. */
  score(occurrences: Occurrences): number | null {
    return this.#root.score(occurrences, this.#queryNorm);
  }

  explain(occurrences: Occurrences): Explanation | null {
    return this.#root.explain(occurrences, this.#queryNorm);
  }
}

interface WeighedQuery {
  readonly squaredWeight: number;
  score(occurrences: Occurrences, queryNorm: number): number | null;
  explain(occurrences: Occurrences, queryNorm: number): Explanation | null;
}

interface Weighing {
  readonly statistics: CollectionStatistics;
  readonly similarity: Similarity;
}

/** @param boost that of the brackets around it */
function weighed(query: ScoredQuery, boost: number, weighing: Weighing): WeighedQuery {
  if (query.kind === 'boolean') return new WeighedBoolean(query, boost, weighing);
  const boosted = { ...query, boost: query.boost * boost };
  return query.terms.length === 0 ? new ConstantLeaf(boosted, weighing) : new WeighedLeaf(boosted, weighing);
}

class WeighedLeaf implements WeighedQuery {
  readonly squaredWeight: number;
  readonly #leaf: QueryLeaf;
  readonly #weight: TermWeight;

  constructor(leaf: QueryLeaf, { statistics, similarity }: Weighing) {
    const { field, terms, label, boost } = leaf;
    const docFreqs = terms.map((term) => statistics.docFreq(field, term));
    const isPhrase = terms.length > 1;
    this.#leaf = leaf;
    this.#weight = similarity.weigh({ docFreqs, label, isPhrase, boost }, statistics.collectionOf(field));
    this.squaredWeight = this.#weight.squaredWeight;
  }

  score(occurrences: Occurrences, queryNorm: number): number | null {
    const occurrence = occurrences(this.#leaf);
    return occurrence && this.#weight.score(occurrence, queryNorm);
  }

  explain(occurrences: Occurrences, queryNorm: number): Explanation | null {
    const occurrence = occurrences(this.#leaf);
    return occurrence && this.#weight.explain(occurrence, queryNorm);
  }
}

/** A prefix: all its words count the same, whatever the similarity. */
class ConstantLeaf implements WeighedQuery {
  readonly squaredWeight: number;
  readonly #leaf: QueryLeaf;

  constructor(leaf: QueryLeaf, { similarity }: Weighing) {
    this.#leaf = leaf;
    this.squaredWeight = similarity.coord(1, 1) === null ? 0 : leaf.boost ** 2;
  }

  score(occurrences: Occurrences, queryNorm: number): number | null {
    return occurrences(this.#leaf) && this.#leaf.boost * queryNorm;
  }

  explain(occurrences: Occurrences, queryNorm: number): Explanation | null {
    const value = this.score(occurrences, queryNorm);
    return value === null ? null : explained(value, `${this.#leaf.label}${value === 1 ? '' : `^${value}`}`);
  }
}

class WeighedBoolean implements WeighedQuery {
  readonly squaredWeight: number;
  readonly #clauses: readonly { readonly occur: string; readonly query: WeighedQuery }[];
  readonly #similarity: Similarity;

  constructor({ clauses, boost: own }: QueryBoolean, boost: number, weighing: Weighing) {
    this.#similarity = weighing.similarity;
    this.#clauses = clauses.map(({ occur, query }) => ({ occur, query: weighed(query, boost * own, weighing) }));
    const scoring = this.#clauses.filter(({ occur }) => occur !== 'must_not');
    this.squaredWeight = scoring.reduce((sum, { query }) => sum + query.squaredWeight, 0);
  }

  score(occurrences: Occurrences, queryNorm: number): number | null {
    const found = this.#matching((query) => query.score(occurrences, queryNorm));
    if (found === null) return null;
    return found.reduce((sum, score) => sum + score, 0) * (this.#coord(found.length) ?? 1);
  }

  explain(occurrences: Occurrences, queryNorm: number): Explanation | null {
    const found = this.#matching((query) => query.explain(occurrences, queryNorm));
    if (found === null) return null;
    const sum = explained(
      found.reduce((all, { value }) => all + value, 0),
      'sum of:',
      found,
    );
    const coord = this.#coord(found.length);
    if (coord === null || coord === 1) return sum;
    const factor = explained(coord, `coord(${found.length}/${this.#scoringClauses})`);
    return explained(sum.value * coord, 'product of:', [sum, factor]);
  }

  get #scoringClauses(): number {
    return this.#clauses.filter(({ occur }) => occur !== 'must_not').length;
  }

  #coord(matching: number): number | null {
    return this.#similarity.coord(matching, this.#scoringClauses);
  }

  /** What the clauses that match come to; null where the document does not match as a whole. */
  #matching<Found>(found: (query: WeighedQuery) => Found | null): Found[] | null {
    const matching: Found[] = [];
    let hasMust = false;
    for (const { occur, query } of this.#clauses) {
      const one = found(query);
      if (occur === 'must_not' ? one !== null : occur === 'must' && one === null) return null;
      hasMust ||= occur === 'must';
      if (occur !== 'must_not' && one !== null) matching.push(one);
    }
    return hasMust || matching.length > 0 ? matching : null;
  }
}
