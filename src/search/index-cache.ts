/** Cache of data read from segments. Segments are immutable, so entries stay valid; live bits are cached by generation. */
import { ScratchPool } from '../core/search/score/scratch-arrays.js';
import type { LiveBits } from '../core/search/postings/live-bits.js';
import type { SegmentColumns } from '../core/search/postings/segment-columns.js';
import { WeightedLru } from '../core/queueing/weighted-lru.js';
import type { SegmentState } from './segment-reading.sql.js';

/** A term in a segment: its postings, and the location of its positions. */
export interface CachedTerm {
  readonly df: number;
  readonly post: Uint8Array;
  /** The first term of the block, and the byte range in the block's positions. */
  readonly first: string;
  readonly pos: { readonly from: number; readonly to: number };
}

/** Approximate bytes of an entry besides its data. */
const ENTRY_BYTES = 200;

export class IndexCache {
  readonly scratch = new ScratchPool();
  private readonly states: WeightedLru<readonly SegmentState[]>;
  private readonly columns: WeightedLru<SegmentColumns>;
  private readonly live: WeightedLru<LiveBits>;
  private readonly terms: WeightedLru<CachedTerm | null>;
  private readonly positions: WeightedLru<Uint8Array>;

  /** @param maxBytes approximate limit of memory */
  constructor(maxBytes: number) {
    this.states = new WeightedLru(maxBytes * 0.01);
    this.columns = new WeightedLru(maxBytes * 0.4);
    this.live = new WeightedLru(maxBytes * 0.09);
    this.terms = new WeightedLru(maxBytes * 0.3);
    this.positions = new WeightedLru(maxBytes * 0.2);
  }

  /** The segments of a crawl when it was last searched: they may have changed since. */
  statesOf(crawl: number): readonly SegmentState[] | undefined {
    return this.states.get(String(crawl));
  }

  keepStates(crawl: number, states: readonly SegmentState[]): void {
    this.states.set(String(crawl), states, ENTRY_BYTES * (states.length + 1));
  }

  columnsOf(seg: number): SegmentColumns | undefined {
    return this.columns.get(String(seg));
  }

  /** @param larger segments that the same search reads: they stay cached, as reading them again costs more */
  keepColumns(
    seg: number,
    columns: SegmentColumns,
    { size, larger }: { size: number; larger: readonly number[] },
  ): void {
    this.columns.setBeside(larger.map(String), String(seg), { value: columns, weight: size + ENTRY_BYTES });
  }

  liveOf({ seg, generation }: { seg: number; generation: number }): LiveBits | undefined {
    return this.live.get(`${seg} ${generation}`);
  }

  keepLive({ seg, generation }: { seg: number; generation: number }, live: LiveBits): void {
    this.live.set(`${seg} ${generation}`, live, live.bytes.length + ENTRY_BYTES);
  }

  /** null: the segment does not contain the term; undefined: not cached. */
  termOf(seg: number, term: string): CachedTerm | null | undefined {
    return this.terms.get(`${seg} ${term}`);
  }

  keepTerm(seg: number, term: string, entry: CachedTerm | null): void {
    this.terms.set(`${seg} ${term}`, entry, (entry?.post.length ?? 0) + ENTRY_BYTES);
  }

  positionsOf(seg: number, term: string): Uint8Array | undefined {
    return this.positions.get(`${seg} ${term}`);
  }

  keepPositions(seg: number, term: string, positions: Uint8Array): void {
    this.positions.set(`${seg} ${term}`, positions, positions.length + ENTRY_BYTES);
  }
}
