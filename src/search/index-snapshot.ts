/** The index of a crawl at one instant: its segments, and postings, which are read on demand. */
import { createHash } from 'node:crypto';
import { LiveBits } from '../core/search/postings/live-bits.js';
import { type SegmentColumns, columnsSize, decodeColumns } from '../core/search/postings/segment-columns.js';
import type { StoredFields } from '../core/search/postings/segment-builder.js';
import { storedFieldsAt } from '../core/search/postings/stored-block.js';
import { findTerm } from '../core/search/postings/term-block.js';
import type { LanguageCount } from '../core/search/query/query-language.js';
import { type IndexStatistics, statisticsOf } from '../core/search/score/bm25f.js';
import { prefixRanges } from '../core/search/score/query-plan.js';
import type { FoundPostings, SearchedSegment } from '../core/search/score/segment-search.js';
import type { ScratchPool } from '../core/search/score/scratch-arrays.js';
import type { ScoredDoc } from '../core/search/score/top-hits.js';
import { type SearchField, searchFields } from '../core/search/search-fields.js';
import type { Sql } from '../db/sql.js';
import { decompress } from '../webpage/compression.js';
import type { CachedTerm, IndexCache } from './index-cache.js';
import {
  type BlockRow,
  type PositionsLocation,
  type SegmentState,
  type StoredBlock,
  type WantedBlock,
  blocksOf,
  positionsOf,
  readStored,
  readStoredAndVersion,
  segmentColumns,
  segmentLive,
  segmentStates,
  versionOf,
  wholeBlocks,
} from './segment-reading.sql.js';
import { STORED_BLOCK } from './segment-writing.sql.js';
import { type WordsFrom, type WordsInRange, wordsInRanges } from './words-in-ranges.js';

/** Maximum size of a block that the lookup of a term returns; larger blocks are read by a second statement. */
const SMALL_BLOCK_BYTES = 16_384;
/** Maximum size of the blocks of frequent terms that the lookup returns, in total. */
const MAX_LOOKUP_BYTES = 2_097_152;
/** Maximum size of large blocks, and of positions for phrases, that one query reads. */
const MAX_QUERY_BYTES = 33_554_432;
/** Maximum of blocks of a segment that are read for a range of terms, and of terms that replace a prefix. */
export const MAX_RANGE_BLOCKS = 24;
const MAX_PREFIX_TERMS = 64;

/** Maximum size of positions that one query reads for proximity. */
const MAX_PROXIMITY_BYTES = 2_097_152;

/** Bytes of the hash in a generation. */
const HASH_BYTES = 6;

const ANY_LENGTH = { minBytes: 0, maxBytes: Infinity };

interface OpenSegment {
  readonly state: SegmentState;
  readonly columns: SegmentColumns;
  readonly live: LiveBits;
}

/** The index was written since the segments were cached. */
export class IndexChanged extends Error {}

/** What is read of segments, and where it is cached. */
interface Opening {
  readonly states: readonly SegmentState[];
  readonly cache: IndexCache;
}

/** The columns of segments. Cached ones are taken first: caching the others may evict them. */
async function columnsOf(db: Sql, crawl: number, { states, cache }: Opening): Promise<Map<number, SegmentColumns>> {
  const columnsBySegment = new Map<number, SegmentColumns>();
  for (const { seg } of states) {
    const known = cache.columnsOf(seg);
    if (known) columnsBySegment.set(seg, known);
  }
  const unknown = states.map(({ seg }) => seg).filter((seg) => !columnsBySegment.has(seg));
  const bySize = states.toSorted((a, b) => b.documents - a.documents).map(({ seg }) => seg);
  for (const { seg, columns } of unknown.length > 0 ? await segmentColumns(db, crawl, unknown) : []) {
    const read = decodeColumns(await decompress(columns));
    columnsBySegment.set(seg, read);
    cache.keepColumns(seg, read, { size: columnsSize(read), larger: bySize.slice(0, bySize.indexOf(seg)) });
  }
  return columnsBySegment;
}

/** The live bits of segments, likewise. */
async function liveOf(db: Sql, crawl: number, { states, cache }: Opening): Promise<Map<number, LiveBits>> {
  const liveBySegment = new Map<number, LiveBits>();
  for (const state of states) {
    const known = cache.liveOf(state);
    if (known) liveBySegment.set(state.seg, known);
  }
  const unknown = new Map(states.filter(({ seg }) => !liveBySegment.has(seg)).map((state) => [state.seg, state]));
  for (const { seg, live } of unknown.size > 0 ? await segmentLive(db, crawl, [...unknown.keys()]) : []) {
    const state = unknown.get(seg)!;
    const read = new LiveBits(live, state.documents);
    liveBySegment.set(seg, read);
    cache.keepLive(state, read);
  }
  return liveBySegment;
}

export class IndexSnapshot {
  readonly statistics: IndexStatistics;
  private readonly terms = new Map<string, (CachedTerm | null)[]>();
  private readonly positions = new Map<string, Uint8Array>();
  private bytes = 0;
  /** Whether the segments are those of an earlier search, which have to be checked. */
  private isAssumed = false;
  /** Terms that are ignored because their bytes exceed what one query may read. */
  readonly leftOut = new Set<string>();

  private constructor(
    private readonly db: Sql,
    private readonly crawl: number,
    private readonly cache: IndexCache,
    readonly segments: readonly OpenSegment[],
  ) {
    this.statistics = statisticsOf(segments.map(({ state }) => state));
  }

  static async open(db: Sql, crawl: number, cache: IndexCache): Promise<IndexSnapshot> {
    const states = await segmentStates(db, crawl);
    const columns = await columnsOf(db, crawl, { states, cache });
    const live = await liveOf(db, crawl, { states, cache });
    const segments = states.map((state) => ({
      state,
      columns: columns.get(state.seg)!,
      live: live.get(state.seg)!,
    }));
    cache.keepStates(crawl, states);
    return new IndexSnapshot(db, crawl, cache, segments);
  }

  /**
   * The index of the last search, without a statement; undefined if not all of it is cached. Data read from its segments are
   * valid in any statement while they exist. `stored` throws `IndexChanged` if the index has other segments by then.
   */
  static cached(db: Sql, crawl: number, cache: IndexCache): IndexSnapshot | undefined {
    const segments: OpenSegment[] = [];
    const states = cache.statesOf(crawl);
    for (const state of states ?? []) {
      const [columns, live] = [cache.columnsOf(state.seg), cache.liveOf(state)];
      if (columns === undefined || live === undefined) return undefined;
      segments.push({ state, columns, live });
    }
    if (states === undefined) return undefined;
    const snapshot = new IndexSnapshot(db, crawl, cache, segments);
    snapshot.isAssumed = true;
    return snapshot;
  }

  /** Changes with each write to the index: the last segment, and a hash of all with their generations. */
  get generation(): string {
    const states = this.segments.map(({ state }) => state);
    const digest = createHash('sha256').update(versionOf(states)).digest();
    return `${states.at(-1)?.seg ?? 0}.${digest.readUIntBE(0, HASH_BYTES)}`;
  }

  /** Whether no document has a word in a field. */
  isEmpty(field: SearchField): boolean {
    const at = searchFields.indexOf(field);
    return this.segments.every(({ state }) => state.sums[at] === 0);
  }

  /** Arrays that searches reuse. */
  get scratch(): ScratchPool {
    return this.cache.scratch;
  }

  /** Languages of the documents, the most frequent one first. */
  languages(max: number): LanguageCount[] {
    const counts = new Map<string, number>();
    for (const { columns } of this.segments) {
      const bySegment = countsOf(columns);
      columns.languages.values.forEach((language, i) =>
        counts.set(language, (counts.get(language) ?? 0) + bySegment[i]!),
      );
    }
    const languages = Array.from(counts, ([language, documents]) => ({ language: language || null, documents }));
    return languages.sort((a, b) => b.documents - a.documents).slice(0, max);
  }

  df(term: string): number {
    return this.terms.get(term)?.reduce((sum, entry) => sum + (entry?.df ?? 0), 0) ?? 0;
  }

  /**
   * Looks terms up in all segments. Terms whose postings exceed the limit of the query are not read, but added to `leftOut`.
   * @param near those whose positions `findNear` will probably read: they are cached, unless they are many
   */
  async find(terms: Iterable<string>, near: readonly string[] = []): Promise<void> {
    const uncached: WantedBlock[] = [];
    for (const term of new Set(terms)) {
      if (this.terms.has(term)) continue;
      const known = this.segments.map(({ state }) => this.cache.termOf(state.seg, term));
      const isNear = near.includes(term);
      known.forEach(
        (entry, i) => entry === undefined && uncached.push({ seg: this.segments[i]!.state.seg, term, isNear }),
      );
      this.terms.set(
        term,
        known.map((entry) => entry ?? null),
      );
    }
    if (uncached.length > 0) await this.read(uncached);
  }

  /**
   * The most frequent terms with one of the prefixes, among those in the first blocks of their ranges, and whether these are all;
   * looks them up.
   */
  async findPrefixes(prefixes: readonly string[]): Promise<{ terms: string[]; areAll: boolean }> {
    const ranges = prefixRanges(prefixes).map((range) => ({ ...range, maxBlocks: MAX_RANGE_BLOCKS, ...ANY_LENGTH }));
    const inRanges = await this.wordsIn(ranges);
    const words = inRanges.flatMap((inRange) => inRange.words);
    const byFrequency = words.sort((a, b) => b.df - a.df || (a.term < b.term ? -1 : 1));
    const terms = byFrequency.slice(0, MAX_PREFIX_TERMS).map(({ term }) => term);
    await this.find(terms);
    return { terms, areAll: terms.length === byFrequency.length && inRanges.every(({ areAll }) => areAll) };
  }

  /** The words in ranges of terms, each with the number of its documents. */
  wordsIn(ranges: readonly WordsFrom[]): Promise<WordsInRange[]> {
    const segments = this.segments.map(({ state }) => state.seg);
    return wordsInRanges(this.db, this.crawl, segments, ranges);
  }

  /** Reads the positions of terms that `find` has found. */
  async findPositions(terms: Iterable<string>): Promise<void> {
    const fitting = this.locationsOf(terms).filter(({ term, from, to }) => this.takes(term, to - from));
    await this.readPositions(fitting);
  }

  /** Reads the positions of terms in some segments, the smallest first, up to MAX_PROXIMITY_BYTES bytes. */
  async findNear(terms: Iterable<string>, segments: readonly number[]): Promise<void> {
    const locations = this.locationsOf(terms).filter(({ seg }) => segments.includes(seg));
    const byTerm = [...Map.groupBy(locations, ({ term }) => term).values()].map((ofTerm) => ({
      ofTerm,
      bytes: positionBytes(ofTerm),
    }));
    let left = MAX_PROXIMITY_BYTES;
    const fitting = byTerm.sort((a, b) => a.bytes - b.bytes).filter(({ bytes }) => (left -= bytes) >= 0);
    await this.readPositions(fitting.flatMap(({ ofTerm }) => ofTerm));
  }

  private locationsOf(terms: Iterable<string>): PositionsLocation[] {
    return [...new Set(terms)].flatMap((term) =>
      (this.terms.get(term) ?? []).flatMap((entry, i) =>
        entry === null ? [] : [{ seg: this.segments[i]!.state.seg, term, first: entry.first, ...entry.pos }],
      ),
    );
  }

  private async readPositions(locations: readonly PositionsLocation[]): Promise<void> {
    const unread = locations.filter(({ seg, term }) => !this.positions.has(`${seg} ${term}`));
    const unknown = unread.filter(({ seg, term }) => {
      const known = this.cache.positionsOf(seg, term);
      if (known) this.positions.set(`${seg} ${term}`, known);
      return known === undefined;
    });
    if (unknown.length === 0) return;
    for (const { seg, term, pos } of await positionsOf(this.db, this.crawl, unknown)) {
      this.positions.set(`${seg} ${term}`, pos);
      this.cache.keepPositions(seg, term, pos);
    }
  }

  /** A segment with the postings and positions that were read. */
  searched(at: number): SearchedSegment {
    const { columns, live, state } = this.segments[at]!;
    const postings = new Map<string, FoundPostings>();
    for (const [term, entries] of this.terms) {
      const { post } = entries[at] ?? {};
      if (post && !this.leftOut.has(term))
        postings.set(term, { post, pos: this.positions.get(`${state.seg} ${term}`) ?? NOTHING });
    }
    return { columns, live, postings };
  }

  searchedOf(seg: number): SearchedSegment {
    return this.searched(this.segments.findIndex(({ state }) => state.seg === seg));
  }

  /** The stored fields of documents, in the same order. Throws `IndexChanged`. */
  async stored(docs: readonly ScoredDoc[]): Promise<StoredFields[]> {
    const blocks = new Map(
      docs.map(({ seg, doc }) => {
        const block = Math.floor(doc / STORED_BLOCK);
        return [`${seg} ${block}`, { seg, block }];
      }),
    );
    const stored = await this.storedBlocks([...blocks.values()]);
    const read = new Map(stored.map(({ seg, block, bytes }) => [`${seg} ${block}`, bytes]));
    return docs.map(({ seg, doc }) =>
      storedFieldsAt(read.get(`${seg} ${Math.floor(doc / STORED_BLOCK)}`)!, doc % STORED_BLOCK),
    );
  }

  private async storedBlocks(blockKeys: readonly { seg: number; block: number }[]): Promise<StoredBlock[]> {
    if (!this.isAssumed) return readStored(this.db, this.crawl, blockKeys);
    const { version, blocks } = await readStoredAndVersion(this.db, this.crawl, blockKeys);
    if (version !== versionOf(this.segments.map(({ state }) => state))) throw new IndexChanged();
    return blocks;
  }

  private async read(uncached: readonly WantedBlock[]): Promise<void> {
    const own = Math.max(SMALL_BLOCK_BYTES, Math.floor(MAX_LOOKUP_BYTES / uncached.length));
    const pos = Math.floor(MAX_PROXIMITY_BYTES / uncached.length);
    const rows = await blocksOf(this.db, this.crawl, uncached, { shared: SMALL_BLOCK_BYTES, own, pos });
    const large = rows.filter(({ post }) => post === null).sort((a, b) => a.size - b.size);
    const whole = large.filter(({ term, first, size }) => term === first && this.takes(term, size));
    const read = whole.length > 0 ? await wholeBlocks(this.db, this.crawl, whole) : [];
    const bytes = new Map(read.map(({ seg, term, post }) => [`${seg} ${term}`, post]));
    const entries = new Map<string, CachedTerm>();
    for (const { seg, term, first, post, pos: positions } of rows) {
      const block = post ?? bytes.get(`${seg} ${term}`);
      const entry = block && findTerm(block, Buffer.from(term));
      if (!entry) continue;
      entries.set(`${seg} ${term}`, { df: entry.df, post: unshared(block, entry.post), first, pos: entry.pos });
      if (positions !== null)
        this.cache.keepPositions(seg, term, unshared(positions, positions.subarray(entry.pos.from, entry.pos.to)));
    }
    const numbers = new Map(this.segments.map(({ state }, i) => [state.seg, i]));
    // A segment that was deleted meanwhile has no blocks; other searches may still see it.
    const isRead = ({ seg, term, first, post }: BlockRow): boolean =>
      post !== null || term !== first || bytes.has(`${seg} ${term}`);
    const known = new Set(rows.filter(isRead).map(({ seg, term }) => `${seg} ${term}`));
    for (const { seg, term } of uncached) {
      const entry = entries.get(`${seg} ${term}`) ?? null;
      this.terms.get(term)![numbers.get(seg)!] = entry;
      if (!this.leftOut.has(term) && known.has(`${seg} ${term}`)) this.cache.keepTerm(seg, term, entry);
    }
  }

  /** Adds bytes to those read by the query, or the term to `leftOut` if they exceed the limit. @returns whether they fit */
  private takes(term: string, bytes: number): boolean {
    if (this.leftOut.has(term)) return false;
    const fits = this.bytes + bytes <= MAX_QUERY_BYTES;
    if (fits) this.bytes += bytes;
    else this.leftOut.add(term);
    return fits;
  }
}

const positionBytes = (locations: readonly PositionsLocation[]): number =>
  locations.reduce((sum, { from, to }) => sum + to - from, 0);

const NOTHING = new Uint8Array(0);

/**
 * Bytes of a block, or a copy of them: a view would keep the whole block in memory. Never a Buffer: loops compiled for one
 * type.
 */
const unshared = ({ buffer }: Uint8Array, bytes: Uint8Array): Uint8Array =>
  2 * bytes.length > buffer.byteLength
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
    : new Uint8Array(bytes);

const counted = new WeakMap<SegmentColumns, Uint32Array>();

/** Number of documents of each language. */
function countsOf(columns: SegmentColumns): Uint32Array {
  const known = counted.get(columns);
  if (known) return known;
  const counts = new Uint32Array(columns.languages.values.length);
  for (const ordinal of columns.languages.byDoc) counts[ordinal]!++;
  counted.set(columns, counts);
  return counts;
}
