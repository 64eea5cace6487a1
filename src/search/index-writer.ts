/**
 * Writes documents to the built-in index.
 *
 * Documents are gathered into a segment, which is written in one transaction with all that it replaces. So the index is whole at any
 * instant, whoever is killed; a document that is written again takes the place of the former one.
 */
import type { Pool } from 'pg';
import type { IndexDocument } from '../core/indexing/index-document.js';
import type { IndexWriter, RefusedDocument } from '../core/indexing/index-writer.js';
import { type LanguagePolicy, documentLanguage } from '../core/language/document-language.js';
import { MAX_FIELD_WORDS, SegmentBuilder } from '../core/search/postings/segment-builder.js';
import { type SearchedDocument, searchedDocument } from '../core/search/postings/searched-document.js';
import { transaction } from '../db/sql.js';
import { fingerprint, tokenize } from './analysis.js';
import { mergeSegments } from './segment-merging.js';
import { deleteDocuments, lockIndex, writeSegment } from './segment-writing.sql.js';

/** A segment is written when it has so many documents, or takes so many bytes of memory. */
export interface SegmentLimits {
  readonly maxDocuments: number;
  readonly maxBytes: number;
}

const DEFAULT_LIMITS: SegmentLimits = { maxDocuments: 25_000, maxBytes: 67_108_864 };
/** What language-identifier says of a page whose language it cannot tell. */
const UNKNOWN = 'unknown';
const DEFAULT_LANGUAGES: LanguagePolicy = { ways: ['detect', 'identify'], maxLength: 2_048 };
const CUT = `a field has more than ${MAX_FIELD_WORDS} words; those behind are not searched`;
/** Ids that one statement deletes. */
const IDS_AT_ONCE = 10_000;

export class PostgresIndexWriter implements IndexWriter {
  readonly hasOwnLimits = true;
  private builder = newBuilder();

  constructor(
    private readonly pool: Pool,
    private readonly crawl: number,
    private readonly limits: SegmentLimits = DEFAULT_LIMITS,
    private readonly languages: LanguagePolicy = DEFAULT_LANGUAGES,
  ) {}

  /** Takes documents; they are found from the next `commit` on, or sooner. Of one id the last one counts. None is refused. */
  async write(documents: readonly IndexDocument[]): Promise<readonly RefusedDocument[]> {
    const cut: RefusedDocument[] = [];
    for (const document of documents) {
      const searched = await this.inItsLanguage(searchedDocument(document), document.language ?? null);
      if (!this.builder.add(searched)) cut.push({ id: document.id, reason: CUT, isTakenInPart: true });
      if (this.builder.size >= this.limits.maxDocuments || this.builder.memory >= this.limits.maxBytes)
        await this.flush();
    }
    return cut;
  }

  async delete(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.builder.remove(id);
    for (let at = 0; at < ids.length; at += IDS_AT_ONCE) {
      await transaction(this.pool, async (tx) => {
        await lockIndex(tx, this.crawl);
        await deleteDocuments(tx, this.crawl, ids.slice(at, at + IDS_AT_ONCE));
      });
    }
  }

  /** All that was written is found from now on, and survives. Merges segments where there are many. */
  async commit(): Promise<void> {
    await this.flush();
    await mergeSegments(this.pool, this.crawl);
  }

  /** What was not written is lost: who wrote it has not flushed it. */
  async close(): Promise<void> {
    this.builder = newBuilder();
  }

  /** What was gathered becomes a segment. */
  async flush(): Promise<void> {
    const { builder } = this;
    if (builder.size === 0) return;
    const built = builder.build();
    await transaction(this.pool, async (tx) => {
      await lockIndex(tx, this.crawl);
      await writeSegment(tx, this.crawl, built);
    });
    // Only now: what was not written can be written again. What came meanwhile, while another attempt wrote the same, stays.
    if (this.builder === builder) this.builder = newBuilder();
  }

  /** What a filter has said goes first. */
  private async inItsLanguage(document: SearchedDocument, declared: string | null): Promise<SearchedDocument> {
    if (document.language !== '' && document.language !== UNKNOWN) return document;
    const [text = ''] = document.texts.content;
    return { ...document, language: (await documentLanguage(text, declared, this.languages)) ?? '' };
  }
}

const newBuilder = (): SegmentBuilder => new SegmentBuilder(tokenize, fingerprint);
