/** Spelling help: the known name that a mistyped one most likely meant. */

const MAX_NAME_LENGTH = 200;

/**
 * The name of `known` with the fewest edits from `given`, if at most a quarter of its letters (and at most 5) differ;
 * otherwise null. Cost is given.length × name.length for each name of about the same length.
 */
export function nearestName(given: string, known: readonly string[]): string | null {
  if (given.length > MAX_NAME_LENGTH) return null;
  const limit = Math.min(5, Math.floor(given.length / 4));
  let best: string | null = null;
  let fewest = limit + 1;
  for (const name of known) {
    if (Math.abs(name.length - given.length) >= fewest) continue;
    const edits = editDistance(given.toLowerCase(), name.toLowerCase());
    if (edits < fewest) [best, fewest] = [name, edits];
  }
  return best;
}

/** Levenshtein's distance, one row of his table at a time. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line++) {
    const next = [line];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (row[column - 1] ?? 0) + (from[line - 1] === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
