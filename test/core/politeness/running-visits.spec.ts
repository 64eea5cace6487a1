import { describe, expect, it } from 'vitest';
import { RunningVisits } from '../../../src/core/politeness/running-visits.js';

describe('running visits', () => {
  it('count as long after the threshold, up to the given number', () => {
    const running = new RunningVisits(5_000);
    for (const at of [0, 1_000, 2_000, 6_000]) running.begin(at);
    const long = (now: number, most = 100) => running.long(now, most);
    expect([long(5_000), long(5_001), long(7_500), long(7_500, 2), long(60_000)]).toEqual([0, 1, 3, 2, 4]);
  });

  it('are no longer counted after their end', () => {
    const running = new RunningVisits(5_000);
    const [first, second] = [running.begin(0), running.begin(0)];
    running.end(first);
    running.end(first);
    expect([running.size, running.long(9_000, 100)]).toEqual([1, 1]);
    running.end(second);
    expect([running.size, running.long(9_000, 100)]).toEqual([0, 0]);
  });
});
