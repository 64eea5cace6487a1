import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CompareBy, type Twin, keptOf } from '../../../src/core/page/duplicates.js';

const twin = (url: string, score = 1, fetchTime = 0): Twin => ({ url, score, fetchTime });
const DEFAULT: CompareBy[] = ['score', 'fetchTime', 'urlLength'];

/** Pages, the order of criteria, and the URLs that are kept. */
type Case = [name: string, pages: Twin[], order: CompareBy[], kept: string[]];

describe('deduplication of pages with equal content', () => {
  it.each<Case>([
    ['keeps a single page', [twin('http://a/')], DEFAULT, ['http://a/']],
    ['keeps the higher score', [twin('http://a/', 1), twin('http://longer/', 2)], DEFAULT, ['http://longer/']],
    [
      'keeps the later fetch time at equal scores',
      [twin('http://a/', 1, 5), twin('http://longer/', 1, 6)],
      DEFAULT,
      ['http://longer/'],
    ],
    [
      'keeps the shorter URL at equal scores and fetch times',
      [twin('http://longer/'), twin('http://b/')],
      DEFAULT,
      ['http://b/'],
    ],
    [
      'measures the length of a URL after percent-decoding',
      [twin('http://h/%C3%A4%C3%B6'), twin('http://h/abcd')],
      ['urlLength'],
      ['http://h/%C3%A4%C3%B6'],
    ],
    [
      'measures a URL that cannot be decoded as it is',
      [twin('http://h/%ZZ'), twin('http://h/abcd')],
      ['urlLength'],
      ['http://h/%ZZ'],
    ],
    [
      'applies the criteria in the given order',
      [twin('http://a/', 1), twin('http://longer/', 2)],
      ['urlLength', 'score'],
      ['http://a/'],
    ],
    [
      'keeps https rather than http of the same URL with httpsOverHttp',
      [twin('http://h/x', 1), twin('https://h/x', 1)],
      ['httpsOverHttp', 'urlLength'],
      ['https://h/x'],
    ],
    [
      'does not compare schemes of different URLs',
      [twin('http://h/x'), twin('https://h/y')],
      ['httpsOverHttp'],
      ['http://h/x', 'https://h/y'],
    ],
    [
      'compares schemes only after earlier criteria',
      [twin('http://h/x', 2), twin('https://h/x', 1)],
      ['score', 'httpsOverHttp'],
      ['http://h/x'],
    ],
    [
      'keeps all pages that no criterion distinguishes',
      [twin('http://a/'), twin('http://b/')],
      ['score', 'urlLength'],
      ['http://a/', 'http://b/'],
    ],
    [
      'keeps the first by URL when fetchTime is among the criteria',
      [twin('http://b/'), twin('http://a/')],
      DEFAULT,
      ['http://a/'],
    ],
    [
      'keeps one page when the comparisons form a cycle',
      [twin('http://h/x', 3), twin('https://h/x', 1), twin('http://h/yy', 2)],
      ['httpsOverHttp', 'score'],
      ['http://h/yy'],
    ],
  ])('%s', (_, pages, order, kept) => {
    expect(keptOf(pages, order).map(({ url }) => url)).toEqual(kept);
    expect(
      keptOf(pages.toReversed(), order)
        .map(({ url }) => url)
        .sort(),
    ).toEqual([...kept].sort());
  });

  const pages = fc.uniqueArray(
    fc.record({
      url: fc
        .tuple(fc.constantFrom('http', 'https'), fc.constantFrom('a', 'b', 'cc', 'd%20d'))
        .map(([s, p]) => `${s}://h/${p}`),
      score: fc.integer({ min: 0, max: 2 }),
      fetchTime: fc.integer({ min: 0, max: 2 }),
    }),
    { selector: ({ url }) => url, minLength: 1 },
  );
  const orders = fc.uniqueArray(fc.constantFrom<CompareBy>('score', 'fetchTime', 'httpsOverHttp', 'urlLength'), {
    minLength: 1,
  });

  it('keeps at least one page, whatever the order of input, and is idempotent', () => {
    fc.assert(
      fc.property(pages, orders, (group, order) => {
        const kept = keptOf(group, order);
        expect(kept.length).toBeGreaterThan(0);
        expect(new Set(keptOf(group.toReversed(), order))).toEqual(new Set(kept));
        expect(keptOf(kept, order)).toEqual(kept);
      }),
    );
  });
});
