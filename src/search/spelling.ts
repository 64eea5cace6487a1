/** "Did you mean", from the words of the index. */
import { analyze } from '../core/search/analysis/analyze.js';
import { analyzerOf } from '../core/search/analysis/analyzer.js';
import type { ParsedQuery } from '../core/search/query.js';
import { exactTerm } from '../core/search/postings/site-terms.js';
import {
  type CheckedWord,
  type IndexWord,
  betterSpelling,
  checkedWords,
  respelled,
  spellingRanges,
} from '../core/search/spelling.js';
import { type IndexSnapshot, MAX_RANGE_BLOCKS } from './index-snapshot.js';

/** A word in more documents is not checked: reading its neighbours in the index would be the largest part of the cost. */
const MAX_DF = 2;
/** Words read per range. */
const MAX_WORDS = 200;
/** Blocks per segment that are searched for words with other first letters: errors there are rare. */
const OTHER_BLOCKS = 8;

type Languages = readonly (string | null)[];

export interface AskedQuery {
  readonly text: string;
  readonly parsed: ParsedQuery;
  /** Whether it is much of the title of its best hit: then its rare words are assumed to be right, unless no page has them. */
  readonly isTitle: boolean;
}

/** The probably intended query; null if the query needs no correction. */
export async function didYouMean(
  snapshot: IndexSnapshot,
  { text, parsed, isTitle }: AskedQuery,
  languages: Languages,
): Promise<string | null> {
  const maxDf = isTitle ? 0 : MAX_DF;
  const [mainLanguage = null] = languages;
  const words = checkedWords(parsed, mainLanguage).filter(
    ({ written }) => dfOfForms(snapshot, written, languages) <= maxDf,
  );
  if (words.length === 0) return null;
  const formsOf = ({ written }: CheckedWord): string[] =>
    languages.map((language) => analyzerOf(language).wordOf(written).word).flatMap((form) => [form, exactTerm(form)]);
  await snapshot.find(words.flatMap(formsOf));
  const better = new Map<string, string>();
  for (const checked of words) {
    const { word } = checked;
    const df = Math.max(...formsOf(checked).map((form) => snapshot.df(form)));
    if (df > maxDf) continue;
    const candidates = await wordsAround(snapshot, word);
    const correction = betterSpelling({ word, df }, candidates, languages);
    if (correction !== null) better.set(word, correction);
  }
  if (better.size === 0) return null;
  const corrected = respelled(text, better, mainLanguage);
  // Stop words alone find nothing.
  return languages.some((language) => analyze(corrected, language).length > 0) ? corrected : null;
}

/** Documents with any form of a word, by the terms that the query has looked up; Infinity: it is a stop word. */
function dfOfForms(snapshot: IndexSnapshot, word: string, languages: Languages): number {
  const frequencies = languages.map((language) => {
    const [token] = analyze(word, language);
    return token === undefined ? Infinity : snapshot.df(token.term);
  });
  return Math.max(0, ...frequencies);
}

/** The most frequent words of suitable length in each range: terms and exact words. */
async function wordsAround(snapshot: IndexSnapshot, word: string): Promise<IndexWord[]> {
  const ranges = spellingRanges(word);
  const wordRanges = [false, true].flatMap((isWritten) => {
    const prefix = isWritten ? exactTerm('') : '';
    return ranges.map(({ from, to, minLength, maxLength }) => ({
      from: prefix + from,
      to: prefix + to,
      maxBlocks: word.startsWith(from) ? MAX_RANGE_BLOCKS : OTHER_BLOCKS,
      minBytes: prefix.length + minLength,
      maxBytes: 3 * (prefix.length + maxLength),
    }));
  });
  const inRanges = await snapshot.wordsIn(wordRanges);
  return inRanges.flatMap((inRange, at) => {
    const isWritten = at >= ranges.length;
    const { minLength, maxLength } = ranges[at % ranges.length]!;
    const words = inRange.words.map(({ term, df }) => ({ word: isWritten ? term.slice(1) : term, df, isWritten }));
    const fitting = words.filter(({ word: { length } }) => length >= minLength && length <= maxLength);
    return fitting.sort((a, b) => b.df - a.df).slice(0, MAX_WORDS);
  });
}
