/** Terms are ordered by their bytes in UTF-8, as in PostgreSQL's collation "C"; JavaScript's order differs from U+D800 on. */
const BEYOND = /[\ud800-\uffff]/;

/** Negative if `a` sorts before `b`. */
export function compareTerms(a: string, b: string): number {
  if (BEYOND.test(a) || BEYOND.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The indexes of terms, in their order. */
export function byCodePoints(terms: readonly string[]): Uint32Array {
  const order = Uint32Array.from(terms, (_, i) => i);
  const isPlain = !terms.some((term) => BEYOND.test(term));
  // Most texts have no such character, and comparing units is twice as fast.
  return isPlain
    ? order.sort((a, b) => (terms[a]! < terms[b]! ? -1 : 1))
    : order.sort((a, b) => compareTerms(terms[a]!, terms[b]!));
}
