import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BandwidthWatch } from '../../../src/core/politeness/bandwidth.js';

/** A target of 80 kbit/s is 10,000 bytes a second. */
const rules = { target: 80_000, every: 1000, max: 25 };
const watchOf = (changed: Partial<typeof rules> = {}, threads = 4) =>
  new BandwidthWatch({ ...rules, ...changed }, threads, 0);

describe('the number of threads under fetcher.bandwidth.target', () => {
  it.each([
    ['half the target: twice the threads', 5_000, 4, 100, 8],
    ['far below it: as many as are allowed', 100, 4, 100, 25],
    ['below it, and no more queues: as they are', 5_000, 4, 4, 4],
    ['the target: as they are', 10_000, 4, 100, 4],
    ['twice the target: half of them', 20_000, 4, 100, 2],
    ['far above it: one', 1e9, 4, 100, 1],
    ['nothing came: as they are', 0, 4, 100, 4],
    ['nobody at work: as they are', 0, 0, 100, 4],
  ])('%s', (_, bytes, atWork, sustainable, threads) => {
    expect(watchOf().threads(1000, { bytes, atWork, sustainable })).toBe(threads);
  });

  it('stays between two looks, and without a target', () => {
    const work = { bytes: 1, atWork: 4, sustainable: 100 };
    expect(watchOf().threads(999, work)).toBe(4);
    expect(watchOf({ target: -1 }).threads(1e9, work)).toBe(4);
  });

  it('is measured over the time that passed, from look to look', () => {
    const watch = watchOf();
    expect(watch.threads(2000, { bytes: 10_000, atWork: 4, sustainable: 100 })).toBe(8);
    expect(watch.threads(3000, { bytes: 20_000, atWork: 8, sustainable: 100 })).toBe(8);
    expect(watch.threads(4000, { bytes: 60_000, atWork: 8, sustainable: 100 })).toBe(2);
  });

  it('is at least one and at most the most, whatever comes', () => {
    const look = fc.record({ time: fc.nat(5000), bytes: fc.nat(1e8), atWork: fc.nat(30), sustainable: fc.nat(100) });
    fc.assert(
      fc.property(fc.array(look, { maxLength: 30 }), (looks) => {
        const watch = watchOf();
        let [now, bytes] = [0, 0];
        for (const { time, bytes: more, ...work } of looks) {
          const threads = watch.threads((now += time), { bytes: (bytes += more), ...work });
          expect(threads).toBeGreaterThanOrEqual(1);
          expect(threads).toBeLessThanOrEqual(rules.max);
        }
      }),
    );
  });
});
