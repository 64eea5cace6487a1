/**
 * Which segments of an index to merge: each query reads all of them, so their number must not grow with each write. Those of one
 * size, within a factor of eight, are merged when there are more than eight, the smallest first, up to the largest size.
 */

/** Maximum of segments of similar size that are not merged. */
const MAX_LIKE = 8;
/** Sizes are similar within a factor of eight; all sizes below this count as similar. */
const SMALLEST = 1_000;
const FACTOR = 8;
/** Maximum of live documents of a merged segment, which limits the time of the transaction. */
export const MAX_MERGED = 500_000;

export interface SegmentSize {
  readonly seg: number;
  readonly liveDocuments: number;
}

/** The segments of the smallest size that has too many, oldest first; none if all may stay. */
export function segmentsToMerge(segments: readonly SegmentSize[]): number[] {
  const levels = Map.groupBy(segments, ({ liveDocuments }) => levelOf(liveDocuments));
  for (const [, alike] of [...levels].sort(([a], [b]) => a - b)) {
    if (alike.length <= MAX_LIKE) continue;
    let live = 0;
    const fitting = alike
      .toSorted((a, b) => a.liveDocuments - b.liveDocuments)
      .filter(({ liveDocuments }) => (live += liveDocuments) <= MAX_MERGED);
    if (fitting.length > 1) return fitting.map(({ seg }) => seg).sort((a, b) => a - b);
  }
  return [];
}

const levelOf = (documents: number): number =>
  Math.floor(Math.log(Math.max(documents, SMALLEST) / SMALLEST) / Math.log(FACTOR));
