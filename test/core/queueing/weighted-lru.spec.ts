import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LruNamespace, WeightedLru } from '../../../src/core/queueing/weighted-lru.js';

describe('WeightedLru', () => {
  const kept = (lru: WeightedLru<number>, keys: string) =>
    [...keys].filter((key) => lru.get(key) !== undefined).join('');

  it('evicts the least recently used value first', () => {
    const lru = new WeightedLru<number>(30);
    for (const key of 'abc') lru.set(key, 1, 10);
    lru.get('a');
    lru.set('d', 1, 15);
    expect([kept(lru, 'abcd'), lru.weight]).toEqual(['ad', 25]);
  });

  it('counts only the new weight of a value that is set again', () => {
    const lru = new WeightedLru<number>(30);
    lru.set('a', 1, 20);
    lru.set('a', 2, 5);
    expect([lru.get('a'), lru.weight]).toEqual([2, 5]);
  });

  it('keeps the newest value alone when it exceeds the bound', () => {
    const lru = new WeightedLru<number>(30);
    for (const key of 'ab') lru.set(key, 1, 100);
    expect([kept(lru, 'ab'), lru.weight]).toEqual(['b', 100]);
  });

  it('keeps a value only if it has room beside those it is used with', () => {
    const lru = new WeightedLru<number>(30);
    for (const key of 'abc') lru.set(key, 1, 10);
    lru.setBeside(['a', 'x'], 'd', { value: 1, weight: 20 });
    lru.setBeside(['a', 'd'], 'e', { value: 1, weight: 1 });
    expect([kept(lru, 'abcde'), lru.weight]).toEqual(['ad', 30]);
    lru.setBeside(['x'], 'f', { value: 1, weight: 100 });
    expect([kept(lru, 'adf'), lru.weight]).toEqual(['f', 100]);
  });

  it('never exceeds its bound, and weighs the sum of its values', () => {
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

describe('namespaces of one cache (LruNamespace)', () => {
  it('have separate keys, and evict entries of each other', () => {
    const whole = new WeightedLru<number>(30);
    const [one, other] = [new LruNamespace(whole), new LruNamespace(whole)];
    one.set('a', 1, 10);
    other.set('a', 2, 10);
    expect([one.get('a'), other.get('a')]).toEqual([1, 2]);
    other.set('b', 3, 20);
    expect([one.get('a'), other.get('a'), other.get('b'), whole.weight]).toEqual([undefined, 2, 3, 30]);
  });

  it('lose their entries, and accept none, once they are closed', () => {
    const whole = new WeightedLru<number>(30);
    const namespaces = Array.from({ length: 11 }, () => new LruNamespace(whole));
    for (const namespace of namespaces) namespace.set('a', 1, 1);
    namespaces[0]!.close();
    namespaces[0]!.set('b', 1, 1);
    expect([whole.weight, ...namespaces.map((namespace) => namespace.get('a'))]).toEqual([
      10,
      undefined,
      ...Array<number>(10).fill(1),
    ]);
  });
});
