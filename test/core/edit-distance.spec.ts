import { describe, expect, it } from 'vitest';
import { damerauLevenshtein } from '../../src/core/edit-distance.js';

describe('the Damerau-Levenshtein distance of two words, up to 2', () => {
  it.each([
    ['ferry', 'ferry', 0],
    ['ferry', 'fery', 1],
    ['ferry', 'frery', 1],
    ['ferry', 'berry', 1],
    ['ferry', 'ferryy', 1],
    ['ca', 'abc', null],
    ['harbour', 'hrabuor', 2],
    ['', 'ab', 2],
    ['', 'abc', null],
    ['kitten', 'sitting', null],
  ])('of %s and %s is %s', (a, b, distance) => {
    expect(damerauLevenshtein(a, b, 2)).toBe(distance);
    expect(damerauLevenshtein(b, a, 2)).toBe(distance);
  });
});
