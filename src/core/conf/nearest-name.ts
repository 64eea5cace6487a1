/** Spelling help: the known name that a mistyped one most likely meant. */
import { damerauLevenshtein } from '../edit-distance.js';

const MAX_NAME_LENGTH = 200;

/**
 * The name of `known` with the fewest edits from `unknownName`, at most one for four of its letters, and at most 5; otherwise
 * null. Two neighbours that are swapped are one edit. Cost is the product of both lengths for each name of about the same length.
 */
export function nearestName(unknownName: string, known: readonly string[]): string | null {
  if (unknownName.length > MAX_NAME_LENGTH) return null;
  const limit = Math.min(5, Math.floor(unknownName.length / 4));
  let best: string | null = null;
  let fewest = limit + 1;
  for (const name of known) {
    const edits = damerauLevenshtein(unknownName.toLowerCase(), name.toLowerCase(), fewest - 1);
    if (edits !== null) [best, fewest] = [name, edits];
  }
  return best;
}
