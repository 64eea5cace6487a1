/** The language of a document for the built-in index: declared by its page, or identified from its text. */
import { guessedLanguage } from './identified-language.js';
import { StopWordEvidence, plainWords } from './stop-word-evidence.js';

export interface LanguagePolicy {
  /** `detect` uses the declared language, `identify` the text (Nutch `lang.extraction.policy`). */
  readonly ways: readonly string[];
  /** Characters of a text that are used at most. */
  readonly maxLength: number;
}

/**
 * Minimum length of a text to identify its language by letters alone, and length of the first attempt. Of text in no language
 * 500 characters take 2 ms, and four times as many four times as long.
 */
const MIN_TEXT = 80;
const FIRST_LOOK = 500;
/** Words are collected from a text this many times as long as `maxLength`. */
const SPARSE = 4;

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
  const begin = new StopWordEvidence(plainWords(text.slice(0, maxLength))).language;
  if (begin !== null) return begin;
  const words = plainWords(text.slice(0, SPARSE * maxLength));
  const evidence = new StopWordEvidence(words);
  return evidence.language ?? byLetters(text, { words, evidence, maxLength });
}

interface Read {
  readonly words: readonly string[];
  readonly evidence: StopWordEvidence;
  readonly maxLength: number;
}

async function byLetters(text: string, { words, evidence, maxLength }: Read): Promise<string | null> {
  const joined = words.join(' ');
  // Scripts without spaces have no such words.
  const isJoined = joined.length >= MIN_TEXT;
  const read = isJoined ? joined : eachOnce(text.slice(0, maxLength));
  let guess = await guessedLanguage(read, Math.min(FIRST_LOOK, maxLength));
  if (isJoined && guess?.isCertain === false && read.length > FIRST_LOOK)
    guess = await guessedLanguage(read, maxLength);
  if (guess === undefined) return null;
  const isCertain = guess.isCertain && read.length >= MIN_TEXT;
  return isCertain || evidence.confirms(guess.language) ? guess.language : null;
}

/** What is between spaces, each once, without digits: numbered names are one word. */
const eachOnce = (text: string): string => [...new Set(text.replaceAll(/\p{Nd}+/gu, '').split(/\s+/))].join(' ');
