import { expect, it } from 'vitest';
import { bm25Similarity } from '../../../../src/core/search/similarity/bm25.js';
import { classicSimilarity } from '../../../../src/core/search/similarity/classic.js';

/** Lucene writes the frequency of a phrase as a Java float, which has an exponent below 10^-3 and from 10^7. */
it.each([
  [0.5, '0.5'],
  [0.001, '0.001'],
  [1 / 2_001, '4.9975014E-4'],
  [9_999_999, '9999999.0'],
  [10_000_000, '1.0E7'],
])('the explanation of a phrase with the frequency %d contains %s', (freq, text) => {
  const terms = {
    boost: 1,
    field: 'content',
    label: 'content:"a b"',
    terms: ['a', 'b'],
    docFreqs: [1, 1],
    isPhrase: true,
  };
  const collection = { documents: 3, docCount: 3, averageLength: 10 };
  const occurrence = { freq, length: 10, boost: 1 };
  for (const similarity of [bm25Similarity({ k1: 1.2, b: 0.75 }), classicSimilarity]) {
    const explanation = similarity.weigh(terms, collection).explain(occurrence, 0, 1);
    expect(JSON.stringify(explanation)).toContain(`phraseFreq=${text}`);
  }
});
