import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WeightedLru } from '../../src/cycle/fetch/weighted-lru.js';

describe('values bounded by weight', () => {
  const kept = (lru: WeightedLru<number>, keys: string) =>
    [...keys].filter((key) => lru.get(key) !== undefined).join('');

  it('the one that nobody has asked for longest goes first', () => {
    const lru = new WeightedLru<number>(30);
    for (const key of 'abc') lru.set(key, 1, 10);
    lru.get('a');
    lru.set('d', 1, 15);
    expect([kept(lru, 'abcd'), lru.weight]).toEqual(['ad', 25]);
  });

  it('a value that is set again weighs what it weighs now', () => {
    const lru = new WeightedLru<number>(30);
    lru.set('a', 1, 20);
    lru.set('a', 2, 5);
    expect([lru.get('a'), lru.weight]).toEqual([2, 5]);
  });

  it('the newest stays whatever it weighs, and alone', () => {
    const lru = new WeightedLru<number>(30);
    for (const key of 'ab') lru.set(key, 1, 100);
    expect([kept(lru, 'ab'), lru.weight]).toEqual(['b', 100]);
  });

  it('never weighs more than its bound and the newest', () => {
    const entry = fc.tuple(fc.constantFrom(...'abcdefgh'), fc.nat(50));
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const lru = new WeightedLru<number>(100);
        for (const [key, weight] of entries) {
          lru.set(key, weight, weight);
          const values = [...'abcdefgh'].map((each) => lru.get(each) ?? 0);
          expect(lru.weight).toBeLessThanOrEqual(100);
          expect(lru.weight).toBe(values.reduce((sum, each) => sum + each, 0));
        }
      }),
    );
  });
});
