/** "Did you mean", from the words of the index. */
import type { ParsedQuery } from '../core/search/query.js';
import { exactTerm } from '../core/search/postings/site-terms.js';
import { type IndexWord, betterSpelling, checkedWords, respelled, spellingRanges } from '../core/search/spelling.js';
import type { IndexSnapshot } from './index-snapshot.js';

/** A word in so many documents is not looked at: reading the words around it costs more than all the rest. */
const MAX_DF = 2;
/** Words of each range that are looked at. */
const MAX_WORDS = 200;

/** The query as it was probably meant; null where it will do as it is. */
export async function didYouMean(
  snapshot: IndexSnapshot,
  text: string,
  parsed: ParsedQuery,
  languages: readonly (string | null)[],
): Promise<string | null> {
  const words = checkedWords(parsed);
  await snapshot.find(words.flatMap((word) => [word, exactTerm(word)]));
  const better = new Map<string, string>();
  for (const word of words) {
    const df = Math.max(snapshot.df(word), snapshot.df(exactTerm(word)));
    if (df > MAX_DF) continue;
    const found = await wordsAround(snapshot, word);
    const other = betterSpelling({ word, df }, found, languages);
    if (other !== null) better.set(word, other);
  }
  return better.size > 0 ? respelled(text, better) : null;
}

async function wordsAround(snapshot: IndexSnapshot, word: string): Promise<IndexWord[]> {
  const found: IndexWord[] = [];
  for (const { from, to, minLength, maxLength } of spellingRanges(word)) {
    for (const isWritten of [false, true]) {
      const mark = isWritten ? exactTerm('') : '';
      const terms = await snapshot.termsIn({ from: mark + from, to: mark + to });
      const words = terms.map(({ term, df }) => ({ word: term.slice(mark.length), df, isWritten }));
      const fitting = words.filter(({ word: { length } }) => length >= minLength && length <= maxLength);
      found.push(...fitting.sort((a, b) => b.df - a.df).slice(0, MAX_WORDS));
    }
  }
  return found;
}
