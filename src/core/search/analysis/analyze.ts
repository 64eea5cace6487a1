import type { Token } from '../search-fields.js';
import { analyzerOf } from './analyzer.js';
import { type TokenLimits, TokenStream, defaultLimits } from './token-stream.js';

/** Called for each word with the members of a Token, in order. */
export type VisitToken = (...token: [term: string, word: string, position: number, start: number, end: number]) => void;

/** The words of a text without stop words, with offsets into the original text. @param language ISO 639-1; null: unknown */
export function analyze(text: string, language: string | null, limits: TokenLimits = defaultLimits): Token[] {
  const tokens: Token[] = [];
  const stream = new TokenStream(text, analyzerOf(language), limits);
  while (stream.next()) {
    const { term, word, position, start, end } = stream;
    tokens.push({ term, word, position, start, end });
  }
  return tokens;
}

/** Reads the words of a text without stop words one by one. @param language ISO 639-1; null: unknown */
export const tokensOf = (text: string, language: string | null, limits: TokenLimits): TokenStream =>
  new TokenStream(text, analyzerOf(language), limits);

/**
 * Calls `visit` for each word of a text, without an object per word.
 * @returns the number of words, including stop words: the next free position
 */
export function forEachToken(
  text: string,
  language: string | null,
  visit: VisitToken,
  limits: TokenLimits = defaultLimits,
): number {
  const stream = new TokenStream(text, analyzerOf(language), limits);
  while (stream.next()) visit(stream.term, stream.word, stream.position, stream.start, stream.end);
  return stream.position + 1;
}
