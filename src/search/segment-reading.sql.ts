/** Statements that read the index. All but `indexedCrawls` concern one crawl: on Citus, one node executes them. */
import { type Column, rowList } from '../db/row-list.js';
import type { SegmentSize } from '../core/search/postings/merge-choice.js';
import { type Sql, prepared, row, rows } from '../db/sql.js';
import { decompressSmall } from '../webpage/compression.js';

export interface StoredBlock {
  readonly seg: number;
  readonly block: number;
  /** As in core/search/postings/stored-block.ts, in UTF-8. */
  readonly bytes: Buffer;
}

interface StoredRow {
  readonly seg: number;
  readonly block: number;
  readonly fields: Buffer;
}

/** Maximum of decompressed bytes of a block, whose titles and URLs have a bounded length. */
const MAX_STORED_BYTES = 16_777_216;

/** Returns blocks of stored fields, decompressed. */
export async function readStored(
  db: Sql,
  crawl: number,
  blockKeys: readonly { seg: number; block: number }[],
): Promise<StoredBlock[]> {
  const storedRows = await rows<StoredRow>(prepared(db))`
    select stored.seg, stored.block, stored.fields
      from ${rowList('block_key', blockKeys, { seg: SEG, block: ['int', ({ block }) => block] })}
      join search_stored stored on stored.crawl = ${crawl} and stored.seg = block_key.seg and stored.block = block_key.block`;
  return Promise.all(storedRows.map(storedBlockOf));
}

async function storedBlockOf({ seg, block, fields }: StoredRow): Promise<StoredBlock> {
  return { seg, block, bytes: await decompressSmall(fields, MAX_STORED_BYTES) };
}

/** Reads blocks of stored fields, and which segments the index has at that instant. */
export async function readStoredAndVersion(
  db: Sql,
  crawl: number,
  blockKeys: readonly { seg: number; block: number }[],
): Promise<{ version: string; blocks: StoredBlock[] }> {
  const storedRows = await rows<StoredRow & { version: string | null }>(prepared(db))`
    select stored.seg, stored.block, stored.fields, null as version
      from ${rowList('block_key', blockKeys, { seg: SEG, block: ['int', ({ block }) => block] })}
      join search_stored stored on stored.crawl = ${crawl} and stored.seg = block_key.seg and stored.block = block_key.block
     union all
    select null, null, null, coalesce(string_agg(seg || '.' || generation, ' ' order by seg), '')
      from search_segment where crawl = ${crawl}`;
  const blocks = await Promise.all(storedRows.filter(({ version }) => version === null).map(storedBlockOf));
  return { version: storedRows.find(({ version }) => version !== null)!.version!, blocks };
}

/** Segments and their generations: equal while nothing was written, as neither comes back. */
export const versionOf = (states: readonly Pick<SegmentState, 'seg' | 'generation'>[]): string =>
  states.map(({ seg, generation }) => `${seg}.${generation}`).join(' ');

export interface SegmentState {
  readonly seg: number;
  readonly documents: number;
  readonly liveDocuments: number;
  readonly generation: number;
  readonly sums: readonly number[];
}

/** Returns the segments of a crawl in ascending order, without their columns and live bits. */
export async function segmentStates(db: Sql, crawl: number): Promise<SegmentState[]> {
  const states = await rows<Omit<SegmentState, 'sums'> & { sums: string[] }>(prepared(db))`
    select seg, documents, live_documents as "liveDocuments", generation, sums from search_segment
     where crawl = ${crawl} order by seg`;
  return states.map(({ sums, ...state }) => ({ ...state, sums: sums.map(Number) }));
}

/** Returns the live bits of segments. */
export const segmentLive = (db: Sql, crawl: number, segments: readonly number[]) =>
  rows<{ seg: number; live: Buffer }>(prepared(db))`
    select seg, live from search_segment where crawl = ${crawl} and seg = any (${segments}::int[])`;

/** Returns the columns of segments, compressed. */
export const segmentColumns = (db: Sql, crawl: number, segments: readonly number[]) =>
  rows<{ seg: number; columns: Buffer }>(db)`
    select seg, columns from search_segment where crawl = ${crawl} and seg = any (${segments}::int[])`;

/** Bytes from the start of a block that include all its terms. */
const HEAD_BYTES = 2_048;

/** A term to look up in a segment. */
export interface Wanted {
  readonly seg: number;
  readonly term: string;
}

/** Columns of rows `w`: what is wanted. */
const SEG: Column<{ seg: number }> = ['int', ({ seg }) => seg];
const TERM: Column<{ term: string }> = ['text', ({ term }) => term];

/** A term whose positions may be used. */
export interface WantedBlock extends Wanted {
  readonly isNear: boolean;
}

/**
 * The only block that can contain a term: that with the greatest first term <= the term. `post` is null if it is too large;
 * `pos`, the positions of all its terms, as well, and if they are not used.
 */
export interface BlockRow extends Wanted {
  readonly first: string;
  readonly size: number;
  readonly post: Buffer | null;
  readonly pos: Buffer | null;
}

/** Maximum bytes of a block, of a block whose first term is the wanted one, and of the positions of a block. */
export interface BlockSizes {
  readonly shared: number;
  readonly own: number;
  readonly pos: number;
}

/** Returns the block of each term. */
export const blocksOf = (db: Sql, crawl: number, terms: readonly WantedBlock[], { shared, own, pos }: BlockSizes) =>
  rows<BlockRow>(prepared(db))`
    select term_key.seg, term_key.term, block.first, block.size,
           case when block.size <= ${shared} or (block.size <= ${own} and block.first = term_key.term) then block.post end as post,
           case when term_key.is_near and octet_length(block.pos) <= ${pos} then block.pos end as pos
      from ${rowList('term_key', terms, { seg: SEG, term: TERM, is_near: ['bool', ({ isNear }) => isNear] })}
     cross join lateral (
       select posting.term as first, octet_length(posting.post) as size, posting.post, posting.pos from search_posting posting
        where posting.crawl = ${crawl} and posting.seg = term_key.seg and posting.term <= term_key.term collate "C" order by posting.term desc limit 1) block`;

/** Returns whole blocks of any size by their first terms. */
export const wholeBlocks = (db: Sql, crawl: number, terms: readonly Wanted[]) =>
  rows<Wanted & { post: Buffer }>(prepared(db))`
    select posting.seg, posting.term, posting.post
      from ${rowList('term_key', terms, { seg: SEG, term: TERM })}
      join search_posting posting on posting.crawl = ${crawl} and posting.seg = term_key.seg and posting.term = term_key.term collate "C"`;

/** Location of the positions of a term: a byte range in the positions of the block whose first term is `first`. */
export interface PositionsLocation extends Wanted {
  readonly first: string;
  readonly from: number;
  readonly to: number;
}

/** Returns the positions of terms, without those of other terms in their blocks. */
export const positionsOf = (db: Sql, crawl: number, locations: readonly PositionsLocation[]) =>
  rows<Wanted & { pos: Buffer }>(prepared(db))`
    select location.seg, location.term, substring(posting.pos from location.start + 1 for location.size) as pos
      from ${rowList('location', locations, {
        seg: SEG,
        term: TERM,
        first: ['text', ({ first }) => first],
        start: ['int', ({ from }) => from],
        size: ['int', ({ from, to }) => to - from],
      })}
      join search_posting posting on posting.crawl = ${crawl} and posting.seg = location.seg and posting.term = location.first collate "C"`;

export interface TermRange {
  readonly from: string;
  /** The first term that is not in the range. */
  readonly to: string;
  /** Maximum of blocks that are read per segment. */
  readonly maxBlocks: number;
}

/** Returns the heads, which list the terms, of the first blocks of each segment that can contain terms of each range. */
export const rangeBlocks = (db: Sql, crawl: number, segments: readonly number[], ranges: readonly TermRange[]) =>
  rows<{ range: number; seg: number; head: Buffer }>(prepared(db))`
    select word_range.range, segment.seg, block.head
      from ${rowList('word_range', ranges, {
        range: ['int', (_, range) => range],
        lower: ['text', ({ from }) => from],
        upper: ['text', ({ to }) => to],
        max_blocks: ['int', ({ maxBlocks }) => maxBlocks],
      })}
     cross join unnest(${segments}::int[]) as segment (seg)
     cross join lateral (
       select substring(posting.post from 1 for ${HEAD_BYTES}) as head from search_posting posting
        where posting.crawl = ${crawl} and posting.seg = segment.seg and posting.term < word_range.upper collate "C" and posting.term >= coalesce(
                (select max(before.term) from search_posting before
                  where before.crawl = ${crawl} and before.seg = segment.seg and before.term <= word_range.lower collate "C"), '')
        order by posting.term limit word_range.max_blocks) block`;

/** Returns the segments of a crawl, oldest first. */
export const segmentSizes = (db: Sql, crawl: number): Promise<SegmentSize[]> =>
  rows<SegmentSize>(db)`
    select seg, live_documents as "liveDocuments" from search_segment where crawl = ${crawl} order by seg`;

/** Returns a segment with its columns and live bits. */
export const wholeSegment = async (db: Sql, crawl: number, seg: number) =>
  (await row<{ columns: Buffer; live: Buffer; documents: number }>(db)`
    select columns, live, documents from search_segment where crawl = ${crawl} and seg = ${seg}`)!;

/** Returns the next whole blocks of a segment after the one that begins with `after`. */
export const nextBlocks = (
  db: Sql,
  crawl: number,
  { seg, after, limit }: { seg: number; after: string; limit: number },
) =>
  rows<{ term: string; post: Buffer; pos: Buffer }>(db)`
    select term, post, pos from search_posting
     where crawl = ${crawl} and seg = ${seg} and term > ${after} order by term limit ${limit}`;

/** Returns crawls that have an index, up to a limit, by name. */
export const indexedCrawls = (db: Sql, limit: number) =>
  rows<{ id: number; name: string }>(db)`
    select c.id, c.name from (select distinct crawl from search_segment) s join crawl c on c.id = s.crawl
     order by c.name limit ${limit}`;
