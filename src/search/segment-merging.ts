/**
 * Merges segments: each query reads all segments of its crawl, so their number is limited, and dead documents occupy space until
 * a merge. More than eight segments of similar size are merged into one, in one transaction; readers see the old ones or the new.
 *
 * Other writers continue meanwhile: what a merge reads of segments does not change, but for their live bits, and segments are
 * deleted only under the merge lock. At its end, under the index lock, a merge reads the live bits again.
 */
import type { Pool } from 'pg';
import { LiveBits } from '../core/search/postings/live-bits.js';
import { segmentsToMerge } from '../core/search/postings/merge-choice.js';
import { type MergeInput, mergeTerms, renumbered } from '../core/search/postings/merge-terms.js';
import { ColumnsBuilder, decodeColumns, valuesOf } from '../core/search/postings/segment-columns.js';
import type { StoredFields } from '../core/search/postings/segment-builder.js';
import type { Pause } from './time-slices.js';
import { storedFields } from '../core/search/postings/stored-block.js';
import { type TermPostings, termsOf } from '../core/search/postings/term-block.js';
import { type Sql, transaction } from '../db/sql.js';
import { decompress } from '../webpage/compression.js';
import {
  PostingWriter,
  STORED_BLOCK,
  StoredWriter,
  deleteSegments,
  docKey,
  insertSegment,
  lockIndex,
  lockMerging,
  moveDocuments,
  nextSegment,
} from './segment-writing.sql.js';
import { nextBlocks, readStored, segmentLive, segmentSizes, wholeSegment } from './segment-reading.sql.js';

/** Rows of postings and of stored fields read at once from each segment: their terms are in memory while they are merged. */
const ROWS_AT_ONCE = 32;

/**
 * Merges segments until no size has too many. If another writer is merging, this one leaves it all to that: it counts the segments
 * again after each merge.
 * @param signal aborts also the merge that is running, which then changes nothing
 */
export async function mergeSegments(pool: Pool, crawl: number, signal: AbortSignal, pause?: Pause): Promise<void> {
  let isMerging = true;
  while (isMerging && segmentsToMerge(await segmentSizes(pool, crawl)).length > 0) {
    isMerging = await transaction(pool, async (tx) => {
      if (!(await lockMerging(tx, crawl))) return false;
      const segments = segmentsToMerge(await segmentSizes(tx, crawl));
      if (segments.length > 0) await mergeInto(tx, crawl, { segments, signal, pause });
      return true;
    });
  }
}

async function mergeInto(
  tx: Sql,
  crawl: number,
  { segments, signal, pause }: { segments: readonly number[]; signal: AbortSignal; pause: Pause | undefined },
): Promise<void> {
  const seg = await nextSegment(tx);
  const sources = await readColumns(tx, crawl, segments);
  const numbers = renumbered(sources.map(({ live }) => live));
  const inputs = sources.map((source, i): MergeInput => ({
    more: termsReader(tx, crawl, source.seg),
    numbers: numbers[i]!,
  }));
  const postings = new PostingWriter(tx, crawl, seg, pause);
  for await (const terms of mergeTerms(inputs)) {
    signal.throwIfAborted();
    await postings.add(terms);
  }
  await postings.end();
  const columns = new ColumnsBuilder();
  const stored = new StoredWriter(tx, crawl, seg);
  const keys: string[] = [];
  for (const source of sources) {
    for (let doc = 0; doc < source.live.size; doc++)
      if (source.live.has(doc)) columns.add(valuesOf(source.columns, doc));
    for await (const fields of liveFields(tx, crawl, source)) {
      signal.throwIfAborted();
      await stored.add(fields);
      keys.push(...fields.map(({ id }) => docKey(id)));
    }
  }
  await stored.end();
  const built = columns.build();
  await lockIndex(tx, crawl);
  const live = await stillLive(tx, crawl, sources, numbers);
  if (live.count > 0) {
    await insertSegment(tx, { crawl, seg }, { columns: built, live });
    await moveDocuments(tx, { crawl, seg, from: segments }, keys);
  }
  const empty = (await segmentSizes(tx, crawl)).filter(({ liveDocuments }) => liveDocuments === 0);
  await deleteSegments(tx, crawl, [
    ...segments,
    ...empty.map((segment) => segment.seg),
    ...(live.count > 0 ? [] : [seg]),
  ]);
}

/** The live bits of the new segment: those of the sources may have been cleared since they were read. */
async function stillLive(
  tx: Sql,
  crawl: number,
  sources: readonly { seg: number; live: LiveBits }[],
  numbers: readonly Int32Array[],
): Promise<LiveBits> {
  const segments = sources.map(({ seg }) => seg);
  const current = new Map((await segmentLive(tx, crawl, segments)).map((row) => [row.seg, row.live]));
  const live = LiveBits.allLive(sources.reduce((sum, source) => sum + source.live.count, 0));
  for (const [i, source] of sources.entries()) {
    const now = new LiveBits(current.get(source.seg)!, source.live.size);
    for (let doc = 0; doc < now.size; doc++) if (source.live.has(doc) && !now.has(doc)) live.clear(numbers[i]![doc]!);
  }
  return live;
}

/** Reads the columns and live bits of segments. */
async function readColumns(tx: Sql, crawl: number, segments: readonly number[]) {
  const read = [];
  for (const seg of segments) {
    const { columns, live, documents } = await wholeSegment(tx, crawl, seg);
    read.push({ seg, columns: decodeColumns(await decompress(columns)), live: new LiveBits(live, documents) });
  }
  return read;
}

/** Reads the terms of a segment in batches. */
function termsReader(tx: Sql, crawl: number, seg: number): () => Promise<TermPostings[]> {
  let last = '';
  return async () => {
    const blocks = await nextBlocks(tx, crawl, { seg, after: last, limit: ROWS_AT_ONCE });
    last = blocks.at(-1)?.term ?? last;
    return blocks.flatMap(({ post, pos }) =>
      Array.from(termsOf(post), (entry) => ({ ...entry, pos: pos.subarray(entry.pos.from, entry.pos.to) })),
    );
  };
}

/** The stored fields of the live documents of a segment, in order. */
async function* liveFields(
  tx: Sql,
  crawl: number,
  { seg, live }: { seg: number; live: LiveBits },
): AsyncGenerator<StoredFields[]> {
  const blocks = Math.ceil(live.size / STORED_BLOCK);
  for (let from = 0; from < blocks; from += ROWS_AT_ONCE) {
    const blockKeys = Array.from({ length: Math.min(ROWS_AT_ONCE, blocks - from) }, (_, i) => ({
      seg,
      block: from + i,
    }));
    const storedBlocks = await readStored(tx, crawl, blockKeys);
    for (const { block, bytes } of storedBlocks.sort((a, b) => a.block - b.block))
      yield storedFields(bytes.toString()).filter((_, i) => live.has(block * STORED_BLOCK + i));
  }
}
