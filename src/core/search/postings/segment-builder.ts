/**
 * Builds a segment: documents are analyzed and their postings collected, until it is written as a whole.
 *
 * Records are in common chunks, each with a pointer to the previous record of the same term; so a term needs no buffer of its own,
 * and all are read once, term by term, when the segment is written.
 */
import { ByteWriter } from './byte-writer.js';
import { DocumentWords } from './document-words.js';
import { GrowingInts } from './growing-ints.js';
import { LiveBits } from './live-bits.js';
import { CONTENT, type Frequencies, noFrequencies, writePosting } from './posting-codec.js';
import type { SearchedDocument } from './searched-document.js';
import { ColumnsBuilder, NO_DAY, type SegmentColumns } from './segment-columns.js';
import { filterTerms, titleTerm } from './site-terms.js';
import type { TermPostings } from './term-block.js';
import { NO_TERM, TermNumbers } from './term-numbers.js';
import { TermRecords } from './term-records.js';
import { byCodePoints } from './term-order.js';
import type { AnalyzedWord } from '../analysis/word-cache.js';
import { searchFields } from '../search-fields.js';

/** Reads the words of a text one by one, up to a maximum. */
export type OpenTokens = (
  text: string,
  language: string | null,
  limits: { readonly maxTokens: number; readonly maxLength: number },
) => Tokens;

/** `next` reads the next word; false after the last one. The position, from 0, includes stop words, also those after the last one. */
export interface Tokens {
  readonly analyzed: AnalyzedWord;
  readonly position: number;
  next(): boolean;
}

/** 64 bits in two halves. */
export type Bits64 = readonly [high: number, low: number];

/** Computes the SimHash of a document, to find near duplicates. */
export interface Fingerprints {
  hashOf(term: string): Bits64;
  /**
   * @param hashes of the terms of the content: of each the high half, then the low one
   * @param frequencies of these terms, in the same order
   */
  fingerprint(hashes: readonly number[], frequencies: readonly number[]): Bits64;
}

/** The displayed fields of a document, stored beside its postings. */
export interface StoredFields {
  readonly id: string;
  readonly url: string;
  readonly title: string;
  readonly fetchedAt: number | null;
}

export interface BuiltSegment {
  readonly columns: SegmentColumns;
  readonly live: LiveBits;
  readonly stored: readonly StoredFields[];
  /** In the order of their bytes. */
  readonly terms: Iterable<TermPostings>;
}

/** Gap between the positions of two values of a field, so that no phrase matches across them. */
const VALUE_GAP = 10;
/** Gap between two values of the content, whose first one is the title: a wider gap would separate title and text in passages. */
const CONTENT_GAP = 1;
/** UTF-16 units of a word; longer ones are no words, but encoded data. */
export const MAX_WORD_LENGTH = 128;
/** Maximum of words per field of a document, including stop words: further ones are not searched. */
export const MAX_FIELD_WORDS = 100_000;
/** Words read in one step: less than a millisecond. */
const WORDS_AT_ONCE = 256;
/** No record, no document. */
const NONE = -1;
const DOCUMENT_BYTES = 600;

export class SegmentBuilder {
  private readonly records = new TermRecords();
  private readonly terms = new TermNumbers();
  /** By term: the address of its last record, its last document, and the number of its documents. */
  private readonly last = new GrowingInts();
  private readonly lastDoc = new GrowingInts();
  private readonly df = new GrowingInts();
  /** By term: two halves, for the fingerprint; both 0 until a document has it in its content. */
  private readonly hashes = new GrowingInts(2);
  private readonly columns = new ColumnsBuilder();
  private readonly stored: StoredFields[] = [];
  private readonly docNumbers = new Map<string, number>();
  private readonly dead = new Set<number>();
  private readonly words: DocumentWords;
  private readonly post = new ByteWriter();
  private readonly pos = new ByteWriter();

  constructor(
    private readonly openTokens: OpenTokens,
    private readonly fingerprints: Fingerprints,
  ) {
    this.words = new DocumentWords();
  }

  /** Documents that were added and not removed since. */
  get size(): number {
    return this.stored.length - this.dead.size;
  }

  /** Approximate bytes of memory. */
  get memory(): number {
    const { records, terms, words, last, lastDoc, df, hashes } = this;
    const columns = last.bytes + lastDoc.bytes + df.bytes + hashes.bytes + words.bytes;
    return records.bytes + columns + terms.bytes + this.stored.length * DOCUMENT_BYTES;
  }

  /**
   * Adds a document, in steps of some hundred words, between which only this may be called; an earlier document with the same id
   * becomes dead. @returns whether all its words were added
   */
  *add(document: SearchedDocument): Generator<void, boolean> {
    this.remove(document.id);
    const doc = this.stored.length;
    const { lengths, isWhole } = yield* this.readWords(document);
    this.words.each((term, frequencies, positions) => this.record(doc, term, { frequencies, positions }));
    for (const term of filterTerms(document)) this.record(doc, this.terms.numberOf(term), FILTER);
    const titled = titleTerm(document.title);
    if (titled !== null) this.record(doc, this.terms.numberOf(titled), WHOLE_TITLE);
    const { id, url, title, fetchedAt } = document;
    this.stored.push({ id, url, title, fetchedAt });
    this.docNumbers.set(id, doc);
    this.columns.add({
      lengths,
      boost: document.boost,
      fieldBoosts: searchFields.map((field) => document.fieldBoosts.get(field) ?? 1),
      language: document.language,
      type: document.types[0] ?? '',
      host: document.host,
      day: document.day ?? NO_DAY,
      simhash: this.fingerprint(),
    });
    return isWhole;
  }

  /** @returns whether there was such a document */
  remove(id: string): boolean {
    const doc = this.docNumbers.get(id);
    if (doc === undefined) return false;
    this.dead.add(doc);
    return this.docNumbers.delete(id);
  }

  build(): BuiltSegment {
    const live = LiveBits.allLive(this.stored.length);
    for (const doc of this.dead) live.clear(doc);
    return { columns: this.columns.build(), live, stored: this.stored, terms: this.sortedTerms() };
  }

  /** Adds the words of all fields; returns the number of words of each. */
  private *readWords({ texts, language }: SearchedDocument): Generator<void, { lengths: number[]; isWhole: boolean }> {
    this.words.clear();
    let isWhole = true;
    const lengths: number[] = [];
    for (const [field, name] of searchFields.entries()) {
      const at = { field, first: 0, left: MAX_FIELD_WORDS, length: 0 };
      for (const text of texts[name]) {
        // Reads one word more, to detect that there are too many.
        const limits = { maxTokens: at.left + 1, maxLength: MAX_WORD_LENGTH };
        const tokens = this.openTokens(text, language === '' ? null : language, limits);
        while (this.readSome(tokens, at)) yield;
        const count = tokens.position + 1;
        isWhole &&= count <= at.left;
        at.left = Math.max(0, at.left - count);
        at.first += count + (field === CONTENT ? CONTENT_GAP : VALUE_GAP);
      }
      lengths.push(at.length);
    }
    return { lengths, isWhole };
  }

  /** Adds some words of a text. In a function of its own: V8 optimizes loops of generators late. @returns false after the last one */
  private readSome(tokens: Tokens, at: FieldPosition): boolean {
    const { field, first, left } = at;
    for (let n = 0; n < WORDS_AT_ONCE; n++) {
      if (!tokens.next()) return false;
      const { analyzed, position } = tokens;
      if (position >= left) continue;
      at.length++;
      const row = this.terms.rowOf(analyzed);
      const term = this.terms.term[row]!;
      const exact = this.terms.exact[row]!;
      if (term !== NO_TERM) this.words.add(term, field, first + position);
      if (exact !== NO_TERM) this.words.addExact(exact, field);
    }
    return true;
  }

  /** The fingerprint of the document whose words were read. */
  private fingerprint(): Bits64 {
    const { values } = this.hashes;
    const hashes: number[] = [];
    const frequencies: number[] = [];
    this.words.eachInContent((term, frequency) => {
      const at = 2 * term;
      if (values[at] === 0 && values[at + 1] === 0) values.set(this.fingerprints.hashOf(this.terms.names[term]!), at);
      hashes.push(values[at]!, values[at + 1]!);
      frequencies.push(frequency);
    });
    return this.fingerprints.fingerprint(hashes, frequencies);
  }

  private growTo(terms: number): void {
    this.last.fillTo(terms, NONE);
    this.lastDoc.fillTo(terms, NONE);
    this.df.fillTo(terms, 0);
    this.hashes.fillTo(terms, 0);
  }

  private record(doc: number, term: number, words: WordsOfTerm): void {
    const { records, post, pos, last, lastDoc } = this;
    this.growTo(term + 1);
    writePosting(post, doc - lastDoc.values[term]!, words.frequencies);
    for (const gap of words.positions) pos.varint(gap);
    const previous = last.values[term]!;
    last.values[term] = records.add(previous === NONE ? null : previous, post, pos);
    post.clear();
    pos.clear();
    lastDoc.values[term] = doc;
    this.df.values[term]!++;
  }

  private *sortedTerms(): Generator<TermPostings> {
    const { names } = this.terms;
    const order = byCodePoints(names);
    const post = new ByteWriter();
    const pos = new ByteWriter();
    for (const term of order) {
      this.records.copy(this.last.values[term]!, post, pos);
      yield { term: names[term]!, df: this.df.values[term]!, post: post.copy(), pos: pos.copy() };
      post.clear();
      pos.clear();
    }
  }
}

/** Where the words of a text go. */
interface FieldPosition {
  readonly field: number;
  /** Position of the first word of the text. */
  first: number;
  /** Words that the field still takes, and words that it has. */
  left: number;
  length: number;
}

interface WordsOfTerm {
  readonly frequencies: Frequencies;
  /** Gaps of positions, field by field. */
  readonly positions: readonly number[];
}

/** A filter counts as one word of the content, without a position. */
const FILTER: WordsOfTerm = { frequencies: noFrequencies().fill(1, CONTENT), positions: [] };
/** A whole title counts as two, and so more than a part of one. */
const WHOLE_TITLE: WordsOfTerm = { frequencies: noFrequencies().fill(2, CONTENT), positions: [] };
