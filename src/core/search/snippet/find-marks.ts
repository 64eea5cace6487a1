/** Finds the words of a query in a text. */
import { analyzerOf } from '../analysis/analyzer.js';
import { TokenStream } from '../analysis/token-stream.js';
import { initialPairs } from '../analysis/initial-pairs.js';
import { MAX_WORD_LENGTH } from '../postings/segment-builder.js';

/** Words and phrases to mark, as terms of the index. */
export interface MarkedWords {
  readonly terms: ReadonlySet<string>;
  readonly prefixes: readonly string[];
  /** Words with their positions in the phrase. */
  readonly phrases: readonly (readonly { readonly term: string; readonly position: number }[])[];
}

/** A word or a phrase in the text: UTF-16 units, the end is exclusive. */
export interface Mark {
  readonly start: number;
  readonly end: number;
  /** Key of the word or phrase of the query: all its occurrences have one value. */
  readonly of: string;
  /** Words. */
  readonly size: number;
}

/** Maximum of words read from a text: 20 ms at most. */
const MAX_WORDS = 50_000;

interface Place {
  readonly term: string;
  readonly start: number;
  readonly end: number;
}

/** Marks in the order of the text, none within another. */
export function findMarks(text: string, language: string | null, words: MarkedWords): Mark[] {
  const { terms, prefixes, phrases } = words;
  const places = new Map<number, Place>();
  const marks: Mark[] = [];
  const inPhrases = new Set(phrases.flatMap((all) => all.map(({ term }) => term)));
  const analyzer = analyzerOf(language);
  const limits = { maxTokens: MAX_WORDS, maxLength: MAX_WORD_LENGTH };
  const stream = new TokenStream(
    text,
    analyzer,
    analyzer.keepsInitials ? { ...limits, initials: initialsOf(words) } : limits,
  );
  while (stream.next()) {
    const { term, word, start, end, position } = stream;
    if (inPhrases.has(term)) places.set(position, { term, start, end });
    const prefix = prefixes.find((each) => word.startsWith(each));
    if (terms.has(term)) marks.push({ start, end, of: term, size: 1 });
    else if (prefix !== undefined) marks.push({ start, end, of: `${prefix}*`, size: 1 });
  }
  return apart([...marks, ...phrases.flatMap((all) => phraseMarks(all, places))]);
}

const known = new WeakMap<MarkedWords, Uint8Array>();

/** With which two characters a word begins that has one of the terms or prefixes: most words of a text need not be analyzed. */
function initialsOf(words: MarkedWords): Uint8Array {
  let initials = known.get(words);
  if (initials !== undefined) return initials;
  const phrases = words.phrases.flatMap((all) => all.map(({ term }) => term));
  initials = initialPairs([...words.terms, ...words.prefixes, ...phrases]);
  known.set(words, initials);
  return initials;
}

function phraseMarks(words: MarkedWords['phrases'][number], places: ReadonlyMap<number, Place>): Mark[] {
  const [first] = words;
  const last = words.at(-1);
  if (first === undefined || last === undefined) return [];
  const of = words.map(({ term }) => term).join(' ');
  const marks: Mark[] = [];
  for (const [position, { term, start }] of places) {
    const from = position - first.position;
    if (term !== first.term || !words.every((word) => places.get(from + word.position)?.term === word.term)) continue;
    marks.push({ start, end: places.get(from + last.position)!.end, of, size: words.length });
  }
  return marks;
}

/** Sorts marks; keeps the longer one of overlapping marks. */
function apart(marks: Mark[]): Mark[] {
  marks.sort((a, b) => a.start - b.start || b.end - a.end);
  const kept: Mark[] = [];
  let end = -1;
  for (const mark of marks) {
    if (mark.start < end) continue;
    kept.push(mark);
    ({ end } = mark);
  }
  return kept;
}
