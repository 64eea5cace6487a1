import { describe, expect, it } from 'vitest';
import { linksInText, plainText } from '../../../src/core/html/parse-text.js';
import { cutText, collapseSpace } from '../../../src/core/html/collapsed-text.js';

const urls = (text: string) => linksInText(text, 100).map(({ url }) => url);

describe('URLs in plain text', () => {
  it.each([
    [
      'See http://e.com/a, http://e.com/b. And (http://e.com/c)!',
      ['http://e.com/a', 'http://e.com/b', 'http://e.com/c'],
    ],
    ['http://e.com/wiki/A_(b) stays whole', ['http://e.com/wiki/A_(b)']],
    ['<http://e.com/x> "http://e.com/y"', ['http://e.com/x', 'http://e.com/y']],
    ['HTTPS://E.COM/Q?a=1&b=2#f', ['https://e.com/Q?a=1&b=2#f']],
    ['mailto:a@b www.e.com //e.com http:// http://:80/', []],
    [`http://e.com/${'a'.repeat(5000)}`, []],
    ['[http://e.com/x](http://e.com/y)', ['http://e.com/x', 'http://e.com/y']],
    ['http://e.com/1,HTTP://e.com/2,ftp://e.com/3,', ['http://e.com/1', 'http://e.com/2', 'ftp://e.com/3']],
    ['http://e.com/1,2,http:3', ['http://e.com/1,2,http:3']],
    ['[http://e.com](http://e.com).', ['http://e.com/', 'http://e.com/']],
    ['[![x](http://e.com/x.png)](http://e.com/y)', ['http://e.com/x.png', 'http://e.com/y']],
    ['[http://e.com/f[0]](http://e.com/f[0])', ['http://e.com/f[0]', 'http://e.com/f[0]']],
    ['[see http://e.com/x] [http://e.com/y][http://e.com/z]', ['http://e.com/x', 'http://e.com/y', 'http://e.com/z']],
    ['http://e.com/list?f[0]=red&f[1]=blue&page=2', ['http://e.com/list?f[0]=red&f[1]=blue&page=2']],
    ['http://e.com/?q=[[1,2],[3]]. (http://e.com/x[1])', ['http://e.com/?q=[[1,2],[3]]', 'http://e.com/x[1]']],
    ['http://[::1] http://[2001:DB8::1]:80/x[1]', ['http://[::1]/', 'http://[2001:db8::1]/x[1]']],
    ['[http://[::1]/x] [http://[::1]](http://[::1])', ['http://[::1]/x', 'http://[::1]/', 'http://[::1]/']],
    ['http://[bad]/ http://e.com/', ['http://e.com/']],
    [
      '(http://e.com/A_(b)) (http://e.com/a(b)c). http://e.com/(x',
      ['http://e.com/A_(b)', 'http://e.com/a(b)c', 'http://e.com/(x'],
    ],
    [
      '“http://e.com” „http://e.com/a“ »http://e.com/b« ‘http://e.com/c’ http://e.com/d…',
      ['http://e.com/', 'http://e.com/a', 'http://e.com/b', 'http://e.com/c', 'http://e.com/d'],
    ],
    [
      '「http://e.com/a」http://e.com/b。次（http://e.com/c）です，http://e.com/d！',
      ['http://e.com/a', 'http://e.com/b', 'http://e.com/c', 'http://e.com/d'],
    ],
    [
      '〔http://e.com/a〕｢http://e.com/b｣http://e.com/c｡ ［http://e.com/d］',
      ['http://e.com/a', 'http://e.com/b', 'http://e.com/c', 'http://e.com/d'],
    ],
    [
      'http://e.com/a، http://e.com/b؟ http://e.com/c۔ http://e.com/d। http://e.com/e።',
      ['http://e.com/a', 'http://e.com/b', 'http://e.com/c', 'http://e.com/d', 'http://e.com/e'],
    ],
    ['http://e.com/L’Aquila http://e.com/東京', ['http://e.com/L%E2%80%99Aquila', 'http://e.com/%E6%9D%B1%E4%BA%AC']],
  ])('in %s are %j', (text, expected) => {
    expect(urls(text)).toEqual(expected);
  });

  it('are returned up to the limit', () => {
    const three = Array(3).fill({ url: 'http://e.com/', anchor: '' });
    expect(linksInText('http://e.com/ '.repeat(10), 3)).toEqual(three);
    expect(linksInText('http://e.com/,'.repeat(10), 3)).toEqual(three);
  });
});

describe('URLs in hostile text', () => {
  it.each([
    ['commas', `http://e.com/${','.repeat(1_000_000)}`],
    ['URLs without white space between them', 'http://e.com/,'.repeat(100_000)],
    ['schemes', 'http://'.repeat(100_000)],
    ['brackets', 'http://['.repeat(100_000)],
    ['balanced brackets', `http://e.com/${'['.repeat(500_000)}${']'.repeat(500_000)}`],
    ['unmatched closing brackets', 'http://e]'.repeat(100_000)],
    ['closing parentheses', `http://e.com/${')'.repeat(1_000_000)}`],
    ['an unterminated host', `http://[${':'.repeat(1_000_000)}`],
  ])('are at most 100: %s', (_, text) => {
    expect(linksInText(text, 100).length).toBeLessThanOrEqual(100);
  });
});

describe('the text of a text/plain page', () => {
  it('keeps lines and collapses white space between words', () => {
    expect(plainText('  a\t b\r\n\r\n\n c \r d', 100)).toBe('a b\nc\nd');
  });
  it('is cut at its limit', () => {
    expect(plainText('abc\ndef\nghi', 5)).toBe('abc\nd');
  });
  it.each([
    ['', ''],
    [' a  b ', 'a b'],
    ['a\u00a0\u2009b\ufeff', 'a b'],
  ])('collapses the white space of %j to %j', (text, expected) => {
    expect(collapseSpace(text, 100)).toBe(expected);
  });
  it('is never cut inside a character', () => {
    expect(cutText('a😀', 2)).toBe('a');
    expect(cutText('a😀', 3)).toBe('a😀');
    expect(cutText('ab cd', 3)).toBe('ab');
    expect(cutText('abc', 0)).toBe('');
  });
});
