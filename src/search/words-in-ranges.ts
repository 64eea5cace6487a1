/** The words in ranges of terms of an index: for prefixes, and for words that resemble a misspelt one. */
import { boundsOfWords, isWordWithin } from '../core/search/postings/site-terms.js';
import { eachTerm } from '../core/search/postings/term-block.js';
import type { Sql } from '../db/sql.js';
import { type TermRange, rangeBlocks } from './segment-reading.sql.js';

/** A range of terms with a common prefix, `from`, and the limits of their length in bytes. */
export interface WordsFrom extends TermRange {
  readonly minBytes: number;
  readonly maxBytes: number;
}

/** The words in the blocks of a range that were read; it may end with the last of them. */
export interface WordsInRange {
  readonly words: readonly { readonly term: string; readonly df: number }[];
  readonly areAll: boolean;
}

/** For each range, the words with its prefix in its first blocks of each segment, with their document frequencies. */
export async function wordsInRanges(
  db: Sql,
  crawl: number,
  segments: readonly number[],
  ranges: readonly WordsFrom[],
): Promise<WordsInRange[]> {
  const filters = ranges.map(({ from, minBytes, maxBytes }) => ({ prefix: Buffer.from(from), minBytes, maxBytes }));
  const frequencies = ranges.map(() => new Map<string, number>());
  const parts = ranges.flatMap((range, at) =>
    boundsOfWords(range).map((bounds) => ({ ...bounds, maxBlocks: range.maxBlocks, at })),
  );
  const blocks = await rangeBlocks(db, crawl, segments, parts);
  for (const { range, head } of blocks) {
    const part = parts[range]!;
    const df = frequencies[part.at]!;
    eachTerm(head, filters[part.at]!, (term, count) => {
      if (isWordWithin(part, term)) df.set(term, (df.get(term) ?? 0) + count);
    });
  }
  const bySegment = Map.groupBy(blocks, ({ range, seg }) => `${range} ${seg}`).values();
  const full = [...bySegment].filter((ofPart) => ofPart.length === parts[ofPart[0]!.range]!.maxBlocks);
  const cut = new Set(full.map(([first]) => parts[first!.range]!.at));
  return frequencies.map((dfByTerm, at) => ({
    words: Array.from(dfByTerm, ([term, df]) => ({ term, df })),
    areAll: !cut.has(at),
  }));
}
