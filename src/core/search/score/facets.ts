/** Counts of the found documents by host, language and type. */
import type { SegmentColumns } from '../postings/segment-columns.js';

export const facetNames = ['host', 'lang', 'type'] as const;
export type FacetName = (typeof facetNames)[number];

export interface FacetValue {
  readonly value: string;
  readonly documents: number;
}

/** Maximum of values of a facet. */
const MAX_VALUES = 20;

const COLUMNS = { host: 'hosts', lang: 'languages', type: 'types' } as const;

export class FacetCounts {
  private readonly counts = new Map<string, number>();

  constructor(readonly name: FacetName) {}

  add(columns: SegmentColumns, matches: Uint8Array): void {
    const { values, of } = columns[COLUMNS[this.name]];
    const counts = new Uint32Array(values.length);
    for (let doc = 0; doc < matches.length; doc++) if (matches[doc] === 1) counts[of[doc]!]!++;
    for (const [ordinal, count] of counts.entries()) {
      const value = values[ordinal]!;
      if (count > 0 && value !== '') this.counts.set(value, (this.counts.get(value) ?? 0) + count);
    }
  }

  /** The most frequent values. */
  get values(): FacetValue[] {
    return [...this.counts]
      .map(([value, documents]) => ({ value, documents }))
      .sort((a, b) => b.documents - a.documents || (a.value < b.value ? -1 : 1))
      .slice(0, MAX_VALUES);
  }
}
