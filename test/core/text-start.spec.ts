import { expect, it } from 'vitest';
import { startOf, wholeEnd } from '../../src/core/text-start.js';

it.each([
  ['a😀b', 1, 'a'],
  ['a😀b', 2, 'a'],
  ['a😀b', 3, 'a😀'],
  ['a😀b', 9, 'a😀b'],
  ['a😀b', 0, ''],
  ['😀', 1, ''],
])('of %s at most %i units are %j', (text, maxLength, start) => {
  expect(startOf(text, maxLength)).toBe(start);
  expect(text.slice(0, wholeEnd(text, maxLength))).toBe(start);
});
