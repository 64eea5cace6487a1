/**
 * Frequency of a phrase as in Lucene: a match whose words are `distance` positions away from those of the phrase counts
 * 1 / (1 + distance).
 */
import { type PhraseWordPositions, eachSloppyMatch } from '../score/sloppy-matches.js';

/** @param slop maximum distance of a match; 0: exact phrase */
export function phraseFrequency(words: readonly PhraseWordPositions[], slop: number): number {
  if (words.length < 2) return words[0]?.positions.length ?? 0;
  let frequency = 0;
  eachSloppyMatch(words, (distance) => {
    if (distance <= slop) frequency += 1 / (1 + distance);
  });
  return frequency;
}
