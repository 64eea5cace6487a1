/**
 * Builds a segment: documents are analyzed and their postings collected, until it is written as a whole.
 *
 * Records are in one buffer, each with a pointer to the previous record of the same term; so a term needs no buffer of its own,
 * and the buffer is read once, term by term, when the segment is written.
 */
import { ByteReader, ByteWriter } from './byte-writer.js';
import { LiveBits } from './live-bits.js';
import { CONTENT, type Frequencies, noFrequencies, writePosting } from './posting-codec.js';
import type { SearchedDocument } from './searched-document.js';
import { ColumnsBuilder, NO_DAY, type SegmentColumns } from './segment-columns.js';
import { exactTerm, filterTerms } from './site-terms.js';
import type { TermPostings } from './term-block.js';
import { byCodePoints } from './term-order.js';
import { searchFields } from '../token.js';

/** Calls `visit` for each word of a text, up to a maximum; returns the number of words, including stop words. */
export type Tokenize = (
  text: string,
  language: string | null,
  visit: (term: string, word: string, position: number) => void,
  limits: { readonly maxTokens: number; readonly maxLength: number },
) => number;

/** 64 bits in two halves. */
export type Bits64 = readonly [high: number, low: number];

/** Computes the SimHash of a document, to find near duplicates. */
export interface Fingerprints {
  hashOf(term: string): Bits64;
  /** @param hashes of the terms of the content, with the frequencies of these terms at the same indexes */
  of(hashes: readonly Bits64[], frequencies: readonly number[]): Bits64;
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
/** UTF-16 units of a term, so at most 765 bytes; longer ones are no words, but encoded data. */
const MAX_TERM_LENGTH = 255;
/** Maximum of words per field of a document, including stop words: further ones are not searched. */
export const MAX_FIELD_WORDS = 100_000;
const NONE = 0xffffffff;
/** Approximate bytes of memory of a term in maps and arrays. */
const TERM_COST = 120;
const DOCUMENT_COST = 400;

export class SegmentBuilder {
  private readonly records = new ByteWriter(1 << 16);
  private readonly terms = new Map<string, number>();
  private readonly exact = new Map<string, number>();
  private readonly names: string[] = [];
  /** By term: its last record in `records`, its last document, and the number of its documents. */
  private readonly last: number[] = [];
  private readonly lastDoc: number[] = [];
  private readonly df: number[] = [];
  /** By term: for the fingerprint; undefined until a document has it in its content. */
  private readonly hashes: (Bits64 | undefined)[] = [];
  private readonly columns = new ColumnsBuilder();
  private readonly stored: StoredFields[] = [];
  private readonly docNumbers = new Map<string, number>();
  private readonly dead = new Set<number>();
  private readonly words: DocumentWords;
  private readonly post = new ByteWriter();
  private readonly pos = new ByteWriter();

  constructor(
    private readonly tokenize: Tokenize,
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
    return this.records.bytes.length + this.names.length * TERM_COST + this.stored.length * DOCUMENT_COST;
  }

  /** Adds a document; an earlier one with the same id becomes dead. @returns whether all its words were added */
  add(document: SearchedDocument): boolean {
    this.remove(document.id);
    const doc = this.stored.length;
    const { lengths, isWhole } = this.readWords(document);
    this.words.each((term, frequencies, positions) => this.record(doc, term, { frequencies, positions }));
    for (const term of filterTerms(document)) this.record(doc, this.numberOf(term), FILTER);
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
    const live = LiveBits.all(this.stored.length);
    for (const doc of this.dead) live.clear(doc);
    return { columns: this.columns.build(), live, stored: this.stored, terms: this.sortedTerms() };
  }

  /** Adds the words of all fields; returns the number of words of each. */
  private readWords({ texts, language }: SearchedDocument): { lengths: number[]; isWhole: boolean } {
    this.words.clear();
    let isWhole = true;
    const lengths = searchFields.map((name, field) => {
      let [length, first, left] = [0, 0, MAX_FIELD_WORDS];
      const visit = (term: string, word: string, position: number): void => {
        if (position >= left) return;
        length++;
        if (term.length <= MAX_TERM_LENGTH) this.words.add(this.numberOf(term), field, first + position);
        if (word !== term && word.length <= MAX_TERM_LENGTH) this.words.addExact(this.exactNumberOf(word), field);
      };
      for (const text of texts[name]) {
        // Reads one word more, to detect that there are too many.
        const limits = { maxTokens: left + 1, maxLength: MAX_WORD_LENGTH };
        const count = this.tokenize(text, language === '' ? null : language, visit, limits);
        isWhole &&= count <= left;
        left = Math.max(0, left - count);
        first += count + (field === CONTENT ? CONTENT_GAP : VALUE_GAP);
      }
      return length;
    });
    return { lengths, isWhole };
  }

  /** The fingerprint of the document whose words were read. */
  private fingerprint(): Bits64 {
    const hashes: Bits64[] = [];
    const frequencies: number[] = [];
    this.words.eachInContent((term, frequency) => {
      hashes.push((this.hashes[term] ??= this.fingerprints.hashOf(this.names[term]!)));
      frequencies.push(frequency);
    });
    return this.fingerprints.of(hashes, frequencies);
  }

  private numberOf(term: string): number {
    const known = this.terms.get(term);
    if (known !== undefined) return known;
    const added = this.addTerm(term);
    this.terms.set(this.names[added]!, added);
    return added;
  }

  private exactNumberOf(word: string): number {
    const known = this.exact.get(word);
    if (known !== undefined) return known;
    const added = this.addTerm(exactTerm(word));
    this.exact.set(this.names[added]!.slice(1), added);
    return added;
  }

  private addTerm(term: string): number {
    this.last.push(NONE);
    this.lastDoc.push(-1);
    this.df.push(0);
    this.hashes.push(undefined);
    return this.names.push(term) - 1;
  }

  /** A record: varint distance to the previous one of the term (0: none), sizes of `post` and `pos`, then these. */
  private record(doc: number, term: number, words: WordsOfTerm): void {
    const { records, post, pos } = this;
    const at = records.length;
    writePosting(post, doc - this.lastDoc[term]!, words.frequencies);
    for (const gap of words.positions) pos.varint(gap);
    records.varint(this.last[term] === NONE ? 0 : at - this.last[term]!);
    records.varint(post.length);
    records.varint(pos.length);
    records.append(post.bytes, 0, post.length);
    records.append(pos.bytes, 0, pos.length);
    post.clear();
    pos.clear();
    this.last[term] = at;
    this.lastDoc[term] = doc;
    this.df[term]!++;
  }

  private *sortedTerms(): Generator<TermPostings> {
    const order = byCodePoints(this.names);
    const post = new ByteWriter();
    const pos = new ByteWriter();
    for (const term of order) {
      for (const { postAt, posAt, end } of this.recordsOf(term)) {
        post.append(this.records.bytes, postAt, posAt);
        pos.append(this.records.bytes, posAt, end);
      }
      yield { term: this.names[term]!, df: this.df[term]!, post: post.copy(), pos: pos.copy() };
      post.clear();
      pos.clear();
    }
  }

  /** The records of a term, first to last. */
  private recordsOf(term: number): { postAt: number; posAt: number; end: number }[] {
    const found = [];
    const reader = new ByteReader(this.records.bytes);
    for (let at = this.last[term]!; ;) {
      reader.at = at;
      const back = reader.varint();
      const postSize = reader.varint();
      const posSize = reader.varint();
      const postAt = reader.at;
      found.push({ postAt, posAt: postAt + postSize, end: postAt + postSize + posSize });
      if (back === 0) return found.reverse();
      at -= back;
    }
  }
}

interface WordsOfTerm {
  readonly frequencies: Frequencies;
  /** Gaps of positions, field by field. */
  readonly positions: readonly number[];
}

/** A filter counts as one word of the content, without a position. */
const FILTER: WordsOfTerm = { frequencies: noFrequencies().fill(1, CONTENT), positions: [] };

/** The words of one document by term. Arrays are reused for each document. */
class DocumentWords {
  /** The terms of the document, in the order of their first words. */
  private readonly terms: number[] = [];
  /** By term of the segment: its first word in the document, and its last one; -1: none. */
  private readonly first: number[] = [];
  private readonly last: number[] = [];
  /** By word. */
  private readonly fields: number[] = [];
  private readonly positions: number[] = [];
  /** The next word of the same term; -1: none. */
  private readonly next: number[] = [];

  clear(): void {
    for (const term of this.terms) this.first[term] = -1;
    this.terms.length = 0;
    this.fields.length = 0;
    this.positions.length = 0;
    this.next.length = 0;
  }

  add(term: number, field: number, position: number): void {
    const { first, last, next } = this;
    const at = this.fields.push(field) - 1;
    this.positions.push(position);
    next.push(-1);
    while (first.length <= term) {
      first.push(-1);
      last.push(-1);
    }
    if (first[term] === -1) {
      first[term] = at;
      this.terms.push(term);
    } else next[last[term]!] = at;
    last[term] = at;
  }

  /** A word without its position. */
  addExact(term: number, field: number): void {
    this.add(term, field, -1);
  }

  /** Calls `visit` with the frequency of each term in the content, without exact words. */
  eachInContent(visit: (term: number, frequency: number) => void): void {
    for (const term of this.terms) {
      const first = this.first[term]!;
      if (this.positions[first]! < 0) continue;
      let count = 0;
      for (let at = first; at >= 0; at = this.next[at]!) if (this.fields[at] === CONTENT) count++;
      if (count > 0) visit(term, count);
    }
  }

  each(visit: (term: number, frequencies: Frequencies, positions: readonly number[]) => void): void {
    const frequencies = noFrequencies();
    const gaps: number[] = [];
    for (const term of this.terms) {
      frequencies.fill(0);
      gaps.length = 0;
      let last = 0;
      for (let at = this.first[term]!, field = -1; at >= 0; at = this.next[at]!) {
        if (this.fields[at] !== field) last = 0;
        field = this.fields[at]!;
        frequencies[field]!++;
        const position = this.positions[at]!;
        if (position < 0) continue;
        gaps.push(position - last);
        last = position;
      }
      visit(term, frequencies, gaps);
    }
  }
}
