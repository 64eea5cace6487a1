import type { Token } from '../token.js';
import { analyzerOf } from './analyzer.js';
import { type TokenLimits, TokenStream, defaultLimits } from './token-stream.js';

/** What is told of each word: the members of a Token, in their order. */
export type VisitToken = (...token: [term: string, word: string, position: number, start: number, end: number]) => void;

/** The words of a text without its stop words, with offsets into the text as it is. @param language ISO 639-1; null: not known */
export function analyze(text: string, language: string | null, limits: TokenLimits = defaultLimits): Token[] {
  const tokens: Token[] = [];
  const stream = new TokenStream(text, analyzerOf(language), limits);
  while (stream.next()) {
    const { term, word, position, start, end } = stream;
    tokens.push({ term, word, position, start, end });
  }
  return tokens;
}

/** The same without an object a word. @returns the number of words, stop words among them: the next free position */
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
