/**
 * The snippets of a page in a list of hits: the ranges of its text with most of the query.
 *
 * Only the first 128 Ki UTF-16 units of a text are read. A snippet begins at a sentence if one is near, else at a word;
 * consecutive spaces and control characters become one space; `…` shows a cut. The caller escapes the text for HTML.
 */
import { startOf, wholeEnd } from '../../text-start.js';
import { type Highlight, type HighlightedWords, findHighlights } from './find-highlights.js';

export interface Snippet {
  readonly text: string;
  /** Start and end of each word or phrase of the query, in UTF-16 units of `text`, in order, not overlapping. */
  readonly marks: readonly (readonly [start: number, end: number])[];
}

export interface SnippetSize {
  /** UTF-16 units of a snippet, without its `…`. */
  readonly maxLength: number;
  readonly maxSnippets: number;
}

const MAX_UNITS = 131_072;

/** The best snippets in the order of the text; its beginning if it has no word of the query; none for an empty text. */
export function bestSnippets(
  text: string,
  language: string | null,
  words: HighlightedWords,
  { maxLength, maxSnippets }: SnippetSize,
): Snippet[] {
  const read = startOf(text, MAX_UNITS);
  const highlights = findHighlights(read, language, words).filter(({ start, end }) => end - start <= maxLength);
  const spans = bestSpans(read, highlights, { maxLength, maxSnippets });
  if (spans.length === 0) spans.push(spanAround(read, 0, 0, maxLength));
  return joined(spans)
    .map(([start, end]) => snippetAt(read, [start, end], highlights, end < text.length))
    .filter((snippet) => snippet.text !== '');
}

/** A short text (a title) as a whole, up to a length. */
export function highlightedTitle(
  text: string,
  language: string | null,
  words: HighlightedWords,
  maxLength: number,
): Snippet {
  const end = wholeEnd(text, Math.min(text.length, maxLength));
  const read = text.slice(0, end);
  return snippetAt(read, [0, end], findHighlights(read, language, words), end < text.length);
}

/** A run of highlights: the first and the last one. */
type HighlightRun = readonly [first: number, last: number];

/** The spans around runs of highlights: first the run with most words of the query, then those that add most; in the order of the text. */
function bestSpans(text: string, highlights: readonly Highlight[], { maxLength, maxSnippets }: SnippetSize): Span[] {
  const shown = new ShownSpans(text);
  const seen = new Set<string>();
  const taken: HighlightRun[] = [];
  const spanOf = ([first, last]: HighlightRun): Span =>
    spanAround(text, highlights[first]!.start, highlights[last]!.end, maxLength);
  while (taken.length < maxSnippets) {
    const best = bestRun(highlights, maxLength, { seen, taken, repeatEnd: (run) => shown.repeatEnd(spanOf(run)) });
    if (best === null) break;
    taken.push(best);
    shown.add(spanOf(best));
    for (let at = best[0]; at <= best[1]; at++) seen.add(highlights[at]!.key);
  }
  return taken.sort(([a], [b]) => a - b).map(spanOf);
}

interface Taken {
  readonly seen: ReadonlySet<string>;
  readonly taken: readonly HighlightRun[];
  /** The end of the snippet around a run if it repeats the text of a taken one, else 0. */
  readonly repeatEnd: (run: HighlightRun) => number;
}

/** A new word of the query outweighs any number of occurrences of known ones. */
const NEW_WORD = 1_000;

function bestRun(
  highlights: readonly Highlight[],
  maxLength: number,
  { seen, taken, repeatEnd }: Taken,
): HighlightRun | null {
  let run = new Run(highlights, seen, 0);
  let best: HighlightRun | null = null;
  let bestScore = 0;
  let repeated = 0;
  for (const [last, { start, end, key }] of highlights.entries()) {
    if (taken.some(([from, to]) => from <= last && last <= to) || (start < repeated && seen.has(key))) {
      run = new Run(highlights, seen, last + 1);
      continue;
    }
    run.add(last);
    while (end - highlights[run.first]!.start > maxLength) run.dropFirst();
    if (run.score <= bestScore) continue;
    if (run.score < NEW_WORD && (repeated = repeatEnd([run.first, last])) > 0) {
      run = new Run(highlights, seen, last + 1);
      continue;
    }
    best = [run.first, last];
    bestScore = run.score;
  }
  return best;
}

/** Parts in which texts are compared, and characters of a part at least. */
const PARTS = 8;
const MIN_PART = 8;
/** Maximum of spans that are compared for a page: 8 ms. */
const MAX_COMPARED = 1_000;

/** The texts of the spans that were selected: menus, footers and signatures are repeated in many pages. */
class ShownSpans {
  readonly #text: string;
  readonly #shown: { readonly span: Span; readonly text: string }[] = [];
  #compared = 0;

  constructor(text: string) {
    this.#text = text;
  }

  add(span: Span): void {
    this.#shown.push({ span, text: this.#textOf(span) });
  }

  /** The end of a span of which a third is the text of a selected one, apart from what they overlap; 0: it is another text. */
  repeatEnd(span: Span): number {
    let [start, end] = span;
    for (const { span: other } of this.#shown) {
      if (other[0] <= start && start < other[1]) start = Math.min(end, other[1]);
      if (other[0] < end && end <= other[1]) end = Math.max(start, other[0]);
    }
    const parts = partsOf(this.#textOf([start, end]));
    const common = (shown: string): number => parts.filter((part) => shown.includes(part)).length;
    const isRepeated =
      this.#compared++ >= MAX_COMPARED ||
      (parts.length > 0 && this.#shown.some(({ text }) => 3 * common(text) >= parts.length));
    return isRepeated ? span[1] : 0;
  }

  #textOf([start, end]: Span): string {
    return this.#text.slice(start, end).replace(BLANKS, ' ').trim();
  }
}

function partsOf(text: string): string[] {
  const size = Math.max(MIN_PART, Math.ceil(text.length / PARTS));
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
}

/** Consecutive highlights and their value. */
class Run {
  score = 0;
  first: number;
  readonly #highlights: readonly Highlight[];
  readonly #seen: ReadonlySet<string>;
  readonly #counts = new Map<string, number>();

  constructor(highlights: readonly Highlight[], seen: ReadonlySet<string>, first: number) {
    this.#highlights = highlights;
    this.#seen = seen;
    this.first = first;
  }

  add(at: number): void {
    const highlight = this.#highlights[at]!;
    const count = this.#counts.get(highlight.key) ?? 0;
    this.#counts.set(highlight.key, count + 1);
    this.score += 1 + (count === 0 ? this.#worth(highlight) : 0);
  }

  dropFirst(): void {
    const highlight = this.#highlights[this.first++]!;
    const rest = this.#counts.get(highlight.key)! - 1;
    this.#counts.set(highlight.key, rest);
    this.score -= 1 + (rest === 0 ? this.#worth(highlight) : 0);
  }

  #worth({ key, size }: Highlight): number {
    return this.#seen.has(key) ? 0 : NEW_WORD * size;
  }
}

/** Maximum distance between the beginning of a sentence and the first highlight. */
const MAX_LEAD = 0.6;
const SENTENCE = /[.!?。！？]\s+|\n\s*|[。！？]/gu;
/** Units that are searched for the beginning or the end of a word. */
const MAX_CUT_LENGTH = 24;

type Span = readonly [start: number, end: number];

/** About `maxLength` units around a range of the text. */
function spanAround(text: string, from: number, to: number, maxLength: number): Span {
  const free = Math.max(0, maxLength - (to - from));
  const start = beginning(text, from, Math.floor(free * MAX_LEAD));
  return [start, ending(text, to, Math.min(text.length, Math.max(to, start + maxLength)))];
}

/** The first sentence that begins at most `lead` units before a position; else a word about half as far before it. */
function beginning(text: string, from: number, lead: number): number {
  if (from <= lead) return 0;
  const before = text.slice(from - lead, from);
  SENTENCE.lastIndex = 0;
  if (SENTENCE.test(before)) return from - lead + SENTENCE.lastIndex;
  const near = from - Math.floor(lead / 2);
  const space = text.slice(near, Math.min(from, near + MAX_CUT_LENGTH)).search(/\s/u);
  return space === -1 ? afterPair(text, near) : near + space + 1;
}

function ending(text: string, to: number, end: number): number {
  if (end >= text.length) return text.length;
  for (let at = end; at > Math.max(to, end - MAX_CUT_LENGTH); at--) if (/\s/u.test(text[at]!)) return at;
  return Math.max(to, wholeEnd(text, end));
}

/** A start that is not within a surrogate pair. */
const afterPair = (text: string, at: number): number => (wholeEnd(text, at) === at ? at : at + 1);

/** Merges spans that touch or overlap. */
function joined(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const [start, end] of spans) {
    const before = merged.at(-1);
    if (before !== undefined && start <= before[1]) merged[merged.length - 1] = [before[0], Math.max(end, before[1])];
    else merged.push([start, end]);
  }
  return merged;
}

const BLANKS = /[\s\p{Cc}\u2028\u2029]+/gu;
/** Those that become shorter. */
const LONG_BLANKS = /[\s\p{Cc}\u2028\u2029]{2,}/gu;

/** A span of the text with collapsed blanks and adjusted highlights. @param goesOn whether the text continues after the span */
function snippetAt(text: string, [start, end]: Span, highlights: readonly Highlight[], goesOn: boolean): Snippet {
  const raw = text.slice(start, end).toWellFormed();
  const lead = /^[\s\p{Cc}]*/u.exec(raw)![0].length;
  const body = raw.slice(lead).replace(/[\s\p{Cc}]+$/u, '');
  if (body === '') return { text: '', marks: [] };
  const before = start > 0 ? '…' : '';
  const begin = start + lead;
  const inside = highlights.filter((highlight) => highlight.start >= begin && highlight.end <= begin + body.length);
  const places = movedPlaces(
    body,
    inside.flatMap((highlight) => [highlight.start - begin, highlight.end - begin]),
  );
  return {
    text: before + body.replace(BLANKS, ' ') + (goesOn ? '…' : ''),
    marks: inside.map((_, at) => [before.length + places[2 * at]!, before.length + places[2 * at + 1]!]),
  };
}

/** Maps ascending positions of a text to the same text with collapsed blanks. */
function movedPlaces(text: string, places: readonly number[]): number[] {
  const blanks = text.matchAll(LONG_BLANKS);
  let blank = blanks.next().value;
  let collapsed = 0;
  return places.map((place) => {
    for (; blank !== undefined && blank.index < place; blank = blanks.next().value) collapsed += blank[0].length - 1;
    return place - collapsed;
  });
}
