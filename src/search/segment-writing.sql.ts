/** Segments as rows: written in one transaction each under the index lock of the crawl; only their live bits change later. */
import { createHash } from 'node:crypto';
import type { BuiltSegment, StoredFields } from '../core/search/postings/segment-builder.js';
import { LiveBits } from '../core/search/postings/live-bits.js';
import { type SegmentColumns, encodeColumns, sumsOf } from '../core/search/postings/segment-columns.js';
import { type Pause, pauseForOthers } from './time-slices.js';
import { storedBlock } from '../core/search/postings/stored-block.js';
import { BlockPacker, type TermBlock, type TermPostings } from '../core/search/postings/term-block.js';
import { rowList } from '../db/row-list.js';
import { type Sql, row, rows, sql } from '../db/sql.js';
import { compress } from '../webpage/compression.js';

/** First halves of the keys of the advisory locks; the second half is the crawl's number. */
const INDEX_LOCK = 7_104_540;
const MERGE_LOCK = 7_104_541;
/** Milliseconds that a writer waits for the index lock: a merge has it while it moves up to 500,000 documents. */
const LOCK_PATIENCE_MS = 120_000;

/** Documents whose stored fields are in one row. */
export const STORED_BLOCK = 64;
const BLOCKS_PER_STATEMENT = 64;
/** Documents moved by one statement. */
const DOCS_AT_ONCE = 50_000;
/** Approximate bytes inserted by one statement. */
const STATEMENT_BYTES = 524_288;
/** Terms packed between two pauses: a millisecond or two. */
const PACKED_AT_ONCE = 256;

/** Segment and number of a document. */
export interface DocAddress {
  readonly seg: number;
  readonly doc: number;
}

/** A key of fixed size for ids of any length, from a cryptographic hash, so that nobody can construct a collision. */
export const docKey = (id: string): string => {
  const hex = createHash('sha256').update(id).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
};

/** Takes the index lock of a crawl, until the end of the transaction. */
export async function lockIndex(tx: Sql, crawl: number): Promise<void> {
  await tx.query(sql`select set_config('lock_timeout', ${`${LOCK_PATIENCE_MS}ms`}, true)`);
  await tx.query(sql`select pg_advisory_xact_lock(${INDEX_LOCK}::int, ${crawl}::int)`);
}

/** Takes the merge lock of a crawl, until the end of the transaction. @returns false if another one has it */
export const lockMerging = async (tx: Sql, crawl: number): Promise<boolean> =>
  (await row<{ locked: boolean }>(tx)`
    select pg_try_advisory_xact_lock(${MERGE_LOCK}::int, ${crawl}::int) as locked`)!.locked;

/** Segment numbers are never reused: readers cache segments by number. */
export const nextSegment = async (tx: Sql): Promise<number> =>
  (await row<{ seg: number }>(tx)`select nextval('search_segment_number')::int as seg`)!.seg;

/** Inserts blocks of terms as they become full. */
export class PostingWriter {
  private readonly packer = new BlockPacker();
  private blocks: TermBlock[] = [];
  private size = 0;
  private packed = 0;

  constructor(
    private readonly tx: Sql,
    private readonly crawl: number,
    private readonly seg: number,
    private readonly pause: Pause = pauseForOthers,
  ) {}

  async add(terms: Iterable<TermPostings>): Promise<void> {
    for (const term of terms) {
      if (++this.packed % PACKED_AT_ONCE === 0) await this.pause();
      const full = this.packer.add(term);
      if (full.length > 0) await this.take(full);
    }
  }

  async end(): Promise<void> {
    await this.take(this.packer.end());
    await this.flush();
  }

  private async take(blocks: readonly TermBlock[]): Promise<void> {
    for (const block of blocks) {
      this.blocks.push(block);
      this.size += block.post.length + block.pos.length;
    }
    if (this.size >= STATEMENT_BYTES) await this.flush();
  }

  /** Inserts the blocks that wait. */
  private async flush(): Promise<void> {
    const { tx, crawl, seg, blocks } = this;
    if (blocks.length === 0) return;
    await tx.query(sql`
      insert into search_posting (crawl, seg, term, post, pos)
      select ${crawl}::int, ${seg}::int, packed.term, packed.post, packed.pos
        from ${rowList('packed', blocks, {
          term: ['text', ({ term }) => term],
          post: ['bytea', ({ post }) => post],
          pos: ['bytea', ({ pos }) => pos],
        })}`);
    this.blocks = [];
    this.size = 0;
  }
}

/** Inserts the stored fields of documents, in blocks. */
export class StoredWriter {
  private waiting: StoredFields[] = [];
  private full: Uint8Array[] = [];
  private block = 0;

  constructor(
    private readonly tx: Sql,
    private readonly crawl: number,
    private readonly seg: number,
  ) {}

  async add(fields: readonly StoredFields[]): Promise<void> {
    for (const docFields of fields) {
      this.waiting.push(docFields);
      if (this.waiting.length === STORED_BLOCK) this.pack();
    }
    if (this.full.length >= BLOCKS_PER_STATEMENT) await this.flush();
  }

  async end(): Promise<void> {
    if (this.waiting.length > 0) this.pack();
    await this.flush();
  }

  private pack(): void {
    this.full.push(compress(storedBlock(this.waiting)));
    this.waiting = [];
  }

  /** Inserts the blocks that wait. */
  private async flush(): Promise<void> {
    const { tx, crawl, seg, full } = this;
    if (full.length === 0) return;
    await tx.query(sql`
      insert into search_stored (crawl, seg, block, fields)
      select ${crawl}::int, ${seg}::int, packed.block, packed.fields
        from ${rowList('packed', full, { block: ['int', (_, n) => this.block + n], fields: ['bytea', (fields) => fields] })}`);
    this.block += full.length;
    this.full = [];
  }
}

/** Inserts the row of a segment, which makes it visible to readers. */
export async function insertSegment(
  tx: Sql,
  { crawl, seg }: { crawl: number; seg: number },
  { columns, live }: { columns: SegmentColumns; live: LiveBits },
): Promise<void> {
  await tx.query(sql`
    insert into search_segment (crawl, seg, documents, live_documents, generation, sums, live, columns)
    values (${crawl}, ${seg}, ${columns.size}, ${live.count}, 1, ${sumsOf(columns)}, ${Buffer.from(live.bytes)},
            ${compress(Buffer.from(encodeColumns(columns)))})`);
}

/**
 * Writes a whole segment; its documents replace those with the same ids. The index lock is taken when all is written that
 * no reader or writer sees before the row of the segment, so that several tasks can write at the same time.
 */
export async function writeSegment(tx: Sql, crawl: number, built: BuiltSegment, pause?: Pause): Promise<number> {
  const seg = await nextSegment(tx);
  const postings = new PostingWriter(tx, crawl, seg, pause);
  await postings.add(built.terms);
  await postings.end();
  const stored = new StoredWriter(tx, crawl, seg);
  await stored.add(built.stored);
  await stored.end();
  await lockIndex(tx, crawl);
  await insertSegment(tx, { crawl, seg }, built);
  const docs = built.stored.flatMap(({ id }, doc) => (built.live.has(doc) ? [{ key: docKey(id), doc }] : []));
  const keys = docs.map(({ key }) => key);
  await clearLive(tx, crawl, await docAddresses(tx, crawl, keys));
  await tx.query(sql`
    insert into search_doc (crawl, id, seg, doc)
    select ${crawl}::int, document.id, ${seg}::int, document.doc
      from ${rowList('document', docs, { id: ['uuid', ({ key }) => key], doc: ['int', ({ doc }) => doc] })}
    on conflict (crawl, id) do update set seg = excluded.seg, doc = excluded.doc`);
  return seg;
}

/** Deletes the documents with these ids, if they exist, under the index lock. */
export async function deleteDocuments(tx: Sql, crawl: number, ids: readonly string[]): Promise<void> {
  await lockIndex(tx, crawl);
  const keys = ids.map(docKey);
  const addresses = await docAddresses(tx, crawl, keys);
  if (addresses.length === 0) return;
  await tx.query(sql`delete from search_doc where crawl = ${crawl} and id = any (${keys}::uuid[])`);
  await clearLive(tx, crawl, addresses);
}

/** Segments and numbers of documents by their keys. */
export const docAddresses = (db: Sql, crawl: number, keys: readonly string[]): Promise<DocAddress[]> =>
  rows<DocAddress>(db)`select seg, doc from search_doc where crawl = ${crawl} and id = any (${keys}::uuid[])`;

/** Assigns documents to a segment, in this order; those that are no longer in the segments `from` stay where they are. */
export async function moveDocuments(
  tx: Sql,
  { crawl, seg, from }: { crawl: number; seg: number; from: readonly number[] },
  keys: readonly string[],
): Promise<void> {
  for (let at = 0; at < keys.length; at += DOCS_AT_ONCE) {
    await tx.query(sql`
      update search_doc set seg = ${seg}::int, doc = ${at}::int + (moved.n - 1)::int
        from unnest(${keys.slice(at, at + DOCS_AT_ONCE)}::uuid[]) with ordinality as moved (id, n)
       where search_doc.crawl = ${crawl} and search_doc.id = moved.id and search_doc.seg = any (${from}::int[])`);
  }
}

/** Clears the live bits of documents; deletes segments without live documents, unless a merge is running: it does so at its end. */
async function clearLive(tx: Sql, crawl: number, addresses: readonly DocAddress[]): Promise<void> {
  if (addresses.length === 0) return;
  const bySegment = Map.groupBy(addresses, ({ seg }) => seg);
  const segments = await rows<{ seg: number; live: Buffer; documents: number }>(tx)`
    select seg, live, documents from search_segment where crawl = ${crawl} and seg = any (${[...bySegment.keys()]}::int[])`;
  const changed = segments.map(({ seg, live, documents }) => {
    const bits = new LiveBits(live, documents);
    for (const { doc } of bySegment.get(seg)!) bits.clear(doc);
    return { seg, live: Buffer.from(bits.bytes), left: bits.count };
  });
  const empty = changed.filter(({ left }) => left === 0);
  const gone = empty.length > 0 && (await lockMerging(tx, crawl)) ? empty : [];
  const kept = changed.filter((segment) => !gone.includes(segment));
  await tx.query(sql`
    update search_segment
       set live = changed.live, live_documents = changed.live_documents, generation = search_segment.generation + 1
      from ${rowList('changed', kept, {
        seg: ['int', ({ seg }) => seg],
        live: ['bytea', ({ live }) => live],
        live_documents: ['int', ({ left }) => left],
      })}
     where search_segment.crawl = ${crawl} and search_segment.seg = changed.seg`);
  await deleteSegments(
    tx,
    crawl,
    gone.map(({ seg }) => seg),
  );
}

/** Deletes segments with their postings and stored fields. */
export async function deleteSegments(tx: Sql, crawl: number, segments: readonly number[]): Promise<void> {
  if (segments.length === 0) return;
  await tx.query(sql`delete from search_segment where crawl = ${crawl} and seg = any (${segments}::int[])`);
  await tx.query(sql`delete from search_posting where crawl = ${crawl} and seg = any (${segments}::int[])`);
  await tx.query(sql`delete from search_stored where crawl = ${crawl} and seg = any (${segments}::int[])`);
}
