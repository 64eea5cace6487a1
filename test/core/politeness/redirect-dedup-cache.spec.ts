import { describe, expect, it } from 'vitest';
import { RedirectDedupCache } from '../../../src/core/politeness/redirect-dedup-cache.js';

describe('targets of redirects (fetcher.redirect.dedupcache)', () => {
  it('are remembered for the configured time after they were first seen', () => {
    const cache = new RedirectDedupCache(1000, 10);
    expect([0, 500, 999, 1000, 1999, 2000].map((now) => cache.met('a', now))).toEqual([
      false,
      true,
      true,
      false,
      true,
      false,
    ]);
  });

  it('are evicted above the maximum size, the oldest first', () => {
    const cache = new RedirectDedupCache(1000, 2);
    for (const target of ['a', 'b', 'c']) cache.met(target, 0);
    expect(['c', 'b', 'a'].map((target) => cache.met(target, 1))).toEqual([true, true, false]);
  });

  it.each([
    [-1, 10],
    [0, 10],
    [1000, 0],
  ])('are not remembered for %d ms and a size of %d', (ms, size) => {
    const cache = new RedirectDedupCache(ms, size);
    expect([cache.met('a', 0), cache.met('a', 0)]).toEqual([false, false]);
  });
});
