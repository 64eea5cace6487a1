import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReferenceResolver } from '../../../src/core/html/reference-resolver.js';

const bases = [
  'http://site.example',
  'http://site.example/dir/page.html?q=1#part',
  'https://site.example:8443/a/b/../c;p=1',
  'HTTP://Site.Example/x',
  'http://üser:pw@bücher.example/ü',
  'ftp://site.example/a/b',
  'file:///C:/a/b',
  'mailto:someone@site.example',
  'about:blank',
  'no url',
  '',
];

const references = [
  ['a.html', '/a.html', 'a/b/', 'a//b', './a', '../a', 'a/../b', '.', '..', '/.', '/..', '.a', '..a', '/a/.b', '...'],
  ['#', '#top', '#a.b:c', '#a%20b', '#ü', 'a#top', '?', '?q', 'a?q', '', ' ', ' a ', '//', '//other.example/x'],
  ['a:b', 'C:/a', 'C|/a', '/C|/a', 'a|b', 'a\\b', '\\a', 'ü', 'a b', 'a%2e/b', '%2e%2e/b', 'http:a', 'http:/a'],
  [
    '../../a.html#f(x)',
    './a.html?b=c&d=e',
    '.././a',
    '../',
    '..//a',
    "a?it's",
    'a#it\'s"',
    '../a%2e/..',
    './C:/a',
    '../%2e%2e/a',
  ],
  ['http://other.example/a/b.html?c=d#e', 'http://other.example', 'http://other.example/', 'HTTP://other.example/a'],
  ['https://xn--a/b', 'http://a.1/b', 'http://other.example:80/a', 'http://other.example/a/../b', 'http://a..b/c'],
  ['a~b', 'a-b_c.d', '~user', 'a/', 'a/#x', '/#x', '/', 'a\tb', 'a\n'],
].flat();

describe('a reference resolved (RFC 3986 section 5.2, as the WHATWG URL Standard section 4.4 has it)', () => {
  it.each(bases.flatMap((base) => references.map((reference) => [reference, base])))('%j on %j', (reference, base) => {
    expect(new ReferenceResolver(base).resolve(reference)).toBe(URL.parse(reference, base || undefined)?.href ?? null);
  });

  it('is what WHATWG URL makes of it, whatever it is', () => {
    const part = fc.constantFrom(
      'a',
      'b.c',
      '.',
      '..',
      '/',
      '//',
      '#',
      '?',
      ':',
      '%2e',
      'http://b.example',
      '|',
      '\\',
      '~',
      '-',
      '_',
      ' ',
      'é',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), fc.constantFrom(...bases), (parts, base) => {
        const reference = parts.join('');
        expect(new ReferenceResolver(base).resolve(reference)).toBe(
          URL.parse(reference, base || undefined)?.href ?? null,
        );
      }),
      { numRuns: 2_000 },
    );
  });
});
