/** The language of a document for the built-in index: declared by its page, or identified from its text. */
import { identifiedLanguage } from './identified-language.js';

export interface LanguagePolicy {
  /** `detect` uses the declared language, `identify` the text (Nutch `lang.extraction.policy`). */
  readonly ways: readonly string[];
  /** Characters of a text that are used at most. */
  readonly maxLength: number;
}

/** Minimum length of a text to identify its language, and length of the first attempt. 500 characters take 0.1 ms. */
const MIN_TEXT = 80;
const FIRST_LOOK = 500;
/** Words are collected from a text this many times as long as `maxLength`. */
const SPARSE = 4;
/** A word of a sentence: letters, none in upper case. Names, options and code do not indicate the language. */
const PLAIN_WORD = /^[\p{Ll}\p{Lo}\p{Lm}\p{M}'’]+[,;.:!?]?$/u;

/** ISO 639-1 code; null where the language is not certain. @param declared by the page */
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
  // Scripts without spaces have no such words.
  const read = words.length < MIN_TEXT ? text.slice(0, maxLength) : words;
  const first = await identifiedLanguage(read, Math.min(FIRST_LOOK, maxLength), true);
  return first === null && read.length > FIRST_LOOK ? identifiedLanguage(read, maxLength, true) : first;
}

/** Each word once: a manual repeats the name of its program so often that it would decide. */
function plainWords(text: string): string {
  return [...new Set(text.split(/\s+/))].filter((word) => PLAIN_WORD.test(word)).join(' ');
}
