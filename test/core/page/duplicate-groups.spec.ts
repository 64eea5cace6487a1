import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CompareBy, COMPARE_ORDER, keptOf } from '../../../src/core/page/duplicates.js';
import { type EqualPage, DuplicateGroups } from '../../../src/core/page/duplicate-groups.js';
import { unreverseUrl } from '../../../src/core/url/row-key.js';

const SIGNATURES = ['aa', 'bb'];

const compared = (key: string, score: number, due = 0, signature = 'aa'): EqualPage => ({
  host: key.slice(0, key.indexOf(':')),
  key,
  signature,
  score,
  fetchTime: new Date(due),
  busy: false,
});

/** As `eachEqualPage` reads them. */
const ordered = (pages: readonly EqualPage[]): EqualPage[] => {
  const place = ({ key }: EqualPage): string => key.replace(':https', ':http');
  return pages.toSorted((a, b) => (place(a) < place(b) ? -1 : place(a) > place(b) ? 1 : a.key > b.key ? -1 : 1));
};

/** The keys that stay of each content, and those that have lost, after pages were added in chunks of `size`. */
function added(pages: readonly EqualPage[], order: readonly CompareBy[], size: number) {
  const groups = new DuplicateGroups('none', order);
  const lost: EqualPage[] = [];
  const read = ordered(pages);
  for (let from = 0; from < read.length; from += size) lost.push(...groups.add(read.slice(from, from + size)));
  const stay = SIGNATURES.flatMap((name) => groups.staying(name));
  return { stay: stay.map(({ key }) => key).sort(), lost: lost.map(({ key }) => key).sort() };
}

const expected = (pages: readonly EqualPage[], order: readonly CompareBy[]): string[] =>
  SIGNATURES.flatMap((name) => {
    const group = pages.filter(({ signature }) => signature === name);
    const compared = group.map(({ key, score, fetchTime }) => ({
      key,
      url: unreverseUrl(key),
      score,
      fetchTime: fetchTime.getTime(),
    }));
    return keptOf(compared, order).map(({ key }) => key);
  }).sort();

describe('pages of equal content that are read in chunks', () => {
  it('have an http page excluded by its https page, although that one lost in the chunk before', () => {
    const pages = [compared('test.a:https/', 1), compared('test.0:https/', 3), compared('test.a:http/', 5)];
    const order: CompareBy[] = ['httpsOverHttp', 'score'];
    for (const size of [1, 2, 3])
      expect(added(pages, order, size)).toEqual({ stay: ['test.0:https/'], lost: ['test.a:http/', 'test.a:https/'] });
  });

  it('have the same result wherever the chunks end', () => {
    const page = fc
      .tuple(
        fc.constantFrom('test.a', 'test.bb', 'test.c'),
        fc.constantFrom('http', 'https', 'http:8080', 'https:8080'),
        fc.constantFrom('/', '/x'),
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 0, max: 1 }),
        fc.constantFrom(...SIGNATURES),
      )
      .map(([host, scheme, path, score, due, signature]) =>
        compared(`${host}:${scheme}${path}`, score, due, signature),
      );
    const pages = fc.uniqueArray(page, { selector: ({ key }) => key, maxLength: 16 });
    const orders = fc.shuffledSubarray([...COMPARE_ORDER], { minLength: 1 });
    fc.assert(
      fc.property(pages, orders, fc.integer({ min: 1, max: 5 }), (some, order, size) => {
        const { stay, lost } = added(some, order, size);
        expect(stay).toEqual(expected(some, order));
        expect([...stay, ...lost].sort()).toEqual(some.map(({ key }) => key).sort());
      }),
      { numRuns: 1_000 },
    );
  });
});
