/** The distance of two words by the errors of typing. */

/**
 * Number of insertions, deletions, replacements and swaps of neighbours, each letter once (optimal string alignment); null: >
 * `max`.
 */
export function damerauLevenshtein(a: string, b: string, max: number): number | null {
  if (Math.abs(a.length - b.length) > max) return null;
  // Skips the common prefix and suffix.
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const distance = aligned(a.slice(start, a.length - end), b.slice(start, b.length - end), max);
  return distance <= max ? distance : null;
}

/** The distance, or any number above `max` if it is larger. */
function aligned(a: string, b: string, max: number): number {
  if (a.length === 0 || b.length === 0) return a.length + b.length;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let value = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + cost);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) value = Math.min(value, before[j - 2]! + 1);
      row.push(value);
      least = Math.min(least, value);
    }
    if (least > max) return least;
    [before, last] = [last, row];
  }
  return last[b.length]!;
}
