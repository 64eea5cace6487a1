/** Divides items into chunks of a number; the last one may be smaller. */
export function* chunksOf<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

/** Divides items into chunks of bounded number and size; an item larger than that is a chunk of its own. */
export function* boundedChunks<T>(
  items: readonly T[],
  sizeOf: (item: T) => number,
  { maxCount, maxSize }: { maxCount: number; maxSize: number },
): Generator<T[]> {
  let chunk: T[] = [];
  let size = 0;
  for (const item of items) {
    const more = sizeOf(item);
    if (chunk.length > 0 && (chunk.length >= maxCount || size + more > maxSize)) {
      yield chunk;
      chunk = [];
      size = 0;
    }
    chunk.push(item);
    size += more;
  }
  if (chunk.length > 0) yield chunk;
}
