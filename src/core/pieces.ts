/** Divides items into pieces of bounded number and size; an item larger than that is a piece of its own. */
export function* pieces<T>(
  all: readonly T[],
  sizeOf: (one: T) => number,
  { maxCount, maxSize }: { maxCount: number; maxSize: number },
): Generator<T[]> {
  let piece: T[] = [];
  let size = 0;
  for (const one of all) {
    const more = sizeOf(one);
    if (piece.length > 0 && (piece.length >= maxCount || size + more > maxSize)) {
      yield piece;
      piece = [];
      size = 0;
    }
    piece.push(one);
    size += more;
  }
  if (piece.length > 0) yield piece;
}
