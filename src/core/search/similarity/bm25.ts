/** BM25 as Lucene 8 computes it (`BM25Similarity`): without the factor k1 + 1, with lengths rounded to a byte. */
import { type Explanation, boostDetail, explained, javaFloat } from './explanation.js';
import type { Collection, Occurrence, Similarity, TermWeight, WeighedTerms } from './similarity.js';
import { isApproximate, storedLength } from './stored-norm.js';

const K1 = 1.2;
const B = 0.75;

export const bm25Similarity: Similarity = {
  weigh: (terms, collection) => new Bm25Weight(terms, collection),
  queryNorm: () => 1,
  coord: () => null,
};

class Bm25Weight implements TermWeight {
  readonly squaredWeight = 0;
  readonly #terms: WeighedTerms;
  readonly #docCount: number;
  readonly #averageLength: number;
  readonly #idfs: readonly number[];
  readonly #idf: number;

  constructor(terms: WeighedTerms, { field: { docCount, sumTotalTermFreq } }: Collection) {
    this.#terms = terms;
    this.#docCount = docCount;
    this.#averageLength = sumTotalTermFreq / docCount;
    this.#idfs = terms.docFreqs.map((n) => Math.log(1 + (docCount - n + 0.5) / (n + 0.5)));
    this.#idf = this.#idfs.reduce((sum, idf) => sum + idf, 0);
  }

  score({ freq, length }: Occurrence): number {
    return this.#terms.boost * this.#idf * this.#tf(freq, length);
  }

  #tf(freq: number, length: number | null): number {
    // Without a length no document is longer than another: the norm is that of b = 0.
    const norm = length === null ? 1 : 1 - B + (B * storedLength(length)) / this.#averageLength;
    return freq / (freq + K1 * norm);
  }

  explain(occurrence: Occurrence): Explanation {
    const { label, boost } = this.#terms;
    const { freq, doc } = occurrence;
    const value = this.score(occurrence);
    const details = [...boostDetail(boost), this.#explainIdf(), this.#explainTf(occurrence)];
    const score = explained(value, `score(freq=${javaFloat(freq)}), computed as boost * idf * tf from:`, details);
    return explained(value, `weight(${label} in ${doc}) [BM25Similarity], result of:`, [score]);
  }

  #explainIdf(): Explanation {
    const each = this.#idfs.map((idf, at) =>
      explained(idf, 'idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:', [
        explained(this.#terms.docFreqs[at]!, 'n, number of documents containing term'),
        explained(this.#docCount, 'N, total number of documents with field'),
      ]),
    );
    return this.#terms.isPhrase ? explained(this.#idf, 'idf, sum of:', each) : each[0]!;
  }

  #explainTf({ freq, length }: Occurrence): Explanation {
    const frequency = explained(
      freq,
      this.#terms.isPhrase ? `phraseFreq=${javaFloat(freq)}` : 'freq, occurrences of term within document',
    );
    const k1 = explained(K1, 'k1, term saturation parameter');
    if (length === null) {
      const description = 'tf, computed as freq / (freq + k1) from:';
      return explained(this.#tf(freq, null), description, [frequency, k1, explained(0, 'b, norms omitted for field')]);
    }
    return explained(this.#tf(freq, length), 'tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:', [
      frequency,
      k1,
      explained(B, 'b, length normalization parameter'),
      explained(storedLength(length), `dl, length of field${isApproximate(length) ? ' (approximate)' : ''}`),
      explained(this.#averageLength, 'avgdl, average length of field'),
    ]);
  }
}
