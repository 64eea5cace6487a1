/**
 * Writes documents to the built-in index.
 *
 * Documents are collected in a segment, which is written in one transaction together with the deletion of the documents that it
 * replaces. So the index is consistent at any time, also after a kill; a document that is written again replaces the former one.
 */
import type { Pool } from 'pg';
import { chunksOf } from '../core/bounded-chunks.js';
import { defaults } from '../core/conf/properties.js';
import type { IndexDocument } from '../core/indexing/index-document.js';
import type { IndexWriter, RefusedDocument } from '../core/indexing/index-writer.js';
import { type LanguagePolicy, documentLanguage } from '../core/language/document-language.js';
import { type Pause, TimeSlices, inTimeSlices } from './time-slices.js';
import { MAX_FIELD_WORDS, SegmentBuilder } from '../core/search/postings/segment-builder.js';
import { type SearchedDocument, searchedDocument } from '../core/search/postings/searched-document.js';
import { transaction } from '../db/sql.js';
import { tokensOf } from '../core/search/analysis/analyze.js';
import { fingerprints } from '../core/search/collapse-hits.js';
import { mergeSegments } from './segment-merging.js';
import { deleteDocuments, writeSegment } from './segment-writing.sql.js';

/** Number of documents, and bytes of memory, at which a segment is written. */
export interface SegmentLimits {
  readonly maxDocuments: number;
  readonly maxBytes: number;
}

export interface WriterOptions {
  readonly languages?: LanguagePolicy;
  /** Called every few milliseconds of computing. */
  readonly pause?: Pause;
  /** Milliseconds of computing between two pauses, rounded up to a step of it; default 2. */
  readonly sliceMs?: number;
}

const DEFAULT_LIMITS: SegmentLimits = { maxDocuments: 25_000, maxBytes: 67_108_864 };
/** Of a CRAWL, whose FETCH may need memory of the same process: segments of some 1,500 pages of 10 KB of text. */
export const OF_CRAWL: SegmentLimits = { maxDocuments: 25_000, maxBytes: 16_777_216 };
/** Value of language-identifier for an unknown language. */
const UNKNOWN = 'unknown';
const DEFAULT_LANGUAGES: LanguagePolicy = {
  ways: ['detect', 'identify'],
  maxLength: defaults['lang.analyze.max.length'],
};
const CUT = `a field has more than ${MAX_FIELD_WORDS} words; those behind are not searched`;
const DEFAULT_SLICE_MS = 2;
/** Ids that one statement deletes. */
const IDS_AT_ONCE = 10_000;

export class PostgresIndexWriter implements IndexWriter {
  readonly hasOwnLimits = true;
  private builder = newBuilder();
  private readonly closing = new AbortController();
  /** Resolves when all calls so far have ended; undefined: no call runs. */
  private calls: Promise<void> | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly crawl: number,
    private readonly limits: SegmentLimits = DEFAULT_LIMITS,
    private readonly options: WriterOptions = {},
  ) {}

  /** Adds documents; they can be found after the next `commit`, or sooner. The last one of an id wins. None is refused. */
  write(documents: readonly IndexDocument[]): Promise<readonly RefusedDocument[]> {
    return this.call(() => this.addAll(documents));
  }

  private async addAll(documents: readonly IndexDocument[]): Promise<readonly RefusedDocument[]> {
    const slices = new TimeSlices(this.options.pause, this.options.sliceMs ?? DEFAULT_SLICE_MS);
    const cut: RefusedDocument[] = [];
    for (const document of documents) {
      if (slices.isOver) await slices.next();
      this.closing.signal.throwIfAborted();
      const searched = await this.inItsLanguage(searchedDocument(document), document.language ?? null);
      const isWhole = await inTimeSlices(this.builder.add(searched), slices);
      if (!isWhole) cut.push({ id: document.id, reason: CUT, isPartial: true });
      if (this.builder.size >= this.limits.maxDocuments || this.builder.memory >= this.limits.maxBytes)
        await this.writeSegment();
    }
    return cut;
  }

  delete(ids: readonly string[]): Promise<void> {
    return this.call(() => this.deleteAll(ids));
  }

  private async deleteAll(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.builder.remove(id);
    for (const chunk of chunksOf(ids, IDS_AT_ONCE)) {
      this.closing.signal.throwIfAborted();
      await transaction(this.pool, (tx) => deleteDocuments(tx, this.crawl, chunk));
    }
  }

  /** Makes all written documents durable and searchable. Merges segments if there are many. */
  commit(): Promise<void> {
    return this.call(async () => {
      await this.writeSegment();
      await mergeSegments(this.pool, this.crawl, this.closing.signal, this.options.pause);
    });
  }

  /** Discards documents that were not committed. The transaction that is running ends first: afterwards nothing is written. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.calls;
    this.builder = newBuilder();
  }

  /** Writes the collected documents as a segment. */
  flush(): Promise<void> {
    return this.call(() => this.writeSegment());
  }

  /** Calls run one after another: a document is added with pauses, in which no other one may be added, and no segment written. */
  private call<T>(work: () => Promise<T>): Promise<T> {
    const done = this.calls === undefined ? work() : this.calls.then(work);
    const calls = done.then(
      () => undefined,
      () => undefined,
    );
    this.calls = calls;
    void calls.then(() => {
      if (this.calls === calls) this.calls = undefined;
    });
    return done;
  }

  private async writeSegment(): Promise<void> {
    this.closing.signal.throwIfAborted();
    if (this.builder.size === 0) return;
    const built = this.builder.build();
    await transaction(this.pool, (tx) => writeSegment(tx, this.crawl, built, this.options.pause));
    // After the transaction, so that a failed write can be repeated.
    this.builder = newBuilder();
  }

  /** The language that an indexing filter has set takes precedence. */
  private async inItsLanguage(document: SearchedDocument, declared: string | null): Promise<SearchedDocument> {
    if (document.language !== '' && document.language !== UNKNOWN) return document;
    const text = document.texts.content.join('\n');
    return {
      ...document,
      language: (await documentLanguage(text, declared, this.options.languages ?? DEFAULT_LANGUAGES)) ?? '',
    };
  }
}

const newBuilder = (): SegmentBuilder => new SegmentBuilder(tokensOf, fingerprints);
