/** Splits a text into words, one by one (Lucene `TokenStream`), without an object per word, for the speed of INDEX. */
import { EXTEND, PAIR, SEPARATOR, UNSPACED, WORD, classOfPair, classOfUnit } from './characters.js';
import { mayBegin } from './initial-pairs.js';
import { MAX_RUN, segmentsOf } from './segments.js';
import type { Analyzer } from './analyzer.js';
import { type AnalyzedWord, NO_SLOT } from './word-cache.js';

export interface TokenLimits {
  /** Words read, including stop words; the rest of the text is ignored. */
  readonly maxTokens: number;
  /** UTF-16 units of a word; a longer one is skipped, but counts as a position. */
  readonly maxLength: number;
  /** Words that cannot begin so are passed over (`initialPairs`). */
  readonly initials?: Uint8Array;
}

/** About 600 KB of text; words longer than a SHA-512 in hex are data, not words. */
export const defaultLimits: TokenLimits = { maxTokens: 100_000, maxLength: 128 };

const UNDERSCORE = 0x5f;
const NO_WORD: AnalyzedWord = { word: '', term: '', isStop: false, slot: NO_SLOT };

/** The fields have the current word, as in a Token; `next` advances to the following one. */
export class TokenStream {
  analyzed: AnalyzedWord = NO_WORD;
  position = -1;
  start = 0;
  end = 0;
  readonly #text: string;
  readonly #analyzer: Analyzer;
  readonly #limits: TokenLimits;
  /** Ends of the words of a run without spaces; those before `#segment` are done. */
  #segments: readonly number[] = [];
  #segment = 0;

  constructor(text: string, analyzer: Analyzer, limits: TokenLimits = defaultLimits) {
    this.#text = text;
    this.#analyzer = analyzer;
    this.#limits = limits;
  }

  get word(): string {
    return this.analyzed.word;
  }

  get term(): string {
    return this.analyzed.term;
  }

  /** False after the last word, or after the maximum of words. */
  next(): boolean {
    while (this.position + 1 < this.#limits.maxTokens && this.#advance()) {
      this.position++;
      if (this.end - this.start > this.#limits.maxLength) continue;
      const { initials } = this.#limits;
      if (initials && !mayBegin(initials, this.#text, this.start, this.end)) continue;
      const analyzed = this.#analyzer.wordAt(this.#text, this.start, this.end);
      // A joiner between two Han characters folds to an empty text; NFKC expands an Arabic ligature to 18 characters.
      if (analyzed.term === '' || analyzed.word.length > this.#limits.maxLength) continue;
      if (analyzed.isStop && !this.#isInIdentifier()) continue;
      this.analyzed = analyzed;
      return true;
    }
    return false;
  }

  /** Whether an underscore joins the word to another one: it is a part of a name then, as in `to_csv`. */
  #isInIdentifier(): boolean {
    const { start, end } = this;
    return this.#isUnderscore(start - 1, start - 2) || this.#isUnderscore(end, end + 1);
  }

  #isUnderscore(at: number, beyond: number): boolean {
    const text = this.#text;
    return text.charCodeAt(at) === UNDERSCORE && classOfUnit(text.charCodeAt(beyond)) === WORD;
  }

  /** Sets start and end to the next word of the text. */
  #advance(): boolean {
    if (this.#segment < this.#segments.length) return this.#nextSegment();
    const text = this.#text;
    let at = this.end;
    let kind = SEPARATOR;
    for (; at < text.length; at++) {
      kind = this.#classAt(at);
      if (kind === WORD || kind === UNSPACED) break;
    }
    if (at >= text.length) return false;
    this.start = at;
    this.end = this.#endOf(at, kind);
    return kind === WORD || this.#beginSegments();
  }

  #classAt(at: number): number {
    const kind = classOfUnit(this.#text.charCodeAt(at));
    return kind === PAIR ? classOfPair(this.#text, at) : kind;
  }

  /** The end of the run of a class that begins at a unit, including marks and joiners. */
  #endOf(start: number, kind: number): number {
    const text = this.#text;
    const max = kind === UNSPACED ? Math.min(text.length, start + MAX_RUN) : text.length;
    let at = start;
    while (at < max) {
      const unit = classOfUnit(text.charCodeAt(at));
      if (unit === kind || unit === EXTEND) at++;
      else if (unit === PAIR && this.#continues(at, kind)) at += 2;
      else break;
    }
    return at;
  }

  #continues(at: number, kind: number): boolean {
    const pair = classOfPair(this.#text, at);
    return pair === kind || pair === EXTEND;
  }

  #beginSegments(): boolean {
    this.#segments = segmentsOf(this.#text, this.start, this.end);
    this.#segment = 0;
    return this.#nextSegment();
  }

  #nextSegment(): boolean {
    if (this.#segment > 0) this.start = this.end;
    this.end = this.#segments[this.#segment++]!;
    return true;
  }
}
