/** Finds the words of a query in a text. */
import { analyzerOf } from '../analysis/analyzer.js';
import { TokenStream } from '../analysis/token-stream.js';
import { initialPairs } from '../analysis/initial-pairs.js';
import { MAX_WORD_LENGTH } from '../postings/segment-builder.js';

/** Words and phrases to highlight, as terms of the index. */
export interface HighlightedWords {
  readonly terms: ReadonlySet<string>;
  readonly prefixes: readonly string[];
  readonly phrases: readonly HighlightedPhrase[];
}

export interface HighlightedPhrase {
  /** With their positions in the phrase. */
  readonly words: readonly { readonly term: string; readonly position: number }[];
  /** Positions by which each of its words may be moved. */
  readonly slop: number;
}

/** A word or a phrase in the text: UTF-16 units, the end is exclusive. */
export interface Highlight {
  readonly start: number;
  readonly end: number;
  /** Key of the word or phrase of the query: all its occurrences have one value. */
  readonly key: string;
  /** Words. */
  readonly size: number;
}

/** Maximum of words read from a text: 20 ms at most. */
const MAX_WORDS = 50_000;

interface Occurrence {
  readonly term: string;
  readonly start: number;
  readonly end: number;
}

/** Highlights in the order of the text, none within another. */
export function findHighlights(text: string, language: string | null, words: HighlightedWords): Highlight[] {
  const { terms, prefixes, phrases } = words;
  const occurrences = new Map<number, Occurrence>();
  const highlights: Highlight[] = [];
  const inPhrases = new Set(phrases.flatMap((phrase) => phrase.words.map(({ term }) => term)));
  const analyzer = analyzerOf(language);
  const limits = { maxTokens: MAX_WORDS, maxLength: MAX_WORD_LENGTH };
  const stream = new TokenStream(
    text,
    analyzer,
    analyzer.keepsInitials ? { ...limits, initials: initialsOf(words) } : limits,
  );
  while (stream.next()) {
    const { term, word, start, end, position } = stream;
    if (inPhrases.has(term)) occurrences.set(position, { term, start, end });
    const prefix = prefixes.find((each) => word.startsWith(each));
    if (terms.has(term)) highlights.push({ start, end, key: term, size: 1 });
    else if (prefix !== undefined) highlights.push({ start, end, key: `${prefix}*`, size: 1 });
  }
  return apart([
    ...highlights,
    ...phrases.flatMap((phrase) => (phrase.slop > 0 ? highlightsOfWords : phraseHighlights)(phrase, occurrences)),
  ]);
}

const known = new WeakMap<HighlightedWords, Uint8Array>();

/** With which two characters a word begins that has one of the terms or prefixes: most words of a text need not be analyzed. */
function initialsOf(words: HighlightedWords): Uint8Array {
  let initials = known.get(words);
  if (initials !== undefined) return initials;
  const phrases = words.phrases.flatMap((phrase) => phrase.words.map(({ term }) => term));
  initials = initialPairs([...words.terms, ...words.prefixes, ...phrases]);
  known.set(words, initials);
  return initials;
}

function phraseHighlights({ words }: HighlightedPhrase, occurrences: ReadonlyMap<number, Occurrence>): Highlight[] {
  const [first] = words;
  const last = words.at(-1);
  if (first === undefined || last === undefined) return [];
  const key = words.map(({ term }) => term).join(' ');
  const highlights: Highlight[] = [];
  for (const [position, { term, start }] of occurrences) {
    const from = position - first.position;
    if (term !== first.term || !words.every((word) => occurrences.get(from + word.position)?.term === word.term))
      continue;
    highlights.push({ start, end: occurrences.get(from + last.position)!.end, key, size: words.length });
  }
  return highlights;
}

/** The words of a phrase that may be moved, where all of them are near enough: what is between them is not highlighted. */
function highlightsOfWords(
  { words, slop }: HighlightedPhrase,
  occurrences: ReadonlyMap<number, Occurrence>,
): Highlight[] {
  const [first] = words;
  if (first === undefined) return [];
  const positions = Map.groupBy(occurrences.keys(), (position) => occurrences.get(position)!.term);
  const nearest = (term: string, position: number): number | undefined => {
    const termPositions = positions.get(term) ?? [];
    const at = firstFrom(termPositions, position - slop);
    return termPositions[at]! <= position + slop ? termPositions[at] : undefined;
  };
  return (positions.get(first.term) ?? []).flatMap((position) => {
    const wordPositions = words.map((word) => nearest(word.term, position - first.position + word.position));
    if (wordPositions.includes(undefined)) return [];
    return wordPositions.map((at) => ({ ...occurrences.get(at!)!, key: occurrences.get(at!)!.term, size: 1 }));
  });
}

/** The index of the first of ascending numbers that is at least a number. */
function firstFrom(numbers: readonly number[], min: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! < min) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Sorts highlights; keeps the longer one of overlapping highlights. */
function apart(highlights: Highlight[]): Highlight[] {
  highlights.sort((a, b) => a.start - b.start || b.end - a.end);
  const kept: Highlight[] = [];
  let end = -1;
  for (const highlight of highlights) {
    if (highlight.start < end) continue;
    kept.push(highlight);
    ({ end } = highlight);
  }
  return kept;
}
