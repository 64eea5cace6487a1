/** Numbers the terms of a segment, in the order in which they are first met. */
import { type AnalyzedWord, NO_SLOT, CACHE_SLOTS } from '../analysis/word-cache.js';
import { exactTerm } from './site-terms.js';

export const NO_TERM = -1;
/** UTF-16 units of a term, so at most 765 bytes; longer ones are no words, but encoded data. */
const MAX_TERM_LENGTH = 255;
/** Approximate bytes of memory of a term besides its columns: its text, and its entries in a map and in the list of names. */
const TERM_BYTES = 120;
/** The row of words that the cache of words does not have. */
const UNCACHED = CACHE_SLOTS;

export class TermNumbers {
  /** Terms by number. */
  readonly names: string[] = [];
  /** By row (`rowOf`): the number of the term of a word, and that of its exact term; NO_TERM: it has none. */
  readonly term = new Int32Array(CACHE_SLOTS + 1);
  readonly exact = new Int32Array(CACHE_SLOTS + 1);
  readonly #numbers = new Map<string, number>();
  readonly #exactNumbers = new Map<string, number>();
  /** By row: the word whose numbers are there. */
  readonly #words: (AnalyzedWord | undefined)[] = Array.from({ length: CACHE_SLOTS + 1 });

  /** Approximate bytes of memory, without what each object of this class has from the beginning: less than 1 MB. */
  get bytes(): number {
    return this.names.length * TERM_BYTES;
  }

  /** The row that has the numbers of the terms of a word, until the next call. */
  rowOf(analyzed: AnalyzedWord): number {
    const row = analyzed.slot === NO_SLOT ? UNCACHED : analyzed.slot;
    if (this.#words[row] === analyzed) return row;
    const { term, word } = analyzed;
    this.#words[row] = analyzed;
    this.term[row] = term.length <= MAX_TERM_LENGTH ? this.numberOf(term) : NO_TERM;
    this.exact[row] = word !== term && word.length <= MAX_TERM_LENGTH ? this.#exactNumberOf(word) : NO_TERM;
    return row;
  }

  numberOf(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const added = this.names.push(term) - 1;
    this.#numbers.set(term, added);
    return added;
  }

  #exactNumberOf(word: string): number {
    const known = this.#exactNumbers.get(word);
    if (known !== undefined) return known;
    const added = this.names.push(exactTerm(word)) - 1;
    this.#exactNumbers.set(this.names[added]!.slice(1), added);
    return added;
  }
}
