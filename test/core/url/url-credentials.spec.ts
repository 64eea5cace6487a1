import { expect, it } from 'vitest';
import { withoutUserInfo } from '../../../src/core/url/url-credentials.js';

it.each([
  ['http://me:pw@site.test/', 'http://site.test/'],
  [' # https://me@site.test/\tk=v', ' # https://site.test/\tk=v'],
  ['#ftp:\\me@site.test', '#ftp:\\site.test'],
  ['http://site.test/@x', 'http://site.test/@x'],
])('a seed line %j is stored as %j', (line, stored) => {
  expect(withoutUserInfo(line)).toBe(stored);
});

it('reads a seed line of blanks in time that grows with its length', () => {
  const line = `${' '.repeat(200_000)}@`;
  expect(withoutUserInfo(line)).toBe(line);
});
