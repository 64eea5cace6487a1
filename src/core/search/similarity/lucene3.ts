/**
 * TF-IDF as Lucene 3 computed it, with which Nutch searched (`DefaultSimilarity`):
 *
 *   score = coord · queryNorm · Σ tf · idf² · boost · norm
 *
 * coord: how many of the clauses a document has; queryNorm: 1 / √Σ (idf · boost)²; norm: the boosts of document and field, divided by
 * the root of the field's length.
 */
import { type Explanation, boostDetail, explained, javaFloat } from './explanation.js';
import type { Collection, Occurrence, Similarity, TermWeight, WeighedTerms } from './similarity.js';
import { storedNorm } from './stored-norm.js';

/** @param cutsNorms whether norms are rounded to a byte of three significant bits, as Lucene 3 kept them */
export function lucene3Similarity(cutsNorms: boolean): Similarity {
  return {
    weigh: (terms, collection) => new Lucene3Weight(terms, collection, cutsNorms),
    queryNorm: (sum) => (sum > 0 ? 1 / Math.sqrt(sum) : 1),
    coord: (matching, clauses) => matching / clauses,
  };
}

class Lucene3Weight implements TermWeight {
  readonly squaredWeight: number;
  readonly #terms: WeighedTerms;
  readonly #documents: number;
  readonly #idf: number;
  readonly #normOf: (occurrence: Occurrence) => number;

  constructor(terms: WeighedTerms, { documents }: Collection, cutsNorms: boolean) {
    this.#terms = terms;
    this.#documents = documents;
    this.#idf = terms.docFreqs.reduce((sum, docFreq) => sum + 1 + Math.log(documents / (docFreq + 1)), 0);
    this.squaredWeight = (this.#idf * terms.boost) ** 2;
    this.#normOf = ({ length, boost }) => {
      if (length === null) return 1;
      const norm = boost / Math.sqrt(length);
      return cutsNorms ? storedNorm(norm) : norm;
    };
  }

  score(occurrence: Occurrence, queryNorm: number): number {
    return this.#terms.boost * this.#idf * queryNorm * this.#fieldWeight(occurrence);
  }

  #fieldWeight(occurrence: Occurrence): number {
    return Math.sqrt(occurrence.freq) * this.#idf * this.#normOf(occurrence);
  }

  explain(occurrence: Occurrence, queryNorm: number): Explanation {
    const { label, boost, isPhrase } = this.#terms;
    const { freq, doc } = occurrence;
    const idf = explained(this.#idf, `idf(docFreq=${this.#terms.docFreqs.join(' ')}, maxDocs=${this.#documents})`);
    const queryWeight = explained(boost * this.#idf * queryNorm, `queryWeight(${label}), product of:`, [
      ...boostDetail(boost),
      idf,
      explained(queryNorm, 'queryNorm'),
    ]);
    const fieldWeight = explained(this.#fieldWeight(occurrence), `fieldWeight(${label} in ${doc}), product of:`, [
      explained(Math.sqrt(freq), `tf(${isPhrase ? 'phraseFreq' : 'termFreq'}=${javaFloat(freq)})`),
      idf,
      explained(this.#normOf(occurrence), `fieldNorm(doc=${doc})`),
    ]);
    return explained(this.score(occurrence, queryNorm), `weight(${label} in ${doc}), product of:`, [
      queryWeight,
      fieldWeight,
    ]);
  }
}
