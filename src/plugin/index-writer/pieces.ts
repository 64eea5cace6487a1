import { type RefusedDocument, WriteFailed } from '../../core/indexing/index-writer.js';

/** Divides items into requests of bounded number and size; an item larger than that is a request of its own. */
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

/**
 * Sends documents; where the request is too large for the engine or a proxy before it, each half separately. A single one that is
 * too large is rejected: it must not hold back all others.
 */
export async function inHalves<T extends { readonly id: string }>(
  documents: readonly T[],
  send: (some: readonly T[]) => Promise<RefusedDocument[]>,
): Promise<RefusedDocument[]> {
  try {
    return await send(documents);
  } catch (error) {
    if (!(error instanceof WriteFailed && error.isTooLarge)) throw error;
    const [first] = documents;
    if (documents.length < 2) return first ? [{ id: first.id, reason: error.message }] : [];
    const half = Math.ceil(documents.length / 2);
    const refused = await inHalves(documents.slice(0, half), send);
    return [...refused, ...(await inHalves(documents.slice(half), send))];
  }
}
