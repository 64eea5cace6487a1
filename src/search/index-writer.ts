/**
 * Writes documents to the built-in index.
 *
 * Documents are collected in a segment, which is written in one transaction together with the deletion of the documents that it
 * replaces. So the index is consistent at any time, also after a kill; a document that is written again replaces the former one.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Pool } from 'pg';
import { defaults } from '../core/conf/properties.js';
import type { IndexDocument } from '../core/indexing/index-document.js';
import type { IndexWriter, RefusedDocument } from '../core/indexing/index-writer.js';
import { type LanguagePolicy, documentLanguage } from '../core/language/document-language.js';
import { MAX_FIELD_WORDS, SegmentBuilder } from '../core/search/postings/segment-builder.js';
import { type SearchedDocument, searchedDocument } from '../core/search/postings/searched-document.js';
import { transaction } from '../db/sql.js';
import { forEachToken } from '../core/search/analysis/analyze.js';
import { fingerprints } from '../core/search/near-duplicates.js';
import { mergeSegments } from './segment-merging.js';
import { deleteDocuments, lockIndex, writeSegment } from './segment-writing.sql.js';

/** Number of documents, and bytes of memory, at which a segment is written. */
export interface SegmentLimits {
  readonly maxDocuments: number;
  readonly maxBytes: number;
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
/** Ids that one statement deletes. */
const IDS_AT_ONCE = 10_000;

export class PostgresIndexWriter implements IndexWriter {
  readonly hasOwnLimits = true;
  private builder = newBuilder();
  private readonly closing = new AbortController();
  /** Settles when all calls so far have ended. */
  private calls: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly pool: Pool,
    private readonly crawl: number,
    private readonly limits: SegmentLimits = DEFAULT_LIMITS,
    private readonly languages: LanguagePolicy = DEFAULT_LANGUAGES,
  ) {}

  /** Adds documents; they can be found after the next `commit`, or sooner. The last one of an id wins. None is refused. */
  write(documents: readonly IndexDocument[]): Promise<readonly RefusedDocument[]> {
    return this.call(() => this.addAll(documents));
  }

  private async addAll(documents: readonly IndexDocument[]): Promise<readonly RefusedDocument[]> {
    const cut: RefusedDocument[] = [];
    for (const document of documents) {
      // Each takes some milliseconds: a FETCH beside INDEX, in the same process, keeps its delays.
      await yieldToOthers();
      this.closing.signal.throwIfAborted();
      const searched = await this.inItsLanguage(searchedDocument(document), document.language ?? null);
      if (!this.builder.add(searched)) cut.push({ id: document.id, reason: CUT, isTakenInPart: true });
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
    for (let at = 0; at < ids.length; at += IDS_AT_ONCE) {
      this.closing.signal.throwIfAborted();
      await transaction(this.pool, async (tx) => {
        await lockIndex(tx, this.crawl);
        await deleteDocuments(tx, this.crawl, ids.slice(at, at + IDS_AT_ONCE));
      });
    }
  }

  /** Makes all written documents durable and searchable. Merges segments if there are many. */
  commit(): Promise<void> {
    return this.call(async () => {
      await this.writeSegment();
      await mergeSegments(this.pool, this.crawl, this.closing.signal);
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

  private call<T>(work: () => Promise<T>): Promise<T> {
    const done = work();
    this.calls = Promise.allSettled([this.calls, done]);
    return done;
  }

  private async writeSegment(): Promise<void> {
    this.closing.signal.throwIfAborted();
    const { builder } = this;
    if (builder.size === 0) return;
    const built = builder.build();
    await transaction(this.pool, (tx) => writeSegment(tx, this.crawl, built));
    // After the transaction, so that a failed write can be repeated. A builder that a concurrent flush has created is kept.
    if (this.builder === builder) this.builder = newBuilder();
  }

  /** The language that an indexing filter has set takes precedence. */
  private async inItsLanguage(document: SearchedDocument, declared: string | null): Promise<SearchedDocument> {
    if (document.language !== '' && document.language !== UNKNOWN) return document;
    const text = document.texts.content.join('\n');
    return { ...document, language: (await documentLanguage(text, declared, this.languages)) ?? '' };
  }
}

const newBuilder = (): SegmentBuilder => new SegmentBuilder(forEachToken, fingerprints);
