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
/** Values that are counted between two pauses. */
const VALUES_AT_ONCE = 4_096;

const COLUMNS = { host: 'hosts', lang: 'languages', type: 'types' } as const;

export class FacetCounts {
  private readonly counts = new Map<string, number>();

  constructor(readonly name: FacetName) {}

  /** Counts the matches of a segment; yields now and then: a segment may have hundreds of thousands of hosts. */
  *add(columns: SegmentColumns, matches: Uint8Array): Generator<void, void> {
    const { values, byDoc } = columns[COLUMNS[this.name]];
    const counts = new Uint32Array(values.length);
    for (let doc = 0; doc < matches.length; doc++) if (matches[doc] === 1) counts[byDoc[doc]!]!++;
    for (let from = 0; from < values.length; from += VALUES_AT_ONCE) {
      this.addCounts(values, counts, from);
      yield;
    }
  }

  /** The most frequent values. Most of many rank after the last of them: no object is made for these. */
  get values(): FacetValue[] {
    const best: FacetValue[] = [];
    this.counts.forEach((documents, value) => {
      const last = best.length === MAX_VALUES ? best[MAX_VALUES - 1] : undefined;
      if (last && (last.documents > documents || (last.documents === documents && last.value < value))) return;
      best.push({ value, documents });
      best.sort(byDocuments);
      if (best.length > MAX_VALUES) best.pop();
    });
    return best;
  }

  private addCounts(values: readonly string[], counts: Uint32Array, from: number): void {
    const end = Math.min(values.length, from + VALUES_AT_ONCE);
    for (let ordinal = from; ordinal < end; ordinal++) {
      const value = values[ordinal]!;
      const count = counts[ordinal]!;
      if (count > 0 && value !== '') this.counts.set(value, (this.counts.get(value) ?? 0) + count);
    }
  }
}

const byDocuments = (a: FacetValue, b: FacetValue): number => b.documents - a.documents || (a.value < b.value ? -1 : 1);
