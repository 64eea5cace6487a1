/**
 * What the stop words of a text say about its language. A text may consist of names, terms and code, which belong to no language,
 * while its stop words are those of one. Counting them takes a twentieth of the time that a look at its letters takes.
 */
import { stopWordsOf, withStopWords } from '../search/analysis/stop-words.js';

/** Different stop words that confirm a guess, and how many times as many as those of any other language. */
const MIN_STOP_WORDS = 3;
const LEAD = 2;
/** Different stop words that show the language without a guess. */
const MIN_DECISIVE = 8;
/** Languages whose stop words are those of a related one without a list, too: Afrikaans, Ukrainian and Bulgarian, Hindi. */
const WITH_RELATED: ReadonlySet<string> = new Set(['nl', 'ru', 'ne']);

/** A word of a sentence: letters, none in upper case. Names, options and code do not indicate the language. */
const PLAIN_WORD = /^[\p{Ll}\p{Lo}\p{Lm}\p{M}'’]+[,;.:!?]?$/u;

let languagesByWord: ReadonlyMap<string, readonly string[]> | undefined;

export class StopWordEvidence {
  private readonly counts = new Map<string, number>();

  /** @param words as `plainWords` returns them */
  constructor(words: readonly string[]) {
    languagesByWord ??= withLanguages();
    for (const word of new Set(words.map((plainWord) => plainWord.replace(/[,;.:!?]$/, ''))))
      for (const code of languagesByWord.get(word) ?? []) this.counts.set(code, this.count(code) + 1);
  }

  /** Whether they confirm a guess. */
  confirms(language: string): boolean {
    return this.count(language) >= MIN_STOP_WORDS && this.leads(language);
  }

  /** The language (ISO 639-1) that they show beyond doubt, null if they show none. */
  get language(): string | null {
    for (const [code, count] of this.counts)
      if (count >= MIN_DECISIVE && this.leads(code)) return WITH_RELATED.has(code) ? null : code;
    return null;
  }

  private leads(language: string): boolean {
    const ownCount = this.count(language);
    return [...this.counts].every(([code, count]) => code === language || ownCount >= LEAD * count);
  }

  private count(language: string): number {
    return this.counts.get(language) ?? 0;
  }
}

/** Each word once: a manual repeats the name of its program so often that it would decide. */
export const plainWords = (text: string): string[] =>
  [...new Set(text.split(/\s+/))].filter((word) => PLAIN_WORD.test(word));

function withLanguages(): ReadonlyMap<string, readonly string[]> {
  const codesByWord = new Map<string, string[]>();
  for (const code of withStopWords)
    for (const word of stopWordsOf(code)) codesByWord.set(word, [...(codesByWord.get(word) ?? []), code]);
  return codesByWord;
}
