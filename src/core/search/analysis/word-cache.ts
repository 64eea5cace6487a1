/** Cache of recently analyzed words of a language: stemming takes microseconds, a lookup a twentieth of one. */
export interface AnalyzedWord {
  /** Folded, not stemmed. */
  readonly word: string;
  /** Folded and stemmed. */
  readonly term: string;
  readonly isStop: boolean;
}

/** Maximum of words in each of two generations: the older one is dropped when the younger one is full. */
const MAX_WORDS = 8_192;
/** Longer words are rare, and mostly not words of a language: they are not cached. */
const MAX_LENGTH = 32;

export class WordCache {
  readonly #analyze: (written: string) => AnalyzedWord;
  #young = new Map<string, AnalyzedWord>();
  #old = new Map<string, AnalyzedWord>();

  constructor(analyze: (written: string) => AnalyzedWord) {
    this.#analyze = analyze;
  }

  /** @param written the word as in the text */
  get(written: string): AnalyzedWord {
    const found = this.#young.get(written);
    if (found !== undefined) return found;
    // A slice keeps the whole text in memory, a copy does not.
    const copy = ` ${written}`.slice(1);
    const word = this.#old.get(copy) ?? this.#analyze(copy);
    if (copy.length <= MAX_LENGTH) this.#add(copy, word);
    return word;
  }

  #add(written: string, word: AnalyzedWord): void {
    if (this.#young.size >= MAX_WORDS) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(written, word);
  }
}
