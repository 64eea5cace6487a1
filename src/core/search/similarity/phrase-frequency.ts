/**
 * Frequency of a phrase as in Lucene: a match whose words are `distance` positions away from those of the phrase counts
 * 1 / (1 + distance).
 */
import type { PhraseWordPositions } from '../score/phrase-matches.js';

/** @param slop maximum distance of a match; 0: exact phrase */
export function phraseFrequency(words: readonly PhraseWordPositions[], slop: number): number {
  if (words.length < 2) return words[0]?.positions.length ?? 0;
  const matcher = new SloppyMatcher(words);
  let frequency = 0;
  for (let isOver = words.some(({ positions }) => positions.length === 0); !isOver;) {
    const match = matcher.next();
    if (match.distance <= slop) frequency += 1 / (1 + match.distance);
    ({ isOver } = match);
  }
  return frequency;
}

class SloppyMatcher {
  /** Start of the phrase by each position of each word. */
  readonly #starts: readonly (readonly number[])[];
  readonly #at: number[];

  constructor(words: readonly PhraseWordPositions[]) {
    this.#starts = words.map(({ offset, positions }) => positions.map((position) => position - offset));
    this.#at = words.map(() => 0);
  }

  /** Advances the word with the first start beyond the second start; returns the smallest distance of all words on the way. */
  next(): { distance: number; isOver: boolean } {
    const current = this.#starts.map((starts, word) => starts[this.#at[word]!]!);
    const [first, second] = current.map((_, word) => word).sort((a, b) => current[a]! - current[b]!) as [
      number,
      number,
    ];
    const last = Math.max(...current);
    let distance = last - current[first]!;
    for (;;) {
      const moved = this.#starts[first]![++this.#at[first]!];
      if (moved === undefined || moved > current[second]!) return { distance, isOver: moved === undefined };
      distance = Math.min(distance, last - moved);
    }
  }
}
