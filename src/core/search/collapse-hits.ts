/** Collapses hits whose texts are near duplicates: one is shown, with the number of others. */
import { bitsIn, mixed, wordHash } from '../page/simhash.js';
import type { Bits64, Fingerprints } from './postings/segment-builder.js';

/** A SimHash; both halves 0: none. */
export type Fingerprint = Bits64;

/** A text with fewer different words has no fingerprint: different short pages may differ in few words only. */
const MIN_TERMS = 20;
/** Maximum of different bits between near duplicates. */
const MAX_DISTANCE = 3;

/** The SimHash of the terms of a document, each weighted by the logarithm of its frequency. */
export const fingerprints: Fingerprints = {
  hashOf(term) {
    const [high, low] = wordHash(term);
    return [mixed(high), mixed(low)];
  },
  fingerprint(hashes, frequencies) {
    if (frequencies.length < MIN_TERMS) return [0, 0];
    const votes = new Float64Array(64);
    let total = 0;
    for (let at = 0; at < frequencies.length; at++) {
      const high = hashes[2 * at]!;
      const low = hashes[2 * at + 1]!;
      const weight = 1 + Math.log2(frequencies[at]!);
      total += weight;
      // Multiplied: a branch on a random bit costs more.
      for (let bit = 0; bit < 32; bit++) {
        votes[bit]! += weight * ((high >>> bit) & 1);
        votes[bit + 32]! += weight * ((low >>> bit) & 1);
      }
    }
    return [majority(votes, 0, total), majority(votes, 32, total)];
  },
};

/** 32 bits: 1 where the votes for it are more than half of all. */
function majority(votes: Float64Array, from: number, total: number): number {
  let value = 0;
  for (let bit = 0; bit < 32; bit++) if (2 * votes[from + bit]! > total) value |= 1 << bit;
  return value >>> 0;
}

export interface HitWithNear<Hit> {
  readonly hit: Hit;
  /** Later hits that are near duplicates, and are not shown. */
  readonly near: readonly Hit[];
}

/** Compares each hit, in order, with those that are shown already. */
export function collapseNear<Hit>(
  hits: readonly Hit[],
  fingerprint: (hit: Hit) => Fingerprint,
  maxDistance: number = MAX_DISTANCE,
): HitWithNear<Hit>[] {
  const shown: { hit: Hit; near: Hit[]; print: Fingerprint }[] = [];
  for (const hit of hits) {
    const print = fingerprint(hit);
    const same = isNone(print) ? undefined : shown.find((other) => isNear(print, other.print, maxDistance));
    if (same) same.near.push(hit);
    else shown.push({ hit, near: [], print });
  }
  return shown.map(({ hit, near }) => ({ hit, near }));
}

const isNone = (print: Fingerprint): boolean => print[0] === 0 && print[1] === 0;

/** Without destructuring, which makes iterators: it is asked of each pair of hits. */
const isNear = (a: Fingerprint, b: Fingerprint, maxDistance: number): boolean =>
  !isNone(b) && bitsIn(a[0] ^ b[0]) + bitsIn(a[1] ^ b[1]) <= maxDistance;
