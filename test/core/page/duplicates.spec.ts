import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CompareBy, type ComparedPage, comparePages, keptOf } from '../../../src/core/page/duplicates.js';

const compared = (url: string, score = 1, fetchTime = 0): ComparedPage => ({ url, score, fetchTime });
const DEFAULT: CompareBy[] = ['score', 'fetchTime', 'urlLength'];

/** Pages, the order of criteria, and the URLs that are kept. */
type Case = [name: string, pages: ComparedPage[], order: CompareBy[], kept: string[]];

describe('deduplication of pages with equal content', () => {
  it.each<Case>([
    ['keeps a single page', [compared('http://a/')], DEFAULT, ['http://a/']],
    ['keeps the higher score', [compared('http://a/', 1), compared('http://longer/', 2)], DEFAULT, ['http://longer/']],
    [
      'keeps the later fetch time at equal scores',
      [compared('http://a/', 1, 5), compared('http://longer/', 1, 6)],
      DEFAULT,
      ['http://longer/'],
    ],
    [
      'keeps the shorter URL at equal scores and fetch times',
      [compared('http://longer/'), compared('http://b/')],
      DEFAULT,
      ['http://b/'],
    ],
    [
      'measures the length of a URL after percent-decoding',
      [compared('http://h/%C3%A4%C3%B6'), compared('http://h/abcd')],
      ['urlLength'],
      ['http://h/%C3%A4%C3%B6'],
    ],
    [
      'measures a URL that cannot be decoded as it is',
      [compared('http://h/%ZZ'), compared('http://h/abcd')],
      ['urlLength'],
      ['http://h/%ZZ'],
    ],
    [
      'applies the criteria in the given order',
      [compared('http://a/', 1), compared('http://longer/', 2)],
      ['urlLength', 'score'],
      ['http://a/'],
    ],
    [
      'keeps https rather than http of the same URL with httpsOverHttp',
      [compared('http://h/x', 1), compared('https://h/x', 1)],
      ['httpsOverHttp', 'urlLength'],
      ['https://h/x'],
    ],
    [
      'does not compare schemes of different URLs',
      [compared('http://h/x'), compared('https://h/y')],
      ['httpsOverHttp'],
      ['http://h/x', 'https://h/y'],
    ],
    [
      'compares schemes only after earlier criteria',
      [compared('http://h/x', 2), compared('https://h/x', 1)],
      ['score', 'httpsOverHttp'],
      ['http://h/x'],
    ],
    [
      'keeps all pages that no criterion distinguishes',
      [compared('http://a/'), compared('http://b/')],
      ['score', 'urlLength'],
      ['http://a/', 'http://b/'],
    ],
    [
      'keeps the first by URL when fetchTime is among the criteria',
      [compared('http://b/'), compared('http://a/')],
      DEFAULT,
      ['http://a/'],
    ],
    [
      'keeps one page when the comparisons form a cycle',
      [compared('http://h/x', 3), compared('https://h/x', 1), compared('http://h/yy', 2)],
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

  it('of similar content have a transitive order, whatever the criteria', () => {
    fc.assert(
      fc.property(pages, orders, (group, order) => {
        for (const a of group)
          for (const b of group) {
            expect(Math.sign(comparePages(a, b, order))).toBe(0 - Math.sign(comparePages(b, a, order)) || 0);
            for (const c of group)
              if (comparePages(a, b, order) >= 0 && comparePages(b, c, order) >= 0)
                expect(comparePages(a, c, order)).toBeGreaterThanOrEqual(0);
          }
      }),
      { numRuns: 50 },
    );
  });
});

describe('of two pages of similar content is kept', () => {
  it.each<[string, ComparedPage, ComparedPage, CompareBy[]]>([
    [
      'the one of https, whatever else differs',
      compared('https://a.test/long'),
      compared('http://a.test/'),
      ['httpsOverHttp', 'urlLength'],
    ],
    [
      'the one of the criterion before https',
      compared('http://a.test/', 2),
      compared('https://a.test/', 1),
      ['score', 'httpsOverHttp'],
    ],
    [
      'the one with the lesser URL where fetchTime is a criterion',
      compared('http://a.test/a'),
      compared('http://a.test/b'),
      DEFAULT,
    ],
  ])('%s', (_, kept, other, order) => {
    expect(comparePages(kept, other, order)).toBeGreaterThan(0);
    expect(comparePages(other, kept, order)).toBeLessThan(0);
  });

  it('neither where nothing distinguishes them, without fetchTime among the criteria', () => {
    expect(comparePages(compared('http://a.test/a'), compared('http://a.test/b'), ['score', 'urlLength'])).toBe(0);
  });
});
