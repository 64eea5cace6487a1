import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_MERGED, type SegmentSize, segmentsToMerge } from '../../../../src/core/search/postings/merge-choice.js';

const sized = (...sizes: number[]): SegmentSize[] => sizes.map((liveDocuments, i) => ({ seg: i + 1, liveDocuments }));

/**
 * The sizes of the segments of an index after writes of segments of these sizes, each followed by merges as long as any is due.
 */
function afterWrites(sizes: readonly number[]): number[] {
  let segments: SegmentSize[] = [];
  let last = 0;
  for (const liveDocuments of sizes) {
    segments.push({ seg: ++last, liveDocuments });
    for (let due = segmentsToMerge(segments); due.length > 0; due = segmentsToMerge(segments)) {
      const merged = segments.filter(({ seg }) => due.includes(seg));
      segments = segments.filter(({ seg }) => !due.includes(seg));
      segments.push({ seg: ++last, liveDocuments: merged.reduce((sum, one) => sum + one.liveDocuments, 0) });
    }
  }
  return segments.map((one) => one.liveDocuments);
}

describe('the segments of an index to merge', () => {
  it('are more than eight of similar size, the smallest size first', () => {
    expect(segmentsToMerge(sized(...Array<number>(8).fill(5_000)))).toEqual([]);
    expect(segmentsToMerge(sized(...Array<number>(9).fill(70_000), ...Array<number>(9).fill(10)))).toEqual([
      10, 11, 12, 13, 14, 15, 16, 17, 18,
    ]);
  });

  it('have at most the largest number of documents together, whichever is the oldest', () => {
    expect(segmentsToMerge(sized(450_000, ...Array<number>(8).fill(80_000)))).toEqual([2, 3, 4, 5, 6, 7]);
    expect(segmentsToMerge(sized(...Array<number>(9).fill(300_000)))).toEqual([]);
  });

  it.each([[300], [9_000], [25_000], [72_000]])(
    'keep ten million documents, written %i at a time, in few segments',
    (size) => {
      const sizes = afterWrites(Array<number>(Math.ceil(10_000_000 / size)).fill(size));
      expect(sizes.length).toBeLessThanOrEqual(10_000_000 / (MAX_MERGED / 2) + 3 * 8);
    },
  );

  it('lose no document, and are never larger than the largest', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 200_000 }), { maxLength: 150 });
    fc.assert(
      fc.property(sizes, (written) => {
        const left = afterWrites(written);
        expect(Math.max(0, ...left)).toBeLessThanOrEqual(MAX_MERGED);
        expect(left.reduce((sum, n) => sum + n, 0)).toBe(written.reduce((sum, n) => sum + n, 0));
      }),
    );
  });
});
