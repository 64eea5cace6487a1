import { describe, expect, it } from 'vitest';
import { RedirectMemory } from '../../../src/core/politeness/redirect-memory.js';

describe('targets of redirects (fetcher.redirect.dedupcache)', () => {
  it('are remembered for the configured time after they were first seen', () => {
    const memory = new RedirectMemory(1000, 10);
    expect([0, 500, 999, 1000, 1999, 2000].map((now) => memory.met('a', now))).toEqual([
      false,
      true,
      true,
      false,
      true,
      false,
    ]);
  });

  it('are evicted above the maximum size, the oldest first', () => {
    const memory = new RedirectMemory(1000, 2);
    for (const target of ['a', 'b', 'c']) memory.met(target, 0);
    expect(['c', 'b', 'a'].map((target) => memory.met(target, 1))).toEqual([true, true, false]);
  });

  it.each([
    [-1, 10],
    [0, 10],
    [1000, 0],
  ])('are not remembered for %d ms and a size of %d', (ms, size) => {
    const memory = new RedirectMemory(ms, size);
    expect([memory.met('a', 0), memory.met('a', 0)]).toEqual([false, false]);
  });
});
