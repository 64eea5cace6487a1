import { describe, expect, it } from 'vitest';
import { UnderWay } from '../../../src/core/politeness/under-way.js';

describe('running requests', () => {
  it('count as long after the threshold, up to the given number', () => {
    const underWay = new UnderWay(5_000);
    for (const at of [0, 1_000, 2_000, 6_000]) underWay.begin(at);
    const long = (now: number, most = 100) => underWay.long(now, most);
    expect([long(5_000), long(5_001), long(7_500), long(7_500, 2), long(60_000)]).toEqual([0, 1, 3, 2, 4]);
  });

  it('are no longer counted after their end', () => {
    const underWay = new UnderWay(5_000);
    const [first, second] = [underWay.begin(0), underWay.begin(0)];
    underWay.end(first);
    underWay.end(first);
    expect([underWay.size, underWay.long(9_000, 100)]).toEqual([1, 1]);
    underWay.end(second);
    expect([underWay.size, underWay.long(9_000, 100)]).toEqual([0, 0]);
  });
});
