import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Analysis, NO_SLOT, CACHE_SLOTS, WordCache } from '../../../../src/core/search/analysis/word-cache.js';

/** An analysis whose result shows the word and the language that it was asked for, and that counts its calls. */
function counting(number: number): Analysis & { calls: number } {
  return {
    number,
    calls: 0,
    analyze(written) {
      this.calls++;
      return { word: `${written}/${number}`, term: written, isStop: false };
    },
  };
}

const whole = (cache: WordCache, analysis: Analysis, text: string) => cache.wordAt(analysis, text, 0, text.length);

describe('the cache of analyzed words', () => {
  it('returns what the analysis of the language returns, for any part of any text', () => {
    const cache = new WordCache();
    const languages = [counting(1), counting(2)];
    // Few characters, so that words come again; among them units that differ in their high byte only, and pairs.
    const text = fc.string({ unit: fc.constantFrom('a', 'š', 'b', '\u{1f600}', '\u0161', '\u0461'), maxLength: 60 });
    fc.assert(
      fc.property(text, fc.nat(60), fc.nat(60), fc.nat(1), (from, a, b, language) => {
        const [start, end] = [Math.min(a, b, from.length), Math.min(Math.max(a, b), from.length)];
        const found = cache.wordAt(languages[language]!, from, start, end);
        const written = from.slice(start, end);
        expect(found).toMatchObject({ word: `${written}/${language + 1}`, term: written });
      }),
      { numRuns: 2_000 },
    );
  });

  it('analyzes a word once, while it is in its slot', () => {
    const [cache, english] = [new WordCache(), counting(1)];
    const first = whole(cache, english, 'ferry');
    expect(cache.wordAt(english, 'a ferry boat', 2, 7)).toBe(first);
    expect(english.calls).toBe(1);
    expect(first.slot).toBeGreaterThanOrEqual(0);
    expect(first.slot).toBeLessThan(CACHE_SLOTS);
  });

  it('returns the right word for twice as many words as it has slots, and another object for one that was replaced', () => {
    const [cache, english] = [new WordCache(), counting(1)];
    const words = Array.from({ length: 2 * CACHE_SLOTS }, (_, n) => `w${n}`);
    const first = words.map((word) => whole(cache, english, word));
    const second = words.map((word) => whole(cache, english, word));
    expect(second.map(({ term }) => term)).toEqual(words);
    const slots = new Map<number, string>();
    for (const { slot, term } of [...first, ...second]) slots.set(slot, term);
    expect(slots.size).toBeGreaterThan(0.9 * CACHE_SLOTS);
    expect(english.calls).toBeGreaterThan(2 * CACHE_SLOTS);
    expect(first.filter((word, at) => word !== second[at]).length).toBe(english.calls - 2 * CACHE_SLOTS);
  });

  it('of two words of a set, replaces the one that was used less recently', () => {
    const [cache, english] = [new WordCache(), counting(1)];
    const words = Array.from({ length: CACHE_SLOTS }, (_, n) => `w${n}`);
    const other = new WordCache();
    const bySet = Map.groupBy(words, (word) => Math.floor(whole(other, english, word).slot / 2));
    const [one, two, three] = [...bySet.values()].find((words) => words.length >= 3)!;
    const kept = whole(cache, english, one!);
    whole(cache, english, two!);
    expect(whole(cache, english, one!)).toBe(kept);
    whole(cache, english, three!);
    expect(whole(cache, english, one!)).toBe(kept);
  });

  it('does not store words of more than 32 characters', () => {
    const [cache, english] = [new WordCache(), counting(1)];
    expect(whole(cache, english, 'x'.repeat(32)).slot).not.toBe(NO_SLOT);
    expect(whole(cache, english, 'x'.repeat(33))).toMatchObject({ term: 'x'.repeat(33), slot: NO_SLOT });
  });
});
