import { type RefusedDocument, WriteFailed } from '../../core/indexing/index-writer.js';

/**
 * Sends documents; where the request is too large for the engine or a proxy before it, or refused for one of them, each half
 * separately. The one that remains is refused: it must not delay all others.
 */
export async function sendInHalves<T extends { readonly id: string }>(
  documents: readonly T[],
  send: (some: readonly T[]) => Promise<RefusedDocument[]>,
): Promise<RefusedDocument[]> {
  try {
    return await send(documents);
  } catch (error) {
    if (!(error instanceof WriteFailed && error.isDivisible)) throw error;
    const [first] = documents;
    if (documents.length < 2) return first ? [{ id: first.id, reason: error.message }] : [];
    const half = Math.ceil(documents.length / 2);
    const refused = await sendInHalves(documents.slice(0, half), send);
    return [...refused, ...(await sendInHalves(documents.slice(half), send))];
  }
}

/** Deletes documents by `send`. @throws WriteFailed naming the first one that the engine does not delete */
export async function deleteInHalves<T extends { readonly id: string }>(
  deletions: readonly T[],
  send: (some: readonly T[]) => Promise<RefusedDocument[]>,
): Promise<void> {
  const [first] = await sendInHalves(deletions, send);
  if (first) throw new WriteFailed(`it did not delete ${first.id}: ${first.reason}`, false);
}
