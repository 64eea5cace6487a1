const MAX_REASON_LENGTH = 200;

/** What was thrown, in a line; even a value whose reading throws has words. */
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
