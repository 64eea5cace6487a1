/**
 * What the occurrences of a query's words in the text of a document add to its score.
 *
 * Proximity of neighbours (Büttcher, Clarke, Lushman 2006): two different words of the query that occur one after the other,
 * with no third one between them, each add to the sum `a` of the other:
 *
 *   a  = Σ idf_other / distance²                      distance: 1 for neighbours; stop words between them count
 *   s += Σ_word NEIGHBOURS · min(1, idf) · a · (k1 + 1) / (a + k1 · (1 − b + b · len / avg))
 *
 * The best passage (Callan 1994): `p` is the sum of the idf of the different words within PASSAGE words of text, `all` that
 * of all words of the query. The power favours passages with almost all of them:
 *
 *   s += p⁴ / all³
 *
 * The start (Troy, Zhang 2007): words that occur early say what a document is about:
 *
 *   s += Σ_word START · idf / (1 + first / HALF_START)     first: the first position of the word, from 0
 *
 * Each idf is multiplied by the weight of its word.
 */
import { CONTENT } from '../postings/posting-codec.js';
import { PositionCursor } from '../postings/position-cursor.js';
import { MAX_WORDS, type PlanNode, type QueryPlan } from './query-plan.js';
import { HALF_START, NEIGHBOURS, PASSAGE, START } from './ranking-numbers.js';
import type { SearchedIndex, SearchedSegment } from './segment-search.js';

/**
 * Maximum of positions of a word that are used per document: a text of a million words must not cost as much as a thousand
 * hits.
 */
const MAX_OCCURRENCES = 1_000;

/** A word of a query whose occurrences count. */
export interface NearWord {
  readonly terms: readonly string[];
  readonly weight: number;
  readonly idf: number;
}

/** What the occurrences of the words add to the score of a document. */
export interface OccurrenceGains {
  /** By word. */
  readonly neighbours: Float64Array;
  /** By word. */
  readonly start: Float64Array;
  readonly passage: number;
}

/**
 * The numbers of the words. Objects and plain arrays have several shapes, for each of which V8 would compile the functions
 * anew.
 */
interface WordNumbers {
  readonly weights: Float64Array;
  readonly idfs: Float64Array;
  /** weight · idf, and its sum. */
  readonly values: Float64Array;
  readonly sum: number;
  readonly k1: number;
}

function numbersOf(words: readonly NearWord[], k1: number): WordNumbers {
  const weights = Float64Array.from(words, ({ weight }) => weight);
  const idfs = Float64Array.from(words, ({ idf }) => idf);
  const values = weights.map((weight, word) => weight * idfs[word]!);
  return { weights, idfs, values, sum: values.reduce((sum, value) => sum + value, 0), k1 };
}

export function totalGain({ neighbours, start, passage }: OccurrenceGains): number {
  let sum = passage;
  for (const gain of neighbours) sum += gain;
  for (const gain of start) sum += gain;
  return sum;
}

/** The words whose occurrences count. */
export const nearWords = ({ root }: QueryPlan, idfOf: (terms: readonly string[]) => number): NearWord[] =>
  weighed(root, 1).map((word) => ({ ...word, idf: idfOf(word.terms) }));

/** The terms of these words. */
export const nearTerms = ({ root }: QueryPlan): string[] => weighed(root, 1).flatMap(({ terms }) => terms);

function weighed(node: PlanNode, weight: number): Omit<NearWord, 'idf'>[] {
  if (node.kind === 'boolean')
    return node.clauses.flatMap(({ occur, node: inner }) =>
      occur === 'must_not' ? [] : weighed(inner, weight * node.weight),
    );
  const isWord = node.kind === 'term' && !node.isExpansion && (node.field ?? CONTENT) === CONTENT;
  return isWord ? [{ terms: node.terms, weight: weight * node.weight }] : [];
}

/**
 * Computes what the occurrences of words add to the score of each document; yields between words and between documents.
 * @param docs in ascending order
 */
export function* proximities(
  words: readonly NearWord[],
  { columns, postings }: SearchedSegment,
  { statistics, bm25: { k1, b } }: Pick<SearchedIndex, 'statistics' | 'bm25'>,
  docs: readonly number[],
): Generator<void, OccurrenceGains[]> {
  const occurrences = docs.map((): number[] => []);
  for (const [at, { terms }] of words.entries()) {
    for (const term of terms) {
      const termPostings = postings.get(term);
      if (termPostings === undefined || termPostings.pos.length === 0) continue;
      // Position and word are encoded in one number, so that they are sorted as numbers.
      eachOccurrence(termPostings, docs, (i, position) => occurrences[i]!.push(position * MAX_WORDS + at));
    }
    yield;
  }
  const gains: OccurrenceGains[] = [];
  const numbers = numbersOf(words, k1);
  const averageLength = statistics.averages[CONTENT]!;
  for (const [i, doc] of docs.entries()) {
    const norm = 1 - b + (b * columns.lengths[CONTENT]![doc]!) / averageLength;
    gains.push(gainsOf(numbers, occurrences[i]!, norm));
    yield;
  }
  return gains;
}

/** In a function of its own: V8 optimizes loops in generators late. */
function gainsOf(words: WordNumbers, occurrences: readonly number[], norm: number): OccurrenceGains {
  const sorted = new Float64Array(occurrences).sort();
  const neighbours = neighbourGains(words, sorted, norm);
  return { neighbours, start: startGains(words, sorted), passage: passageGain(words, sorted) };
}

function eachOccurrence(
  postings: { readonly post: Uint8Array; readonly pos: Uint8Array },
  docs: readonly number[],
  visit: (index: number, position: number) => void,
): void {
  const cursor = new PositionCursor(postings);
  for (let i = 0; i < docs.length; i++) {
    const doc = docs[i]!;
    if (!cursor.reach(doc)) return;
    if (cursor.doc !== doc) continue;
    cursor.eachInContent(MAX_OCCURRENCES, (position) => visit(i, position));
  }
}

/** @param occurrences position · MAX_WORDS + word, in ascending order */
function neighbourGains({ weights, idfs, k1 }: WordNumbers, occurrences: Float64Array, norm: number): Float64Array {
  const sums = new Float64Array(idfs.length);
  for (let at = 1; at < occurrences.length; at++) {
    const previous = occurrences[at - 1]!;
    const current = occurrences[at]!;
    const x = previous % MAX_WORDS;
    const y = current % MAX_WORDS;
    const distance = Math.floor(current / MAX_WORDS) - Math.floor(previous / MAX_WORDS);
    // Terms of two languages may have the same position.
    if (x === y || distance === 0) continue;
    sums[x]! += idfs[y]! / distance ** 2;
    sums[y]! += idfs[x]! / distance ** 2;
  }
  for (let word = 0; word < sums.length; word++) {
    const sum = sums[word]!;
    if (sum === 0) continue;
    sums[word] = (NEIGHBOURS * weights[word]! * Math.min(1, idfs[word]!) * sum * (k1 + 1)) / (sum + k1 * norm);
  }
  return sums;
}

function startGains({ values }: WordNumbers, occurrences: Float64Array): Float64Array {
  const gains = new Float64Array(values.length);
  let left = values.length;
  for (let at = 0; at < occurrences.length && left > 0; at++) {
    const word = occurrences[at]! % MAX_WORDS;
    const value = values[word]!;
    if (gains[word] !== 0 || value === 0) continue;
    gains[word] = (START * value) / (1 + Math.floor(occurrences[at]! / MAX_WORDS) / HALF_START);
    left--;
  }
  return gains;
}

function passageGain({ values, sum: all }: WordNumbers, occurrences: Float64Array): number {
  // A passage of one word says no more than its frequency.
  if (values.length < 2) return 0;
  const counts = new Uint32Array(values.length);
  let [sum, best, first] = [0, 0, 0];
  for (let at = 0; at < occurrences.length; at++) {
    const word = occurrences[at]! % MAX_WORDS;
    if (counts[word]!++ === 0) sum += values[word]!;
    const from = Math.floor(occurrences[at]! / MAX_WORDS) - PASSAGE + 1;
    for (; occurrences[first]! < from * MAX_WORDS; first++) {
      const left = occurrences[first]! % MAX_WORDS;
      if (--counts[left]! === 0) sum -= values[left]!;
    }
    if (sum > best) best = sum;
  }
  return best === 0 ? 0 : best ** 4 / all ** 3;
}
