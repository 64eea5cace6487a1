/** Lucene's analyzers, by the words of ICU (UAX #29), for the cases that it has made. Enough for Latin letters. */
import { stemmer as porter } from '@orama/stemmers/english';

/** A term and its position. */
export type LuceneToken = readonly [term: string, position: number];

const words = new Intl.Segmenter('en', { granularity: 'word' });

/** StandardAnalyzer: words in lower case. */
export function standardTokens(text: string): LuceneToken[] {
  const found = [...words.segment(text)].filter(({ isWordLike }) => isWordLike);
  return found.map(({ segment }, position) => [segment.toLowerCase(), position]);
}

/** EnglishAnalyzer: the same without 's and stop words, stemmed by Porter's first stemmer. */
export function englishTokens(text: string, stopWords: ReadonlySet<string>): LuceneToken[] {
  return standardTokens(text)
    .map(([word, position]): LuceneToken => [word.replace(/['’]s$/, ''), position])
    .filter(([word]) => !stopWords.has(word))
    .map(([word, position]) => [porter(word), position]);
}
