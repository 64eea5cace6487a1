import { describe, expect, it } from 'vitest';
import { type Fingerprint, collapseNear, fingerprints } from '../../../src/core/search/collapse-hits.js';

const words = (count: number, from = 0) => new Map(Array.from({ length: count }, (_, at) => [`word${from + at}`, 1]));
const fingerprintOf = (terms: ReadonlyMap<string, number>): Fingerprint =>
  fingerprints.fingerprint([...terms.keys()].flatMap(fingerprints.hashOf), [...terms.values()]);
const bits = ([a, b]: Fingerprint, [c, d]: Fingerprint) =>
  [a ^ c, b ^ d].reduce((sum, half) => sum + (half >>> 0).toString(2).replaceAll('0', '').length, 0);

describe('the fingerprint of a document', () => {
  it('differs in few bits for nearly equal words, and in many for different words', () => {
    const page = fingerprintOf(words(300));
    expect(bits(page, fingerprintOf(words(300).set('once', 1)))).toBe(0);
    expect(bits(page, fingerprintOf(words(300, 1_000)))).toBe(38);
  });

  it('does not depend on the order of the words', () => {
    expect(fingerprintOf(new Map([...words(50)].toReversed()))).toEqual(fingerprintOf(words(50)));
  });

  it('is two numbers of 32 bits, both 0 for fewer than 20 words', () => {
    for (const half of fingerprintOf(words(20))) expect(half).toBe(half >>> 0);
    expect(fingerprintOf(words(19))).toEqual([0, 0]);
  });
});

describe('near-duplicate hits', () => {
  const marks: Record<string, Fingerprint> = {
    a: [0b1111, 0],
    aNear: [0b1110, 0b11],
    aFar: [0b0000, 1],
    b: [0xffffffff, 0xffffffff],
    bNear: [0x7fffffff, 0xffffffff],
    none: [0, 0],
  };
  const collapsed = (hits: string[], distance?: number) =>
    collapseNear(hits, (hit) => marks[hit]!, distance).map(({ hit, near }) => [hit, ...near].join(' '));

  it('are collapsed under the first of them', () => {
    expect(collapsed(['a', 'b', 'aNear', 'bNear', 'aFar'])).toEqual(['a aNear', 'b bNear', 'aFar']);
    expect(collapsed(['aNear', 'a'])).toEqual(['aNear a']);
  });

  it('are compared with the hit that is shown, not with each other: they do not chain', () => {
    expect(collapsed(['aNear', 'a', 'aFar'], 4)).toEqual(['aNear a aFar']);
    expect(collapsed(['a', 'aNear', 'aFar'], 4)).toEqual(['a aNear', 'aFar']);
  });

  it('without a fingerprint are not collapsed', () => {
    expect(collapsed(['none', 'none', 'aFar'])).toEqual(['none', 'none', 'aFar']);
  });

  it('are collapsed at distance 0 only with equal fingerprints', () => {
    expect(collapsed(['a', 'aNear', 'a'], 0)).toEqual(['a a', 'aNear']);
  });
});
