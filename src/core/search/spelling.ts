/**
 * "Did you mean": words of the index that are near to one that it hardly has.
 *
 * What to look up. `spellingRanges` gives the ranges of words in which a misspelt one is looked for: the same first two letters, and what
 * one slip makes of them. For each range the store reads, in one statement, the words with the highest document frequencies, about 200:
 *
 *   select term, sum(df) from search_posting where crawl = $1 and term >= from and term < to
 *    and char_length(term) between minLength and maxLength group by term order by 2 desc limit 200
 *
 * once as they are and once with the `=` of words as they are written (then one character longer). Words with a mistake in the first
 * letter are not found, but for those where it is one too many or changed places with the second.
 */
import { analyze } from './analysis/analyze.js';
import type { ParsedQuery, QueryNode } from './query.js';

export interface WordRange {
  readonly from: string;
  /** The first word that is not in the range. */
  readonly to: string;
  readonly minLength: number;
  readonly maxLength: number;
}

export interface IndexWord {
  readonly word: string;
  readonly df: number;
  /** Kept as it is written (`=word`); else a term, which may be a stem and no word. */
  readonly isWritten: boolean;
}

const MIN_LENGTH = 3;
const MAX_LENGTH = 32;
/** From here on two slips are looked for. */
const LONG = 6;
const VOWELS = ['a', 'e', 'i', 'o', 'u'];
/** A word counts as misspelt where another one is so much more frequent. */
const MIN_RATIO = 20;
const MAX_CHECKED = 8;
/** What one slip more is worth in the logarithm of document frequencies: 150 times as frequent. */
const SLIP = 5;

/** `GErrorType`: a name, which nobody has mistyped by its capitals. */
const INNER_CAPITAL = /\p{Ll}\p{Lu}/u;

/** Words of a query that are worth a look: no phrases, prefixes and exclusions, no numbers and names of programs, nothing very short. */
export function checkedWords({ root }: ParsedQuery): string[] {
  const words = new Set(
    wordsOf(root).flatMap((text) =>
      analyze(text, null).flatMap(({ word, start, end }) => (INNER_CAPITAL.test(text.slice(start, end)) ? [] : [word])),
    ),
  );
  const isChecked = (word: string): boolean =>
    word.length >= MIN_LENGTH && word.length <= MAX_LENGTH && /^\p{L}+$/u.test(word) && !/[\u2e80-\uffff]/.test(word);
  return [...words].filter(isChecked).slice(0, MAX_CHECKED);
}

function wordsOf(node: QueryNode): string[] {
  if (node.kind === 'word') return [node.text];
  if (node.kind !== 'boolean') return [];
  return node.clauses.flatMap((clause) => (clause.occur === 'must_not' ? [] : wordsOf(clause.node)));
}

const slips = (word: string): number => (word.length >= LONG ? 2 : 1);

/** @param word folded, three letters or more */
export function spellingRanges(word: string): WordRange[] {
  const [a = '', b = '', c = ''] = word;
  const around = VOWELS.flatMap((vowel) => [a + vowel + b, a + vowel + c]);
  const prefixes = new Set([a + b, b + a, b + c, a + c, ...around]);
  const all = [...prefixes];
  const bounds = { minLength: word.length - slips(word), maxLength: word.length + slips(word) };
  // What begins with another one is in its range.
  return all
    .filter((prefix) => !all.some((other) => other !== prefix && prefix.startsWith(other)))
    .map((from) => ({ from, to: `${from}\u{10ffff}`, ...bounds }));
}

/**
 * The word that was probably meant; null where the one that was typed will do.
 * @param df documents that have the word as it was typed
 * @param languages of the documents: in them a term is told from a word
 */
export function betterSpelling(
  { word, df }: { readonly word: string; readonly df: number },
  found: readonly IndexWord[],
  languages: readonly (string | null)[],
): string | null {
  let stems: Map<string, number> | undefined;
  let best: string | null = null;
  let bestScore = -Infinity;
  for (const { word: other, df: documents, isWritten } of found) {
    if (other === word || documents < Math.max(2, MIN_RATIO * df)) continue;
    const distance = damerauLevenshtein(word, other, slips(word));
    if (distance === null) continue;
    // Made when it is asked for: to stem all words costs more than the rest.
    const isStem = !isWritten && documents <= ((stems ??= frequenciesOfStems(found, languages)).get(other) ?? 0);
    if (isStem) continue;
    const score = Math.log(documents) - SLIP * distance - (other[0] === word[0] ? 0 : 1);
    if (score < bestScore || (score === bestScore && other > best!)) continue;
    best = other;
    bestScore = score;
  }
  return best;
}

/** Documents with the written forms of each stem: a term that has no more of them is a stem alone (`ferri`, of ferries). */
function frequenciesOfStems(found: readonly IndexWord[], languages: readonly (string | null)[]): Map<string, number> {
  const frequencies = new Map<string, number>();
  for (const { word, df, isWritten } of found) {
    if (!isWritten) continue;
    const stems = new Set(languages.flatMap((language) => analyze(word, language).map(({ term }) => term)));
    for (const stem of stems) frequencies.set(stem, (frequencies.get(stem) ?? 0) + df);
  }
  return frequencies;
}

/** A query with some of its words replaced. @param better by the folded word */
export function respelled(text: string, better: ReadonlyMap<string, string>): string {
  let corrected = '';
  let from = 0;
  for (const { word, start, end } of analyze(text, null)) {
    const other = better.get(word);
    if (other === undefined) continue;
    corrected += text.slice(from, start) + other;
    from = end;
  }
  return corrected + text.slice(from);
}

/**
 * Letters to insert, delete, replace or swap with their neighbour, each letter once (optimal string alignment); null: more than `max`.
 */
export function damerauLevenshtein(a: string, b: string, max: number): number | null {
  if (Math.abs(a.length - b.length) > max) return null;
  // What they begin and end with alike costs nothing.
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const distance = aligned(a.slice(start, a.length - end), b.slice(start, b.length - end), max);
  return distance <= max ? distance : null;
}

/** The distance; more than `max` where it is more. */
function aligned(a: string, b: string, max: number): number {
  if (a.length === 0 || b.length === 0) return a.length + b.length;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let value = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + cost);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) value = Math.min(value, before[j - 2]! + 1);
      row.push(value);
      least = Math.min(least, value);
    }
    if (least > max) return least;
    [before, last] = [last, row];
  }
  return last[b.length]!;
}
