/**
 * "Did you mean": words of the index that are similar to a rare word of the query.
 *
 * `spellingRanges` returns the ranges of words to search for a misspelt one: those with the same first two letters, and, with two
 * letters more, those that begin as it does after one error is corrected there. For each range the searcher reads the terms of
 * the blocks of postings that the range touches, and keeps the 200 most frequent ones of suitable length: once for terms, and
 * once for exact words, which have the prefix `=`. A word with an error in its first letter is not found, unless that letter is
 * surplus or swapped with the second.
 */
import { damerauLevenshtein } from '../edit-distance.js';
import { bitsIn } from '../page/simhash.js';
import { analyze } from './analysis/analyze.js';
import { analyzerOf } from './analysis/analyzer.js';
import { initialPairs, mayBegin } from './analysis/initial-pairs.js';
import type { ParsedQuery, QueryNode } from './query.js';

export interface WordRange {
  readonly from: string;
  /** Upper bound, exclusive. */
  readonly to: string;
  readonly minLength: number;
  readonly maxLength: number;
}

export interface IndexWord {
  readonly word: string;
  readonly df: number;
  /** An exact word (`=word`); else a term, which may be a stem that is not a word. */
  readonly isWritten: boolean;
}

const MIN_LENGTH = 3;
const MAX_LENGTH = 32;
/** Length from which on two errors are considered. */
const LONG = 6;
const VOWELS = ['a', 'e', 'i', 'o', 'u'];
/** Minimum ratio of frequencies for another word to count as the correct one. */
const MIN_RATIO = 20;
const MAX_CHECKED = 8;
/** Penalty for an additional error in the logarithm of document frequencies: like 150 times the frequency. */
const SLIP = 5;
/**
 * Advantage of two swapped letters, of which a word has few, over other errors, of which it has many: like 7 times the
 * frequency.
 */
const SWAP = 2;

/** `GErrorType`: an identifier, which is not checked. */
const INNER_CAPITAL = /\p{Ll}\p{Lu}/u;

/** `fil*e`: a pattern that the query language does not know; it finds the words beside the asterisk. */
const INNER_ASTERISK = /\p{L}\*\p{L}/u;

/** A word of a query, as typed and in the form of its language. */
export interface CheckedWord {
  readonly word: string;
  readonly written: string;
}

/**
 * Words of a query to check: no phrases, prefixes, patterns and exclusions, no numbers and identifiers, no very short or long
 * words.
 * @param language of the query
 */
export function checkedWords({ root }: ParsedQuery, language: string | null): CheckedWord[] {
  const words = new Map(
    queryWords(root)
      .filter((text) => !INNER_ASTERISK.test(text))
      .flatMap((text) => writtenWords(text, language))
      .flatMap((checked) => (INNER_CAPITAL.test(checked.written) ? [] : [[checked.word, checked] as const])),
  );
  const isChecked = ({ word }: CheckedWord): boolean =>
    word.length >= MIN_LENGTH && word.length <= MAX_LENGTH && /^\p{L}+$/u.test(word) && !/[\u2e80-\uffff]/.test(word);
  return [...words.values()].filter(isChecked).slice(0, MAX_CHECKED);
}

/** The words of a text, stop words included, folded by the rules of a language: only some keep å. */
const writtenWords = (text: string, language: string | null): (CheckedWord & { start: number; end: number })[] =>
  analyze(text, null).map(({ start, end }) => {
    const written = text.slice(start, end);
    return { word: analyzerOf(language).wordOf(written).word, written, start, end };
  });

function queryWords(node: QueryNode): string[] {
  if (node.kind === 'word') return [node.text];
  if (node.kind !== 'boolean') return [];
  return node.clauses.flatMap((clause) => (clause.occur === 'must_not' ? [] : queryWords(clause.node)));
}

const slips = (word: string): number => (word.length >= LONG ? 2 : 1);

/** @param word folded, three letters or more */
export function spellingRanges(word: string): WordRange[] {
  const [a = '', b = '', c = '', d = ''] = word;
  const swapped = [b + a + c, a + c + b + d];
  const surplus = [b + c + d, a + c + d];
  const vowels = VOWELS.flatMap((vowel) => [a + vowel + b + c, a + vowel + c + d]);
  const prefixes = new Set([a + b, ...swapped, ...surplus, ...vowels]);
  const all = [...prefixes];
  const bounds = { minLength: Math.max(MIN_LENGTH, word.length - slips(word)), maxLength: word.length + slips(word) };
  // A prefix that begins with another one is in its range.
  return all
    .filter((prefix) => !all.some((other) => other !== prefix && prefix.startsWith(other)))
    .map((from) => ({ from, to: `${from}\u{10ffff}`, ...bounds }));
}

/**
 * The probably intended word; null if the typed one needs no correction.
 * @param df documents with the typed word
 * @param languages of the documents, to distinguish stems from words
 */
export function betterSpelling(
  { word, df }: { readonly word: string; readonly df: number },
  indexWords: readonly IndexWord[],
  languages: readonly (string | null)[],
): string | null {
  const stopWord = df === 0 ? swappedStopWord(word, languages) : null;
  if (stopWord !== null) return stopWord;
  const stems = new Map<string, readonly string[]>();
  const exact = new Map(
    indexWords.flatMap((indexWord) => (indexWord.isWritten ? [[indexWord.word, indexWord.df]] : [])),
  );
  const letters = lettersOf(word);
  let best: string | null = null;
  let bestScore = -Infinity;
  for (const { word: candidate, df: candidateDf, isWritten } of indexWords) {
    // A word may be a term in documents of one language, and an exact word in those of another.
    const documents = isWritten ? candidateDf : candidateDf + (exact.get(candidate) ?? 0);
    if (candidate === word || documents < Math.max(2, MIN_RATIO * df)) continue;
    if (otherLetters(letters, lettersOf(candidate)) > slips(word)) continue;
    const distance = damerauLevenshtein(word, candidate, slips(word));
    if (distance === null) continue;
    const nearness = isSwap(word, candidate) ? SWAP : candidate[0] === word[0] ? 0 : -1;
    const score = Math.log(documents) - SLIP * distance + nearness;
    if (score < bestScore || (score === bestScore && candidate > best!)) continue;
    // Asked last: stemming words is the most expensive part.
    const isStem =
      !isWritten && !exact.has(candidate) && candidateDf <= dfOfStem(candidate, indexWords, languages, stems);
    if (isStem) continue;
    best = candidate;
    bestScore = score;
  }
  return best;
}

/** Whether two neighbouring letters are swapped, and all others equal. */
function isSwap(a: string, b: string): boolean {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return a.length === b.length && a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
}

/** The stop word whose letters are swapped in a word (`teh`); null: none. Stop words are not in the index. */
function swappedStopWord(word: string, languages: readonly (string | null)[]): string | null {
  for (let at = 0; at + 1 < word.length; at++) {
    const swapped = word.slice(0, at) + word[at + 1]! + word[at]! + word.slice(at + 2);
    if (swapped !== word && languages.some((language) => analyze(swapped, language).length === 0)) return swapped;
  }
  return null;
}

/** A set of letters: those with the same last five bits of their codes count as one. */
function lettersOf(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) & 31);
  return letters;
}

/** Letters of one word that the other one does not have: each error makes one at most, of either word. */
const otherLetters = (a: number, b: number): number => Math.max(bitsIn(a & ~b), bitsIn(b & ~a));

/**
 * Documents with exact words of a stem: a term that has no more documents is only a stem (`ferri`, of ferries).
 * @param known stems by word, of earlier calls
 */
function dfOfStem(
  stem: string,
  indexWords: readonly IndexWord[],
  languages: readonly (string | null)[],
  known: Map<string, readonly string[]>,
): number {
  const pairs = languages.every((language) => analyzerOf(language).keepsInitials) ? initialPairs([stem]) : undefined;
  let sum = 0;
  for (const { word, df, isWritten } of indexWords) {
    if (!isWritten || (pairs && !mayBegin(pairs, word, 0, word.length))) continue;
    let stems = known.get(word);
    if (!stems)
      known.set(word, (stems = languages.flatMap((language) => analyze(word, language).map(({ term }) => term))));
    if (stems.includes(stem)) sum += df;
  }
  return sum;
}

/** A query with some of its words replaced. @param better by the word in the form of the language */
export function respelled(text: string, better: ReadonlyMap<string, string>, language: string | null): string {
  let corrected = '';
  let from = 0;
  for (const { word, start, end } of writtenWords(text, language)) {
    const correction = better.get(word);
    if (correction === undefined) continue;
    corrected += text.slice(from, start) + correction;
    from = end;
  }
  return corrected + text.slice(from);
}
