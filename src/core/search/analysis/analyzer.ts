/**
 * Converts a word of a text to a term of the index, by language.
 *
 * NFKC, lower case, stop words, Snowball's stemmer, then folding: stemmers need the accents (French, German), and folding after
 * them lets `etudes` match `études`. English words are folded first, as the English stemmer treats é as a consonant. If the
 * language is unknown or has no stemmer, a word is only folded.
 */
import { folded, lowered } from './fold.js';
import { hasRules, rulesOf } from './languages.js';
import { type AnalyzedWord, WordCache } from './word-cache.js';

export interface Analyzer {
  /** @param written the word as in the text */
  wordOf(written: string): AnalyzedWord;
  /**
   * Whether the first two characters of a word, as far as they are ASCII, are those of its term, in lower case, except that the
   * second one may become i from y: prefixes are not stripped.
   */
  readonly keepsInitials: boolean;
}

const analyzers = new Map<string, Analyzer>();

/** @param language BCP 47, of which the primary subtag is used; null: unknown. Languages without rules share one analyzer. */
export function analyzerOf(language: string | null): Analyzer {
  const code = language?.split(/[-_]/, 1)[0]!.toLowerCase() ?? '';
  const key = hasRules(code) ? code : '';
  let analyzer = analyzers.get(key);
  if (analyzer === undefined) {
    const cache = new WordCache(makeAnalysis(key === '' ? null : key));
    analyzer = { wordOf: (written) => cache.get(written), keepsInitials: key === '' || key === 'en' };
    analyzers.set(key, analyzer);
  }
  return analyzer;
}

function makeAnalysis(language: string | null): (written: string) => AnalyzedWord {
  const { stem, stopWords, letters } = rulesOf(language);
  const foldsFirst = language === 'en';
  return (written) => {
    const lower = lowered(written, language);
    const word = folded(lower, letters);
    const term = stem === null ? word : folded(stem(foldsFirst ? word : lower), letters);
    return { word, term: term === '' ? word : term, isStop: stopWords.has(lower) };
  };
}
