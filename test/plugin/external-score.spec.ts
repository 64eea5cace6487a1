import { describe, expect, it } from 'vitest';
import { keepingAll } from '../../src/core/score/scoring.js';
import { guardedDistribute, guardedOrphanLimits } from '../../src/plugin/external-score.js';

/** What a scoring filter from outside may say of the cash of a page, and of pages without links: the rest is as if it had not been asked. */

const page = { spend: 1, outlinks: 1, links: 1, distance: 0, contentScore: 0, metadata: {}, headers: {}, url: 'u' };
const so = keepingAll(1);

/** What becomes of the answer of a filter, and how often it has failed. */
function distributed(answer: unknown) {
  const failures: unknown[] = [];
  const distribute = guardedDistribute(
    () => answer,
    (error) => String(failures.push(error)),
  )!;
  return { made: distribute(page, so), failures: failures.length };
}

describe('what a filter hands to the links of a page', () => {
  it.each<[Record<string, unknown>]>([
    [{ internalShare: NaN }],
    [{ externalShare: Infinity }],
    [{ givenBack: '1' }],
    [{ start: null }],
    [{ follow: 1 }],
    [{ carried: { a: 1 } }],
    [{ carried: { a: null } }],
  ])('is that of the filters before it where it answers %j', (answer) => {
    expect(distributed(answer)).toEqual({ made: so, failures: 1 });
  });

  it.each([
    [
      '100 names at most',
      Array.from({ length: 101 }, (_, n) => [`n${n}`, 'x']),
      Array.from({ length: 100 }, (_, n) => [`n${n}`, 'x']),
    ],
    ['names of 256 characters at most', [['n'.repeat(257), 'x']], [['n'.repeat(256), 'x']]],
    ['texts of 4096 characters at most', [['n', 'x'.repeat(4097)]], [['n', 'x'.repeat(4096)]]],
    ['no NUL, which PostgreSQL does not take', [['n', 'a\0b']], [['n', 'a\ufffdb']]],
  ])('carries %s', (_what, given, kept) => {
    const { made, failures } = distributed({ carried: Object.fromEntries(given) });
    expect([Object.entries(made.carried), failures]).toEqual([kept, 0]);
  });
});

describe('the limits of pages without links', () => {
  it.each([
    [
      { goneAfter: 0, orphanAfter: 1e10 },
      { goneAfter: 0, orphanAfter: 1e10 },
    ],
    // No page may be gone before it is seen, and PostgreSQL has no time that is later.
    [{ goneAfter: -1, orphanAfter: 2 }, undefined],
    [{ goneAfter: 1, orphanAfter: 1e11 }, undefined],
    [{ goneAfter: NaN, orphanAfter: 2 }, undefined],
    [{ goneAfter: '1', orphanAfter: 2 }, undefined],
    [{ goneAfter: 1 }, undefined],
    [null, undefined],
  ])('%j are taken as %j', (made, limits) => expect(guardedOrphanLimits(made)).toEqual(limits));
});
