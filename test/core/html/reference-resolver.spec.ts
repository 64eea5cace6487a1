import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReferenceResolver } from '../../../src/core/html/reference-resolver.js';
import { ResolvedReferences } from '../../../src/core/html/resolved-references.js';
import { resolveUrl } from '../../../src/core/url/resolve.js';
import { unicodeText } from '../../support/unicode-text.js';

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

/** Pages in the same or nearly the same folder, and the parts of their references. */
const siblings = [
  ...bases,
  'http://site.example/dir/other.html?q=2#else',
  'http://site.example/dir/',
  'http://site.example/dir',
  'http://site.example/dir/page.html/',
  'http://user@site.example/dir/page.html',
  'https://site.example/dir/page.html',
  'http://site.example/dir/page.html?a/b',
];
const pieces = [
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
  'http:',
  'b.example',
  '|',
  '\\',
  ' ',
  '\t',
  'é',
  '\u3042',
];

describe('references cached from page to page', () => {
  const reference = fc.oneof(
    fc.constantFrom(...references),
    fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((parts) => parts.join('')),
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    unicodeText({ maxLength: 20 }).map((text) => text.toWellFormed()),
  );
  const charset = fc.constantFrom('utf-8', 'windows-1252', 'euc-jp');

  it('resolve as without the cache, whatever base and charset other pages had', () => {
    const memory = new ResolvedReferences();
    fc.assert(
      fc.property(fc.constantFrom(...siblings), charset, fc.array(reference, { maxLength: 10 }), (base, by, found) => {
        const resolver = new ReferenceResolver(base, by, memory);
        for (const each of [...found, ...found]) expect(resolver.resolve(each)).toBe(resolveUrl(each, base, by));
      }),
      { numRuns: 3_000 },
    );
  });

  it.each(['http:', 'http:?a', 'http:#a', 'http:a', 'ht\ntp:', 'http:\t//', ':', 'a:?b', ' http:', '\0?a', '\\'])(
    'are cached by the whole base when they have no path: %j',
    (each) => {
      const memory = new ResolvedReferences();
      for (const base of ['http://site.example/a?b', 'http://site.example/a?c', 'http://site.example/d'])
        expect(new ReferenceResolver(base, 'utf-8', memory).resolve(each)).toBe(resolveUrl(each, base));
    },
  );

  it('stay correct, and bounded in number and size, when each page has new ones', () => {
    const memory = new ResolvedReferences();
    let most = 0;
    for (let page = 0; page < 60; page++) {
      const folder = `http://site.example/${'d'.repeat(500)}${page % 7}/`;
      const resolver = new ReferenceResolver(`${folder}x`, 'utf-8', memory);
      for (let at = 0; at < 1_000; at++) expect(resolver.resolve(`p${page}-${at}`)).toBe(`${folder}p${page}-${at}`);
      const known = memory.referencesOf(folder, 'utf-8');
      most = Math.max(most, known.size);
      const characters = [...known].reduce((sum, [from, to]) => sum + from.length + (to?.length ?? 0), 0);
      expect(characters).toBeLessThan(4_200_000);
    }
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(20_000);
  });
});

describe('resolution of a reference (RFC 3986 §5.2, WHATWG URL Standard, §4.4)', () => {
  it.each(bases.flatMap((base) => references.map((reference) => [reference, base])))(
    '%j against %j is that of WHATWG URL',
    (reference, base) => {
      expect(new ReferenceResolver(base).resolve(reference)).toBe(
        URL.parse(reference, base || undefined)?.href ?? null,
      );
    },
  );

  it('is that of WHATWG URL for random references', () => {
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
