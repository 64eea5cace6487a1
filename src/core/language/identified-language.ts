/**
 * Identifies the language of a text by its words and letters (tinyld: 60 languages).
 *
 * The profiles take 8 MB of heap and a tenth of a second to load, so they are loaded on first use. Two thousand characters
 * take from 0.4 ms to 8 ms: the latter for words in no language, or of many. Where stop words show the language, they suffice.
 */
import { StopWordEvidence, plainWords } from './stop-word-evidence.js';

type DetectAll = (text: string) => { lang: string; accuracy: number }[];

/** Below this a guess is noise: tables of numbers, source code. */
const MIN_ACCURACY = 0.1;
/** From here a guess is certain (`lang.identification.only.certain`): sentences of one language reach 0.7 to 1. */
const CERTAIN_ACCURACY = 0.5;

let loaded: DetectAll | undefined;

export interface LanguageGuess {
  /** ISO 639-1. */
  readonly language: string;
  readonly isCertain: boolean;
}

/** The most probable language of a text, however improbable; undefined if the text has no words. @param maxLength see below */
export async function guessedLanguage(text: string, maxLength: number): Promise<LanguageGuess | undefined> {
  const best = await bestOf(text, maxLength);
  return best && { language: best.lang, isCertain: best.accuracy >= CERTAIN_ACCURACY };
}

/**
 * The ISO 639-1 code of the language of a text; null where it cannot be identified.
 * @param maxLength characters that are used
 */
export async function identifiedLanguage(
  text: string,
  maxLength: number,
  onlyCertain: boolean,
): Promise<string | null> {
  const shown = new StopWordEvidence(plainWords(text.slice(0, maxLength))).language;
  if (shown !== null) return shown;
  const best = await bestOf(text, maxLength);
  const min = onlyCertain ? CERTAIN_ACCURACY : MIN_ACCURACY;
  return best !== undefined && best.accuracy >= min ? best.lang : null;
}

async function bestOf(text: string, maxLength: number): Promise<ReturnType<DetectAll>[number] | undefined> {
  loaded ??= (await import('tinyld')).detectAll;
  return loaded(text.slice(0, maxLength).replaceAll(/\s+/g, ' '))[0];
}
