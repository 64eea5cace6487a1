/**
 * Cache of recently analyzed words: stemming takes microseconds, a lookup some tens of nanoseconds, since it compares the units of
 * the text with those of cached words and makes no string. One for all languages, so that its memory is bounded: 6 MB.
 *
 * A set-associative cache: the hash of a word selects a set of two slots, and a new word replaces the one that was used less
 * recently. So no input makes a lookup long.
 */
export interface AnalyzedWord {
  /** Folded, not stemmed. */
  readonly word: string;
  /** Folded and stemmed. */
  readonly term: string;
  readonly isStop: boolean;
  /** The slot of the cache that had this word when it was returned, below `CACHE_SLOTS`; `NO_SLOT`: it is not cached. */
  readonly slot: number;
}

export interface Analysis {
  /** Of the language, from 1 to 255. */
  readonly number: number;
  analyze(written: string): Omit<AnalyzedWord, 'slot'>;
}

export const CACHE_SLOTS = 32_768;
export const NO_SLOT = -1;
/** UTF-16 units. Longer words are rare, and mostly not words of a language: they are not cached. */
const MAX_LENGTH = 32;
const SETS = CACHE_SLOTS / 2;
/** The multiplier of FNV-1a. */
const FNV_PRIME = 0x01000193;

export class WordCache {
  readonly #words: (AnalyzedWord | undefined)[] = Array.from({ length: CACHE_SLOTS });
  /** By slot: the number of the analysis, and the length and units of the word as in its text. */
  readonly #analyses = new Uint8Array(CACHE_SLOTS);
  readonly #lengths = new Uint8Array(CACHE_SLOTS);
  readonly #units = new Uint16Array(CACHE_SLOTS * MAX_LENGTH);
  /** By set: which of its two slots was used last. */
  readonly #latest = new Uint8Array(SETS);

  /** The word of a text between two offsets in UTF-16 units; the end is exclusive. */
  wordAt(analysis: Analysis, text: string, start: number, end: number): AnalyzedWord {
    if (end - start > MAX_LENGTH) return { ...analysis.analyze(copied(text, start, end)), slot: NO_SLOT };
    let hash = analysis.number;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
    const set = (hash ^ (hash >>> 15)) & (SETS - 1);
    for (let way = 0; way < 2; way++) {
      const slot = 2 * set + way;
      if (this.#analyses[slot] !== analysis.number || !this.#isAt(slot, text, start, end)) continue;
      this.#latest[set] = way;
      return this.#words[slot]!;
    }
    this.#latest[set]! ^= 1;
    return this.#put(2 * set + this.#latest[set]!, analysis, copied(text, start, end));
  }

  #isAt(slot: number, text: string, start: number, end: number): boolean {
    if (this.#lengths[slot] !== end - start) return false;
    for (let at = start, unit = slot * MAX_LENGTH; at < end; at++, unit++)
      if (this.#units[unit] !== text.charCodeAt(at)) return false;
    return true;
  }

  #put(slot: number, analysis: Analysis, written: string): AnalyzedWord {
    this.#analyses[slot] = analysis.number;
    this.#lengths[slot] = written.length;
    for (let i = 0; i < written.length; i++) this.#units[slot * MAX_LENGTH + i] = written.charCodeAt(i);
    const word = { ...analysis.analyze(written), slot };
    this.#words[slot] = word;
    return word;
  }
}

/** A slice keeps the whole text in memory, a copy does not. */
const copied = (text: string, start: number, end: number): string => ` ${text.slice(start, end)}`.slice(1);
