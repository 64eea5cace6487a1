/**
 * TF-IDF as in Lucene 3, which Nutch used for search (`DefaultSimilarity`):
 *
 *   score = coord · queryNorm · Σ tf · idf² · boost · norm        tf = √freq, idf = 1 + ln(N / (df + 1))
 *
 * coord: share of the clauses that a document matches; queryNorm: 1 / √Σ (idf · boost)²; norm: the boosts of document and field,
 * divided by the square root of the field's length.
 */
import { type Explanation, explained } from '../score/explanation.js';
import { javaFloat } from '../../java-float.js';
import { boostDetail } from './lucene-words.js';
import type { Collection, Occurrence, Similarity, TermWeight, WeighedTerms } from './similarity.js';
import { storedNorm } from './stored-norm.js';

export const classicSimilarity: Similarity = {
  weigh: (terms, collection) => new ClassicWeight(terms, collection),
  normsQueries: true,
};

class ClassicWeight implements TermWeight {
  readonly squaredWeight: number;
  readonly #terms: WeighedTerms;
  readonly #documents: number;
  readonly #idf: number;

  constructor(terms: WeighedTerms, { documents }: Collection) {
    this.#terms = terms;
    this.#documents = documents;
    this.#idf = terms.docFreqs.reduce((sum, docFreq) => sum + 1 + Math.log(documents / (docFreq + 1)), 0);
    this.squaredWeight = (this.#idf * terms.boost) ** 2;
  }

  score(occurrence: Occurrence): number {
    return this.#terms.boost * this.#idf * this.#fieldWeight(occurrence);
  }

  #fieldWeight(occurrence: Occurrence): number {
    return Math.sqrt(occurrence.freq) * this.#idf * normOf(occurrence);
  }

  explain(occurrence: Occurrence, doc: number, queryNorm: number): Explanation {
    const { boost, field, label } = this.#terms;
    const idf = explained(this.#idf, this.#describeIdf());
    const queryWeight = explained(boost * this.#idf * queryNorm, `queryWeight(${label}), product of:`, [
      ...boostDetail(boost),
      idf,
      explained(queryNorm, 'queryNorm'),
    ]);
    const fieldWeight = explained(this.#fieldWeight(occurrence), `fieldWeight(${label} in ${doc}), product of:`, [
      explained(Math.sqrt(occurrence.freq), this.#describeTf(occurrence.freq)),
      idf,
      explained(normOf(occurrence), `fieldNorm(field=${field}, doc=${doc})`),
    ]);
    const value = this.score(occurrence) * queryNorm;
    return explained(value, `weight(${label} in ${doc}), product of:`, [queryWeight, fieldWeight]);
  }

  #describeTf(freq: number): string {
    return this.#terms.isPhrase ? `tf(phraseFreq=${javaFloat(freq)})` : `tf(termFreq(${this.#terms.label})=${freq})`;
  }

  #describeIdf(): string {
    const { docFreqs, terms, field, isPhrase } = this.#terms;
    if (!isPhrase) return `idf(docFreq=${docFreqs[0]}, maxDocs=${this.#documents})`;
    return `idf(${field}: ${terms.map((term, at) => `${term}=${docFreqs[at]}`).join(' ')})`;
  }
}

/** Rounded to a byte with three significant bits, as stored by Lucene 3. */
const normOf = ({ length, boost }: Occurrence): number => (length === null ? 1 : storedNorm(boost / Math.sqrt(length)));
