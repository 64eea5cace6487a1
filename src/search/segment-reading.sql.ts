/** What readers ask of the index. Each statement is of one crawl: on a cluster one node answers it. */
import { type Sql, prepared, rows } from '../db/sql.js';
import { decompressSmall } from '../webpage/compression.js';

export interface StoredBlock {
  readonly seg: number;
  readonly block: number;
  /** As in core/search/postings/stored-block.ts. */
  readonly text: string;
}

interface StoredRow {
  readonly seg: number;
  readonly block: number;
  readonly fields: Buffer;
}

/** Bytes of a block, at most: its titles and URLs are bounded. */
const MAX_STORED = 16_777_216;

export async function readStored(
  db: Sql,
  crawl: number,
  wanted: readonly { seg: number; block: number }[],
): Promise<StoredBlock[]> {
  const found = await rows<StoredRow>(prepared(db))`
    select s.seg, s.block, s.fields
      from unnest(${wanted.map(({ seg }) => seg)}::int[], ${wanted.map(({ block }) => block)}::int[]) as w (seg, block)
      join search_stored s on s.crawl = ${crawl} and s.seg = w.seg and s.block = w.block`;
  return Promise.all(found.map(storedBlockOf));
}

async function storedBlockOf({ seg, block, fields }: StoredRow): Promise<StoredBlock> {
  return { seg, block, text: (await decompressSmall(fields, MAX_STORED)).toString() };
}

/** The same, and which segments the index has at that instant. */
export async function readStoredAndVersion(
  db: Sql,
  crawl: number,
  wanted: readonly { seg: number; block: number }[],
): Promise<{ version: string; blocks: StoredBlock[] }> {
  const found = await rows<StoredRow & { version: string | null }>(prepared(db))`
    select s.seg, s.block, s.fields, null as version
      from unnest(${wanted.map(({ seg }) => seg)}::int[], ${wanted.map(({ block }) => block)}::int[]) as w (seg, block)
      join search_stored s on s.crawl = ${crawl} and s.seg = w.seg and s.block = w.block
     union all
    select null, null, null, coalesce(string_agg(seg || '.' || generation, ' ' order by seg), '')
      from search_segment where crawl = ${crawl}`;
  const blocks = await Promise.all(found.filter(({ version }) => version === null).map(storedBlockOf));
  return { version: found.find(({ version }) => version !== null)!.version!, blocks };
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

export async function segmentStates(db: Sql, crawl: number): Promise<SegmentState[]> {
  const found = await rows<Omit<SegmentState, 'sums'> & { sums: string[] }>(prepared(db))`
    select seg, documents, live_documents as "liveDocuments", generation, sums from search_segment
     where crawl = ${crawl} order by seg`;
  return found.map(({ sums, ...state }) => ({ ...state, sums: sums.map(Number) }));
}

export const segmentLive = (db: Sql, crawl: number, segments: readonly number[]) =>
  rows<{ seg: number; live: Buffer }>(prepared(db))`
    select seg, live from search_segment where crawl = ${crawl} and seg = any (${segments}::int[])`;

export const segmentColumns = (db: Sql, crawl: number, segments: readonly number[]) =>
  rows<{ seg: number; columns: Buffer }>(db)`
    select seg, columns from search_segment where crawl = ${crawl} and seg = any (${segments}::int[])`;

/** Bytes of a block that have all its terms. */
const HEAD = 2_048;

/** A term of a segment that is wanted. */
export interface Wanted {
  readonly seg: number;
  readonly term: string;
}

/** A block that has a term, if any has: its first term comes last before it. Bytes of large blocks are left out: null. */
export interface BlockRow extends Wanted {
  readonly first: string;
  readonly size: number;
  readonly post: Buffer | null;
}

/** @param sizes of blocks that are read, at most: of all terms, and of the wanted term alone */
export const blocksOf = (
  db: Sql,
  crawl: number,
  wanted: readonly Wanted[],
  { shared, own }: { readonly shared: number; readonly own: number },
) =>
  rows<BlockRow>(prepared(db))`
    select w.seg, w.term, b.first, b.size,
           case when b.size <= ${shared} or (b.size <= ${own} and b.first = w.term) then b.post end as post
      from unnest(${wanted.map(({ seg }) => seg)}::int[], ${wanted.map(({ term }) => term)}::text[]) as w (seg, term)
     cross join lateral (
       select p.term as first, octet_length(p.post) as size, p.post from search_posting p
        where p.crawl = ${crawl} and p.seg = w.seg and p.term <= w.term collate "C" order by p.term desc limit 1) b`;

/** Whole blocks, by their first terms. */
export const wholeBlocks = (db: Sql, crawl: number, wanted: readonly Wanted[]) =>
  rows<Wanted & { post: Buffer }>(prepared(db))`
    select p.seg, p.term, p.post
      from unnest(${wanted.map(({ seg }) => seg)}::int[], ${wanted.map(({ term }) => term)}::text[]) as w (seg, term)
      join search_posting p on p.crawl = ${crawl} and p.seg = w.seg and p.term = w.term collate "C"`;

/** Where the positions of a term are: bytes of those of the block that begins with a term. */
export interface PositionsPlace extends Wanted {
  readonly first: string;
  readonly from: number;
  readonly to: number;
}

export const positionsOf = (db: Sql, crawl: number, wanted: readonly PositionsPlace[]) =>
  rows<Wanted & { pos: Buffer }>(prepared(db))`
    select w.seg, w.term, substring(p.pos from w.start + 1 for w.size) as pos
      from unnest(${wanted.map(({ seg }) => seg)}::int[], ${wanted.map(({ term }) => term)}::text[],
                  ${wanted.map(({ first }) => first)}::text[], ${wanted.map(({ from }) => from)}::int[],
                  ${wanted.map(({ from, to }) => to - from)}::int[]) as w (seg, term, first, start, size)
      join search_posting p on p.crawl = ${crawl} and p.seg = w.seg and p.term = w.first collate "C"`;

export interface TermRange {
  readonly from: string;
  /** The first term that is not in the range. */
  readonly to: string;
  /** Blocks of a segment that are read, at most. */
  readonly maxBlocks: number;
}

/** The heads of blocks in which terms of ranges may stand, of all segments, some at most: which terms they have. */
export const rangeBlocks = (db: Sql, crawl: number, segments: readonly number[], ranges: readonly TermRange[]) =>
  rows<{ range: number; head: Buffer }>(prepared(db))`
    select r.n::int - 1 as range, b.head
      from unnest(${ranges.map(({ from }) => from)}::text[], ${ranges.map(({ to }) => to)}::text[],
                  ${ranges.map(({ maxBlocks }) => maxBlocks)}::int[]) with ordinality as r ("from", "to", max_blocks, n)
     cross join unnest(${segments}::int[]) as s (seg)
     cross join lateral (
       select substring(p.post from 1 for ${HEAD}) as head from search_posting p
        where p.crawl = ${crawl} and p.seg = s.seg and p.term < r."to" collate "C" and p.term >= coalesce(
                (select max(q.term) from search_posting q
                  where q.crawl = ${crawl} and q.seg = s.seg and q.term <= r."from" collate "C"), '')
        order by p.term limit r.max_blocks) b`;

/** Crawls with an index, some at most. */
export const indexedCrawls = (db: Sql, limit: number) =>
  rows<{ id: number; name: string }>(db)`
    select c.id, c.name from (select distinct crawl from search_segment) s join crawl c on c.id = s.crawl
     order by c.name limit ${limit}`;
