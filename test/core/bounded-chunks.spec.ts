import { expect, it } from 'vitest';
import { boundedChunks, chunksOf } from '../../src/core/bounded-chunks.js';

/** Chunks of a list. */

it('have the given number of items, and the last one those that are left', () => {
  expect([...chunksOf([1, 2, 3, 4, 5], 2)]).toEqual([[1, 2], [3, 4], [5]]);
  expect([...chunksOf([1, 2, 3, 4], 2)]).toEqual([
    [1, 2],
    [3, 4],
  ]);
  expect([...chunksOf([], 2)]).toEqual([]);
});

it('are bounded by number and by size; a larger item is a chunk of its own', () => {
  const sizes = [1, 1, 1, 9, 2, 3];
  expect([...boundedChunks(sizes, (size) => size, { maxCount: 2, maxSize: 5 })]).toEqual([[1, 1], [1], [9], [2, 3]]);
});
