import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BandwidthWatch } from '../../../src/core/politeness/bandwidth.js';

/** A target of 80 kbit/s is 10,000 bytes a second. */
const rules = { target: 80_000, every: 1000, max: 25 };
const watchOf = (changed: Partial<typeof rules> = {}, threads = 4) =>
  new BandwidthWatch({ ...rules, ...changed }, threads, 0);

describe('the number of threads under fetcher.bandwidth.target', () => {
  it.each([
    ['doubles at half the target', 5_000, 4, 100, 8],
    ['rises to the maximum far below the target', 100, 4, 100, 25],
    ['stays below the target when there are no more queues', 5_000, 4, 4, 4],
    ['stays at the target', 10_000, 4, 100, 4],
    ['halves at twice the target', 20_000, 4, 100, 2],
    ['falls to one far above the target', 1e9, 4, 100, 1],
    ['stays when no bytes arrived', 0, 4, 100, 4],
    ['stays when no thread is running', 0, 0, 100, 4],
  ])('%s', (_, bytes, atWork, sustainable, threads) => {
    expect(watchOf().threads(1000, { bytes, atWork, sustainable })).toBe(threads);
  });

  it('stays between two measurements, and without a target', () => {
    const work = { bytes: 1, atWork: 4, sustainable: 100 };
    expect(watchOf().threads(999, work)).toBe(4);
    expect(watchOf({ target: -1 }).threads(1e9, work)).toBe(4);
  });

  it('depends on the bytes per second since the previous measurement', () => {
    const watch = watchOf();
    expect(watch.threads(2000, { bytes: 10_000, atWork: 4, sustainable: 100 })).toBe(8);
    expect(watch.threads(3000, { bytes: 20_000, atWork: 8, sustainable: 100 })).toBe(8);
    expect(watch.threads(4000, { bytes: 60_000, atWork: 8, sustainable: 100 })).toBe(2);
  });

  it('is between 1 and the maximum for any measurements', () => {
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
