const MAX_REASON_LENGTH = 200;

/** The message of a thrown value, as one line. It never throws, even for a value whose conversion does. */
export function reasonOf(error: unknown): string {
  try {
    const words = error instanceof Error ? error.message || error.name : String(error);
    return words
      .toWellFormed()
      .replace(/\p{Cc}+/gu, ' ')
      .slice(0, MAX_REASON_LENGTH);
  } catch {
    return 'something that has no words';
  }
}
