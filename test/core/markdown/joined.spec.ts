import { describe, expect, it } from 'vitest';
import { Joined, withoutLineEnds } from '../../../src/core/markdown/joined.js';

const joined = (...pieces: string[]): string => {
  const text = new Joined();
  for (const piece of pieces) text.add(piece);
  return text.toString();
};

describe('between two pieces', () => {
  it.each<[rule: string, pieces: string[], text: string]>([
    ['is nothing without line ends', ['a', 'b'], 'ab'],
    ['are the line ends of the one that has more', ['a\n', '\n\nb'], 'a\n\nb'],
    ['are those of the first', ['a\n\n', 'b'], 'a\n\nb'],
    ['is one where each has one', ['a\n', '\nb'], 'a\nb'],
    ['are two at most', ['a\n\n\n\n', '\n\n\nb'], 'a\n\nb'],
    ['are those of a piece of line ends alone', ['a', '\n', 'b'], 'a\nb'],
    ['are the most of several such', ['a', '\n', '\n\n', '\n', 'b'], 'a\n\nb'],
    ['are none for an empty piece', ['a', '', 'b'], 'ab'],
  ])('%s', (_rule, pieces, text) => expect(joined(...pieces)).toBe(text));
});

it.each([
  [['\n\na'], '\n\na'],
  [['a\n\n\n'], 'a\n\n\n'],
  [['a', '\n\n\n'], 'a\n\n'],
  [['a\n\nb'], 'a\n\nb'],
  [[], ''],
])('%j joined is %j', (pieces, text) => expect(joined(...pieces)).toBe(text));

it.each([
  ['\n\na\nb\n', 'a\nb'],
  ['\n\n', ''],
  [' \na', ' \na'],
])('%j without line ends at its ends is %j', (text, left) => expect(withoutLineEnds(text)).toBe(left));

it.each<[pieces: string[], block: string[], text: string]>([
  [['a'], ['b'], 'a\n\nb\n\n'],
  [['a\n'], ['\nb\n'], 'a\n\nb\n\n\n'],
  [[], ['b'], '\n\nb\n\n'],
  [['a'], [], 'a\n\n'],
  [[], ['\n'], '\n\n'],
])('%j and a block of %j are %j', (pieces, block, text) => {
  const [around, inner] = [new Joined(), new Joined()];
  for (const piece of pieces) around.add(piece);
  for (const piece of block) inner.add(piece);
  around.addBlock(inner);
  expect(around.toString()).toBe(text);
});
