/** TF-IDF as Lucene 7 and later compute it (`ClassicSimilarity`): boost * tf * idf * norm, without coord and queryNorm. */
import { type Explanation, boostDetail, explained, javaFloat } from './explanation.js';
import type { Collection, Occurrence, Similarity, TermWeight, WeighedTerms } from './similarity.js';
import { storedLength } from './stored-norm.js';

export const classicSimilarity: Similarity = {
  weigh: (terms, collection) => new ClassicWeight(terms, collection),
  queryNorm: () => 1,
  coord: () => null,
};

class ClassicWeight implements TermWeight {
  readonly squaredWeight = 0;
  readonly #terms: WeighedTerms;
  readonly #docCount: number;
  readonly #idfs: readonly number[];
  readonly #idf: number;

  constructor(terms: WeighedTerms, { field: { docCount } }: Collection) {
    this.#terms = terms;
    this.#docCount = docCount;
    this.#idfs = terms.docFreqs.map((docFreq) => 1 + Math.log((docCount + 1) / (docFreq + 1)));
    this.#idf = this.#idfs.reduce((sum, idf) => sum + idf, 0);
  }

  score({ freq, length }: Occurrence): number {
    return this.#terms.boost * this.#idf * Math.sqrt(freq) * normOf(length);
  }

  explain(occurrence: Occurrence): Explanation {
    const { label, boost } = this.#terms;
    const { freq, length, doc } = occurrence;
    const value = this.score(occurrence);
    const score = explained(value, `score(freq=${javaFloat(freq)}), product of:`, [
      ...boostDetail(boost),
      this.#explainIdf(),
      this.#explainTf(freq),
      explained(normOf(length), 'fieldNorm'),
    ]);
    return explained(value, `weight(${label} in ${doc}) [ClassicSimilarity], result of:`, [score]);
  }

  #explainIdf(): Explanation {
    const each = this.#idfs.map((idf, at) =>
      explained(idf, 'idf, computed as log((docCount+1)/(docFreq+1)) + 1 from:', [
        explained(this.#terms.docFreqs[at]!, 'docFreq, number of documents containing term'),
        explained(this.#docCount, 'docCount, total number of documents with field'),
      ]),
    );
    return this.#terms.isPhrase ? explained(this.#idf, 'idf(), sum of:', each) : each[0]!;
  }

  #explainTf(freq: number): Explanation {
    const of = this.#terms.isPhrase ? `phraseFreq=${javaFloat(freq)}` : 'freq, occurrences of term within document';
    return explained(Math.sqrt(freq), `tf(freq=${javaFloat(freq)}), with freq of:`, [explained(freq, of)]);
  }
}

const normOf = (length: number | null): number => (length === null ? 1 : 1 / Math.sqrt(storedLength(length)));
