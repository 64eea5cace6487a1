import { expect, it } from 'vitest';
import type { SegmentColumns } from '../../../../src/core/search/postings/segment-columns.js';
import { FacetCounts } from '../../../../src/core/search/score/facets.js';

/** Counts by host in an index of very many hosts. */

/** A segment in which host n has n % 7 + 1 documents, the hosts of some numbers. */
function segmentOf(from: number, to: number): SegmentColumns {
  const values = Array.from({ length: to - from }, (_, at) => `host-${from + at}.test`);
  const byDoc = Uint32Array.from(values.flatMap((_, at) => Array<number>(((from + at) % 7) + 1).fill(at)));
  return { hosts: { values, byDoc } } as unknown as SegmentColumns;
}

/** @returns how often it paused */
function added(facet: FacetCounts, columns: SegmentColumns): number {
  let pauses = 0;
  for (const _ of facet.add(columns, new Uint8Array(columns.hosts.byDoc.length).fill(1))) pauses++;
  return pauses;
}

it('are the most frequent ones over all segments, in alphabetical order where they are equal', () => {
  const facet = new FacetCounts('host');
  for (const [from, to] of [
    [0, 300],
    [200, 500],
  ] as const)
    added(facet, segmentOf(from, to));
  const counts = Array.from({ length: 500 }, (_, n) => ({
    value: `host-${n}.test`,
    documents: ((n % 7) + 1) * (n >= 200 && n < 300 ? 2 : 1),
  }));
  const expected = counts.sort((a, b) => b.documents - a.documents || (a.value < b.value ? -1 : 1)).slice(0, 20);
  expect(facet.values).toEqual(expected);
});

it('are the first of the alphabet where more are equal than are shown, in whichever order the index has them', () => {
  const values = Array.from({ length: 30 }, (_, n) => `host-${99 - n}.test`);
  const byDoc = Uint32Array.from(values.keys());
  const facet = new FacetCounts('host');
  added(facet, { hosts: { values, byDoc } } as unknown as SegmentColumns);
  expect(facet.values.map(({ value }) => value)).toEqual(values.toSorted().slice(0, 20));
});

it('pause while they are counted, so that other requests are processed', () => {
  expect(added(new FacetCounts('host'), segmentOf(0, 20_000))).toBeGreaterThanOrEqual(4);
});
