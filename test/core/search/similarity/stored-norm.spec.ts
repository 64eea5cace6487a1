import { describe, expect, it } from 'vitest';
import { storedLength, storedNorm } from '../../../../src/core/search/similarity/stored-norm.js';
import { documentsOf } from '../../../support/conformance.js';
import { withConformanceFolder } from '../../../support/left-out.js';

/** Lucene stores the length of a field in one byte. */
describe('a field length', () => {
  it.each([
    [0, 0],
    [40, 40],
    [41, 40],
    [43, 42],
    [59, 56],
    [1_000, 984],
    [65_535, 61_464],
  ])('of %s words is stored as %s', (length, stored) => {
    expect(storedLength(length)).toBe(stored);
  });

  it("is rounded down to the next value in Lucene's table", withConformanceFolder, () => {
    const [{ lengthTable }] = documentsOf('search') as [{ lengthTable: number[] }];
    for (let length = 0; length < 5_000; length++)
      expect(storedLength(length)).toBe(lengthTable.findLast((each) => each <= length));
  });
});

it.each([
  [1, 1],
  [0.3, 0.25],
  [0.213201, 0.1875],
  [0.0001, 0.00009155273437500001],
  [0, 0],
  [-1, 0],
  [1e-30, 1.25 * 2 ** -31],
  [1e30, 1.75 * 2 ** 32],
])('a norm of %s is stored as %s', (norm, stored) => {
  expect(storedNorm(norm)).toBeCloseTo(stored, 12);
});
