import { expect, it } from 'vitest';
import { maskedUserInfo, withoutUserInfo } from '../../../src/core/url/url-credentials.js';

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

it.each([
  ['/a/http://me:pw@site.test/b@c', '/a/http://***@site.test/b@c'],
  ['/a/http:/me:pw@site.test/', '/a/http:/***@site.test/'],
  ['/a/http%3A%2F%2Fme%3Apw%40site.test%2Fb%40c', '/a/http%3A%2F%2F***%40site.test%2Fb%40c'],
  ['/a/ftp%3a%2f%2fme:p%40w@site.test/', '/a/ftp%3a%2f%2f***@site.test/'],
  ['/a?u=https%253A%252F%252Fme%253Apw%2540site.test%252F', '/a?u=https%253A%252F%252F***%2540site.test%252F'],
  ['http://me:p%23w@site.test/', 'http://***@site.test/'],
  ['/a/http%3A%2F%2Fme%3Ap%2523w%40site.test%2F', '/a/http%3A%2F%2F***%40site.test%2F'],
  ['http://me:pw@a.test/ and http%3A%2F%2Fme@b.test', 'http://***@a.test/ and http%3A%2F%2F***@b.test'],
  ['http%3A%2F%2Fsite.test%2Fb%40c', 'http%3A%2F%2Fsite.test%2Fb%40c'],
  ['http%3A%2F%2Fsite.test%3Fb%40c', 'http%3A%2F%2Fsite.test%3Fb%40c'],
  ['http://site.test/?mail=me%40b.test', 'http://site.test/?mail=me%40b.test'],
  ['mailto:me@site.test', 'mailto:me@site.test'],
])('a text %j is shown as %j', (text, shown) => {
  expect(maskedUserInfo(text, '***')).toBe(shown);
});

it.each(['http:/', 'http%3A%2F', 'http%3A%2F%2Fx', '%25'])(
  'masks a text of many %j in time that grows with its length',
  (part) => {
    const text = `@${part.repeat(50_000)}`;
    expect(maskedUserInfo(text, '***')).toBe(text);
  },
);
