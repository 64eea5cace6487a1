/** The language in which the built-in index reads a document: what its page says, or what its text tells. */
import { identifiedLanguage } from './identified-language.js';

export interface LanguagePolicy {
  /** `detect` takes what the page says, `identify` looks at the text (Nutch `lang.extraction.policy`). */
  readonly ways: readonly string[];
  /** Characters of a text that are looked at. */
  readonly maxLength: number;
}

/** Characters by which a language is told: below the first there is no telling, the second are looked at first. 500 take 0.1 ms. */
const MIN_TEXT = 80;
const FIRST_LOOK = 500;
/** Of a text so many times as much is gone through for words as is looked at. */
const SPARSE = 4;
/** A word of a sentence: letters, none of them a capital. Names, options and code say nothing of the language around them. */
const PLAIN_WORD = /^[\p{Ll}\p{Lo}\p{Lm}\p{M}'’]+[,;.:!?]?$/u;

/** ISO 639-1; null where there is no telling with certainty. @param declared by the page */
export async function documentLanguage(
  text: string,
  declared: string | null,
  { ways, maxLength }: LanguagePolicy,
): Promise<string | null> {
  for (const way of ways) {
    const language = way === 'detect' ? declared : await certainLanguage(text, maxLength);
    if (language !== null) return language;
  }
  return null;
}

async function certainLanguage(text: string, maxLength: number): Promise<string | null> {
  if (text.length < MIN_TEXT) return null;
  const words = plainWords(text.slice(0, SPARSE * maxLength));
  // Scripts without spaces have none.
  const read = words.length < MIN_TEXT ? text.slice(0, maxLength) : words;
  const first = await identifiedLanguage(read, Math.min(FIRST_LOOK, maxLength), true);
  return first === null && read.length > FIRST_LOOK ? identifiedLanguage(read, maxLength, true) : first;
}

/** Each word once: a manual says the name of its program so often that it would decide. */
function plainWords(text: string): string {
  return [...new Set(text.split(/\s+/))].filter((word) => PLAIN_WORD.test(word)).join(' ');
}
