/**
 * Converts a word of a text to a term of the index, by language.
 *
 * NFKC, lower case, stop words, Snowball's stemmer, then folding: stemmers need the accents (French, German), and folding after
 * them lets `etudes` match `études`. English words are folded first, as the English stemmer treats é as a consonant. If the
 * language is unknown or has no stemmer, a word is only folded.
 */
import { folded, lowered } from './fold.js';
import { hasRules, rulesOf } from './languages.js';
import { type Analysis, type AnalyzedWord, WordCache } from './word-cache.js';

export interface Analyzer {
  /** @param written the word as in its text */
  wordOf(written: string): AnalyzedWord;
  /** The word of a text between two offsets in UTF-16 units; the end is exclusive. */
  wordAt(text: string, start: number, end: number): AnalyzedWord;
  /**
   * Whether the first two characters of a word, as far as they are ASCII, are those of its term, in lower case, except that the
   * second one may become i from y: prefixes are not stripped.
   */
  readonly keepsInitials: boolean;
}

const analyzers = new Map<string, Analyzer>();
const cache = new WordCache();

/** @param language BCP 47, of which the primary subtag is used; null: unknown. Languages without rules share one analyzer. */
export function analyzerOf(language: string | null): Analyzer {
  const code = language?.split(/[-_]/, 1)[0]!.toLowerCase() ?? '';
  const key = hasRules(code) ? code : '';
  let analyzer = analyzers.get(key);
  if (analyzer === undefined) {
    const analysis = { number: analyzers.size + 1, analyze: makeAnalysis(key === '' ? null : key) };
    analyzer = {
      wordOf: (written) => cache.wordAt(analysis, written, 0, written.length),
      wordAt: (text, start, end) => cache.wordAt(analysis, text, start, end),
      keepsInitials: key === '' || key === 'en',
    };
    analyzers.set(key, analyzer);
  }
  return analyzer;
}

function makeAnalysis(language: string | null): Analysis['analyze'] {
  const { stem, stopWords, letters } = rulesOf(language);
  const foldsFirst = language === 'en';
  return (written) => {
    const lower = lowered(written, language);
    const word = folded(lower, letters);
    const term = stem === null ? word : folded(stem(foldsFirst ? word : lower), letters);
    return { word, term: term === '' ? word : term, isStop: stopWords.has(lower) };
  };
}
