/** Hits that are nearly the same page, by the SimHashes of their texts: one of them stands for all. */
export interface Fingerprinted {
  /** In two halves of 32 bits; both 0: the text has no fingerprint. */
  readonly simhash: readonly [high: number, low: number];
}

/** Bits in which texts that are nearly the same differ, at most: as DEDUP's by default. */
const MAX_DISTANCE = 3;

export interface Collapsed<T> {
  readonly hit: T;
  /** Hits behind it that it stands for. */
  readonly duplicates: number;
}

/** The first `max` hits that are near to none before them, and how many hits these are with those that they stand for. */
export function collapsed<T extends Fingerprinted>(
  hits: readonly T[],
  max: number,
): { kept: Collapsed<T>[]; taken: number } {
  const kept: { hit: T; duplicates: number }[] = [];
  let taken = 0;
  for (const hit of hits) {
    const same = kept.find((other) => isNear(other.hit.simhash, hit.simhash));
    if (same) same.duplicates++;
    else if (kept.length < max) kept.push({ hit, duplicates: 0 });
    else break;
    taken++;
  }
  return { kept, taken };
}

const isNear = (a: Fingerprinted['simhash'], b: Fingerprinted['simhash']): boolean =>
  (a[0] !== 0 || a[1] !== 0) && bitsIn(a[0] ^ b[0]) + bitsIn(a[1] ^ b[1]) <= MAX_DISTANCE;

function bitsIn(value: number): number {
  let count = 0;
  for (let v = value >>> 0; v !== 0; v &= v - 1) count++;
  return count;
}
