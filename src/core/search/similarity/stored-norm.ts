/** Lucene keeps the length of a field in one byte. Its numbers are only met with lengths that are rounded as it does. */

/** Lengths up to here are kept as they are: 24 of them have bytes of their own, and 16 have four bits. */
const EXACT = 40;
const FREE = 24;
const KEPT_BITS = 4;

/** Lucene 7 and later (`SmallFloat.intToByte4`): exact up to 40, then four significant bits of what goes beyond 24. */
export function storedLength(length: number): number {
  if (length < EXACT) return length;
  const beyond = length - FREE;
  const unit = 2 ** (Math.floor(Math.log2(beyond)) + 1 - KEPT_BITS);
  return FREE + Math.floor(beyond / unit) * unit;
}

/** As Lucene says it: from 40 on there may be longer fields with the same byte. */
export const isApproximate = (length: number): boolean => length >= EXACT;

const SMALLEST = 1.25 * 2 ** -31;
const LARGEST = 1.75 * 2 ** 32;

/** Lucene up to 6 (`SmallFloat.floatToByte315`): a norm with three significant bits. */
export function storedNorm(norm: number): number {
  if (!(norm > 0)) return 0;
  const unit = 2 ** (Math.floor(Math.log2(norm)) - 2);
  return Math.min(LARGEST, Math.max(SMALLEST, Math.floor(norm / unit) * unit));
}
