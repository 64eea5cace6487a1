/**
 * The similarity of a page to a text on the topic of the crawl (Nutch 1.x `scoring-similarity`, model cosine).
 *
 * Both texts become vectors of n-gram counts, without stop words; the score is the cosine of the angle between them: 1 for
 * equal proportions, 0 for nothing in common. Title, description and keywords of a page are part of its text, the title once:
 * the text of an HTML page begins with it. Words are compared in lower case; Nutch also stems them.
 */
import { WORDS } from '../words.js';
import type { Distribute, PageScore } from './scoring-filter.js';

export interface SimilarityProps {
  /** The text to compare with. */
  readonly gold: string;
  /** Words that are ignored, separated by anything but letters and digits. */
  readonly stopWords: string;
  /** Smallest and largest n of the n-grams. */
  readonly ngrams: readonly [shortest: number, longest: number];
}

const MAX_WORDS = 50_000;

type Vector = ReadonlyMap<string, number>;

/** Adds the cosine of page and gold text; nothing without a gold text. */
export function similarityScore({ gold, stopWords, ngrams }: SimilarityProps): PageScore {
  const stops = new Set(countedWords(stopWords, new Set()));
  const model = vectorOf(countedWords(gold, stops), ngrams);
  return ({ title, text, metadata }, score) => {
    const whole = text.startsWith(title) ? text : `${title} ${text}`;
    const all = [whole, metadata['metatag.description'] ?? '', metadata['metatag.keywords'] ?? ''].join(' ');
    return score + cosine(vectorOf(countedWords(all, stops), ngrams), model);
  };
}

/** The initial score of a new page is the content score of the page that links to it. */
export const passSimilarity: Distribute = (page, shares) => ({ ...shares, start: shares.start + page.contentScore });

function countedWords(text: string, stops: ReadonlySet<string>): string[] {
  const words: string[] = [];
  for (const [word] of text.toLowerCase().matchAll(WORDS)) {
    if (words.length >= MAX_WORDS) break;
    if (!stops.has(word)) words.push(word);
  }
  return words;
}

function vectorOf(words: readonly string[], [shortest, longest]: readonly [number, number]): Vector {
  const counts = new Map<string, number>();
  for (let n = shortest; n <= longest; n++) {
    for (let at = 0; at + n <= words.length; at++) {
      const run = n === 1 ? words[at]! : words.slice(at, at + n).join(' ');
      counts.set(run, (counts.get(run) ?? 0) + 1);
    }
  }
  return counts;
}

/** From 0 to 1; 0 where either is empty. */
function cosine(a: Vector, b: Vector): number {
  let dot = 0;
  for (const [run, n] of b) dot += n * (a.get(run) ?? 0);
  const lengths = Math.sqrt(squares(a) * squares(b));
  return lengths === 0 ? 0 : Math.min(1, dot / lengths);
}

function squares(vector: Vector): number {
  let sum = 0;
  for (const n of vector.values()) sum += n * n;
  return sum;
}
