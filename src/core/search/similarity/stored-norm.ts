/** Lucene stores the length of a field in one byte. To get the same scores, lengths are rounded in the same way here. */

/** Lengths up to here are exact: 24 of them have bytes of their own, and 16 need just four bits. */
const EXACT = 40;
const FREE = 24;
const KEPT_BITS = 4;

/** Lucene 7 and later (`SmallFloat.intToByte4`): exact up to 40, then four significant bits of the part beyond 24. */
export function storedLength(length: number): number {
  if (length < EXACT) return length;
  const beyond = length - FREE;
  const unit = 1 << (32 - Math.clz32(beyond) - KEPT_BITS);
  return FREE + beyond - (beyond % unit);
}

/** In the form of Lucene: from 40 on, several lengths share a byte. */
export const isApproximate = (length: number): boolean => length >= EXACT;

const SMALLEST = 1.25 * 2 ** -31;
const LARGEST = 1.75 * 2 ** 32;
/** Sign, exponent and two bits of a 32-bit float: with the leading one three significant bits. */
const KEPT = 0xffe00000;
const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/** Lucene up to 6 (`SmallFloat.floatToByte315`): a norm with three significant bits. */
export function storedNorm(norm: number): number {
  if (!(norm > 0)) return 0;
  float[0] = norm;
  bits[0]! &= KEPT;
  return Math.min(LARGEST, Math.max(SMALLEST, float[0]));
}
