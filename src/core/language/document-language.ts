/** The language of a document for the built-in index: declared by its page, or identified from its text. */
import { guessedLanguage } from './identified-language.js';
import { isConfirmed } from './stop-word-evidence.js';

export interface LanguagePolicy {
  /** `detect` uses the declared language, `identify` the text (Nutch `lang.extraction.policy`). */
  readonly ways: readonly string[];
  /** Characters of a text that are used at most. */
  readonly maxLength: number;
}

/**
 * Minimum length of a text to identify its language by letters alone, and length of the first attempt. 500 characters take
 * 0.1 ms.
 */
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
  const words = plainWords(text.slice(0, SPARSE * maxLength));
  const joined = words.join(' ');
  // Scripts without spaces have no such words.
  const read = joined.length < MIN_TEXT ? text.slice(0, maxLength) : joined;
  let guess = await guessedLanguage(read, Math.min(FIRST_LOOK, maxLength));
  if (guess?.isCertain === false && read.length > FIRST_LOOK) guess = await guessedLanguage(read, maxLength);
  if (guess === undefined) return null;
  const isCertain = guess.isCertain && text.length >= MIN_TEXT;
  return isCertain || isConfirmed(guess.language, words.map(withoutMark)) ? guess.language : null;
}

/** Each word once: a manual repeats the name of its program so often that it would decide. */
function plainWords(text: string): string[] {
  return [...new Set(text.split(/\s+/))].filter((word) => PLAIN_WORD.test(word));
}

const withoutMark = (word: string): string => word.replace(/[,;.:!?]$/, '');
