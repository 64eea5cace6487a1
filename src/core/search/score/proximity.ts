/**
 * Proximity of the words of a query in the texts of documents (Büttcher, Clarke, Lushman 2006). Two different words of the query
 * that occur one after the other, with no third one between them, each add to the sum `a` of the other:
 *
 *   a  = Σ idf_other / distance²                      distance: 1 for neighbours; stop words between them count
 *   s += Σ_word min(1, idf) · a · (k1 + 1) / (a + k1 · (1 − b + b · len / avg))
 */
import { CONTENT } from '../postings/posting-codec.js';
import { PositionCursor } from '../postings/position-cursor.js';
import { B, K1 } from './bm25f.js';
import { MAX_WORDS, type PlanNode, type QueryPlan } from './query-plan.js';
import type { SearchedSegment } from './segment-search.js';

/** Maximum of positions of a word that are used per document: a text of a million words must not cost as much as a thousand hits. */
const MAX_PLACES = 1_000;

/** A word of a query whose proximity to others counts. */
export interface NearWord {
  readonly terms: readonly string[];
  readonly weight: number;
  readonly idf: number;
}

/** The words whose proximity counts; none if there are fewer than two. */
export function nearWords({ root }: QueryPlan, idfOf: (terms: readonly string[]) => number): NearWord[] {
  const words = weighed(root, 1).map((word) => ({ ...word, idf: idfOf(word.terms) }));
  return words.length > 1 ? words : [];
}

function weighed(node: PlanNode, weight: number): Omit<NearWord, 'idf'>[] {
  if (node.kind === 'boolean')
    return node.clauses.flatMap(({ occur, node: inner }) =>
      occur === 'must_not' ? [] : weighed(inner, weight * node.weight),
    );
  const isWord = node.kind === 'term' && !node.isExpansion && (node.field ?? CONTENT) === CONTENT;
  return isWord ? [{ terms: node.terms, weight: weight * node.weight }] : [];
}

/**
 * Computes what each word adds to the score of each document; yields between words and between documents.
 * @param docs in ascending order
 */
export function* proximities(
  words: readonly NearWord[],
  { columns, postings }: SearchedSegment,
  averageLength: number,
  docs: readonly number[],
): Generator<void, number[][]> {
  const places = docs.map((): number[] => []);
  for (const [at, { terms }] of words.entries()) {
    for (const term of terms) {
      const found = postings.get(term);
      if (found === undefined || found.pos.length === 0) continue;
      // Position and word are encoded in one number, so that they are sorted as numbers.
      eachPlace(found, docs, (i, position) => places[i]!.push(position * MAX_WORDS + at));
    }
    yield;
  }
  const found: number[][] = [];
  for (const [i, doc] of docs.entries()) {
    const norm = 1 - B + (B * columns.lengths[CONTENT]![doc]!) / averageLength;
    found.push(gains(words, new Float64Array(places[i]!).sort(), norm));
    yield;
  }
  return found;
}

function eachPlace(
  postings: { readonly post: Uint8Array; readonly pos: Uint8Array },
  docs: readonly number[],
  visit: (index: number, position: number) => void,
): void {
  const cursor = new PositionCursor(postings);
  for (const [i, doc] of docs.entries()) {
    if (!cursor.reach(doc)) return;
    if (cursor.doc !== doc) continue;
    const positions = cursor.positions()[CONTENT]!;
    for (let at = 0; at < positions.length && at < MAX_PLACES; at++) visit(i, positions[at]!);
  }
}

/** @param places position · MAX_WORDS + word, in ascending order */
function gains(words: readonly NearWord[], places: Float64Array, norm: number): number[] {
  const sums = words.map(() => 0);
  for (let at = 1; at < places.length; at++) {
    const one = places[at - 1]!;
    const other = places[at]!;
    const x = one % MAX_WORDS;
    const y = other % MAX_WORDS;
    const distance = Math.floor(other / MAX_WORDS) - Math.floor(one / MAX_WORDS);
    // Terms of two languages may have the same position.
    if (x === y || distance === 0) continue;
    sums[x]! += words[y]!.idf / distance ** 2;
    sums[y]! += words[x]!.idf / distance ** 2;
  }
  return words.map(({ weight, idf }, word) => {
    const sum = sums[word]!;
    return (weight * Math.min(1, idf) * sum * (K1 + 1)) / (sum + K1 * norm);
  });
}
