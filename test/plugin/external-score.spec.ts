import { describe, expect, it } from 'vitest';
import { keepingAll } from '../../src/core/score/scoring-filter.js';
import {
  guardedDistribute,
  guardedOrphanLimits,
  guardedScore,
  guardedSortValue,
} from '../../src/plugin/external-score.js';

/**
 * What an external scoring filter may decide about the cash of a page and about pages without links: anything else has no
 * effect.
 */

const page = { spend: 1, outlinks: 1, links: 1, distance: 0, contentScore: 0, metadata: {}, headers: {}, url: 'u' };
const so = keepingAll(1);

/** The result after a filter, and its failures. */
function distributed(answer: unknown) {
  const failures: string[] = [];
  const distribute = guardedDistribute(
    () => answer,
    (error) => String(failures.push((error as Error).message)),
  )!;
  return { made: distribute(page, so), failures };
}

describe('the contributions of an external filter to the links of a page', () => {
  it.each<[Record<string, unknown>, string]>([
    [{ internalShare: NaN }, 'its internalShare must be a finite number (given: NaN)'],
    [{ externalShare: Infinity }, 'its externalShare must be a finite number (given: Infinity)'],
    [{ givenBack: '1' }, 'its givenBack must be a finite number (given: string)'],
    [{ start: null }, 'its start must be a finite number (given: null)'],
    [{ follow: 1 }, 'its follow must be true or false (given: 1)'],
    [{ carried: { a: 1 } }, 'its carried.a must be a text (given: 1)'],
    [{ carried: { b: 'x', a: ['y'] } }, 'its carried.a must be a text (given: an array)'],
  ])('are those of the previous filters when it returns %j, and the error names the field (L9)', (answer, reason) => {
    expect(distributed(answer)).toEqual({ made: so, failures: [reason] });
  });

  it('are those of the previous filters when it changes them in place to what is none', () => {
    const before = structuredClone(so);
    const failures: unknown[] = [];
    const distribute = guardedDistribute(
      (own: { metadata: object }, shares: { internalShare: number; carried: Record<string, unknown> }) => {
        Object.assign(own.metadata, { a: 'b' });
        shares.internalShare = NaN;
        shares.carried['a'] = 1;
        return shares;
      },
      (error) => String(failures.push(error)),
    )!;
    expect(distribute(page, so)).toEqual(before);
    expect([page.metadata, failures.length]).toEqual([{}, 1]);
  });

  it.each([
    [
      'at most 100 names',
      Array.from({ length: 101 }, (_, n) => [`n${n}`, 'x']),
      Array.from({ length: 100 }, (_, n) => [`n${n}`, 'x']),
    ],
    ['names of at most 256 characters', [['n'.repeat(257), 'x']], [['n'.repeat(256), 'x']]],
    ['values of at most 4096 characters', [['n', 'x'.repeat(4097)]], [['n', 'x'.repeat(4096)]]],
    ['no NUL, which PostgreSQL cannot store', [['n', 'a\0b']], [['n', 'a\ufffdb']]],
  ])('carry metadata with %s', (_what, given, kept) => {
    const { made, failures } = distributed({ carried: Object.fromEntries(given) });
    expect([Object.entries(made.carried), failures]).toEqual([kept, []]);
  });
});

describe('limits of an external filter for pages without links', () => {
  it.each([
    [
      { goneAfter: 0, orphanAfter: 1e10 },
      { goneAfter: 0, orphanAfter: 1e10 },
    ],
    // No page may be gone before it is seen, and PostgreSQL cannot store a later time.
    [{ goneAfter: -1, orphanAfter: 2 }, undefined],
    [{ goneAfter: 1, orphanAfter: 1e11 }, undefined],
    [{ goneAfter: NaN, orphanAfter: 2 }, undefined],
    [{ goneAfter: '1', orphanAfter: 2 }, undefined],
    [{ goneAfter: 1 }, undefined],
    [null, undefined],
  ])('%j are read as %j', (made, limits) => expect(guardedOrphanLimits(made)).toEqual(limits));
});

it('what an external filter changes in a seed or a page, while it computes a score, has no effect', () => {
  const seed = { url: 'http://a.test/', score: 1, metadata: { topic: 'a' } };
  const sorted = { ...seed, distance: 0, status: 1 };
  const text = { ...seed, title: 't', text: 'x' };
  const spoil = (given: { metadata: Record<string, unknown> }) => Object.assign(given.metadata, { topic: 7 }) && 2;
  const before = structuredClone([seed, sorted, text]);
  const score = guardedScore(spoil, String)!;
  const sort = guardedSortValue({ value: spoil }, String)!;
  expect([score(seed, 1), score(text, 0), sort.value(sorted, 1)]).toEqual([2, 2, 2]);
  expect([seed, sorted, text]).toEqual(before);
});
