/**
 * Whether the stop words of a text confirm a guess of its language. A text may consist of names, terms and code, which belong
 * to no language.
 */
import { stopWordsOf, withStopWords } from '../search/analysis/stop-words.js';

/** Different stop words that a text has at least, and how many times as many as of any other language. */
const MIN_STOP_WORDS = 3;
const LEAD = 2;

let lists: ReadonlyMap<string, ReadonlySet<string>> | undefined;

/** @param words of the text, different ones, in lower case */
export function isConfirmed(language: string, words: readonly string[]): boolean {
  lists ??= new Map(withStopWords.map((code) => [code, stopWordsOf(code)]));
  const own = lists.get(language);
  const count = (list: ReadonlySet<string>): number => words.filter((word) => list.has(word)).length;
  const found = own === undefined ? 0 : count(own);
  if (found < MIN_STOP_WORDS) return false;
  return [...lists].every(([code, list]) => code === language || found >= LEAD * count(list));
}
