/** BM25 as Lucene 8 computes it (`BM25Similarity`): without the factor k1 + 1, with lengths rounded to a byte. */
import type { Bm25Parameters } from '../score/bm25f.js';
import { type Explanation, explained } from '../score/explanation.js';
import { javaFloat } from '../../java-float.js';
import { boostDetail } from './lucene-words.js';
import type { Collection, Occurrence, Similarity, TermWeight, WeighedTerms } from './similarity.js';
import { isApproximate, storedLength } from './stored-norm.js';

export const bm25Similarity = (parameters: Bm25Parameters): Similarity => ({
  weigh: (terms, collection) => new Bm25Weight(terms, collection, parameters),
  normsQueries: false,
});

class Bm25Weight implements TermWeight {
  readonly squaredWeight = 0;
  readonly #terms: WeighedTerms;
  readonly #collection: Collection;
  readonly #idfs: readonly number[];
  readonly #idf: number;
  readonly #k1: number;
  readonly #b: number;

  constructor(terms: WeighedTerms, collection: Collection, { k1, b }: Bm25Parameters) {
    const { docCount } = collection;
    this.#terms = terms;
    this.#collection = collection;
    this.#k1 = k1;
    this.#b = b;
    this.#idfs = terms.docFreqs.map((n) => Math.log(1 + (docCount - n + 0.5) / (n + 0.5)));
    this.#idf = this.#idfs.reduce((sum, idf) => sum + idf, 0);
  }

  score({ freq, length }: Occurrence): number {
    return this.#terms.boost * this.#idf * this.#tf(freq, length);
  }

  #tf(freq: number, length: number | null): number {
    // A field without lengths has the norm of b = 0.
    const norm = length === null ? 1 : 1 - this.#b + (this.#b * storedLength(length)) / this.#collection.averageLength;
    return freq / (freq + this.#k1 * norm);
  }

  explain(occurrence: Occurrence, doc: number): Explanation {
    const { boost } = this.#terms;
    const value = this.score(occurrence);
    const details = [...boostDetail(boost), this.#explainIdf(), this.#explainTf(occurrence)];
    const computed = `score(freq=${javaFloat(occurrence.freq)}), computed as boost * idf * tf from:`;
    const weight = `weight(${this.#terms.label} in ${doc}) [BM25Similarity], result of:`;
    return explained(value, weight, [explained(value, computed, details)]);
  }

  #explainIdf(): Explanation {
    const each = this.#idfs.map((idf, at) =>
      explained(idf, 'idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:', [
        explained(this.#terms.docFreqs[at]!, 'n, number of documents containing term'),
        explained(this.#collection.docCount, 'N, total number of documents with field'),
      ]),
    );
    return this.#terms.isPhrase ? explained(this.#idf, 'idf, sum of:', each) : each[0]!;
  }

  #explainTf({ freq, length }: Occurrence): Explanation {
    const described = this.#terms.isPhrase
      ? `phraseFreq=${javaFloat(freq)}`
      : 'freq, occurrences of term within document';
    const factors = [explained(freq, described), explained(this.#k1, 'k1, term saturation parameter')];
    if (length === null) {
      const omitted = [...factors, explained(0, 'b, norms omitted for field')];
      return explained(this.#tf(freq, null), 'tf, computed as freq / (freq + k1) from:', omitted);
    }
    return explained(this.#tf(freq, length), 'tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:', [
      ...factors,
      explained(this.#b, 'b, length normalization parameter'),
      explained(storedLength(length), `dl, length of field${isApproximate(length) ? ' (approximate)' : ''}`),
      explained(this.#collection.averageLength, 'avgdl, average length of field'),
    ]);
  }
}
