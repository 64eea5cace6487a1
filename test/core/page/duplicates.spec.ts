import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CompareBy, type Twin, keptOf } from '../../../src/core/page/duplicates.js';

const twin = (url: string, score = 1, fetchTime = 0): Twin => ({ url, score, fetchTime });
const DEFAULT: CompareBy[] = ['score', 'fetchTime', 'urlLength'];

/** Pages, the order of criteria, and the URLs that stay. */
type Case = [name: string, pages: Twin[], order: CompareBy[], kept: string[]];

describe('of pages with equal content', () => {
  it.each<Case>([
    ['the only one stays', [twin('http://a/')], DEFAULT, ['http://a/']],
    ['the higher score stays', [twin('http://a/', 1), twin('http://longer/', 2)], DEFAULT, ['http://longer/']],
    ['then the later fetch time', [twin('http://a/', 1, 5), twin('http://longer/', 1, 6)], DEFAULT, ['http://longer/']],
    ['then the shorter URL', [twin('http://longer/'), twin('http://b/')], DEFAULT, ['http://b/']],
    [
      'a shorter URL is one with fewer characters after decoding',
      [twin('http://h/%C3%A4%C3%B6'), twin('http://h/abcd')],
      ['urlLength'],
      ['http://h/%C3%A4%C3%B6'],
    ],
    [
      'a URL that cannot be decoded counts as it stands',
      [twin('http://h/%ZZ'), twin('http://h/abcd')],
      ['urlLength'],
      ['http://h/%ZZ'],
    ],
    [
      'criteria are asked in the order given',
      [twin('http://a/', 1), twin('http://longer/', 2)],
      ['urlLength', 'score'],
      ['http://a/'],
    ],
    [
      'https stays before http of the same URL',
      [twin('http://h/x', 1), twin('https://h/x', 1)],
      ['httpsOverHttp', 'urlLength'],
      ['https://h/x'],
    ],
    [
      'https says nothing of other URLs',
      [twin('http://h/x'), twin('https://h/y')],
      ['httpsOverHttp'],
      ['http://h/x', 'https://h/y'],
    ],
    [
      'https comes after what stands before it',
      [twin('http://h/x', 2), twin('https://h/x', 1)],
      ['score', 'httpsOverHttp'],
      ['http://h/x'],
    ],
    [
      'pages that nothing tells apart all stay',
      [twin('http://a/'), twin('http://b/')],
      ['score', 'urlLength'],
      ['http://a/', 'http://b/'],
    ],
    [
      'the first by URL stays where times were compared',
      [twin('http://b/'), twin('http://a/')],
      DEFAULT,
      ['http://a/'],
    ],
    [
      'of a score, time, scheme and length that go round one stays',
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

  it('at least one stays, whatever comes first, and asking again changes nothing', () => {
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
