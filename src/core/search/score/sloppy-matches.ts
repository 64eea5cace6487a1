/** Matches of a phrase whose words may be moved (Lucene `SloppyPhraseMatcher`). */

/** A word of a phrase in one field of one document. */
export interface PhraseWordPositions {
  /** Its position in the phrase. */
  readonly offset: number;
  /** Its positions in the field, in ascending order. */
  readonly positions: readonly number[];
}

/**
 * Calls `visit` for each match with its distance: by how many positions its words are apart from where the phrase has them.
 * Each word has a position.
 */
export function eachSloppyMatch(words: readonly PhraseWordPositions[], visit: (distance: number) => void): void {
  const matcher = new SloppyMatcher(words);
  for (let isOver = words.some(({ positions }) => positions.length === 0); !isOver;) {
    const match = matcher.next();
    visit(match.distance);
    ({ isOver } = match);
  }
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
