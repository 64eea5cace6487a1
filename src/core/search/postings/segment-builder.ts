/**
 * A segment in the making: documents are analyzed and their postings gathered, until it is written as a whole.
 *
 * Records lie in one log, each pointing back to the record before of the same term; so a term costs no memory of its own, and the
 * log is read once, term by term, when the segment is written.
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

/** Calls `visit` for each word of a text, so many at most; returns the number of words, stop words among them. */
export type Tokenize = (
  text: string,
  language: string | null,
  visit: (term: string, word: string, position: number) => void,
  limits: { readonly maxTokens: number; readonly maxLength: number },
) => number;

/** The SimHash of a document by how often it has each term: near duplicates are known by it. */
export type FingerprintOf = (terms: ReadonlyMap<string, number>) => readonly [high: number, low: number];

/** What is shown of a document, kept beside its postings. */
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

/** Words between two values of a field, so that no phrase goes across. */
const VALUE_GAP = 10;
/** UTF-16 units of a word; longer ones are data. */
const MAX_WORD = 128;
/** Bytes of a term; longer ones are data. */
const MAX_TERM = 255;
/** Words of a field of a document, stop words among them: those behind them are not searched. */
export const MAX_FIELD_WORDS = 100_000;
const NONE = 0xffffffff;
/** Bytes of memory that a term takes in maps and arrays, about. */
const TERM_COST = 120;
const DOCUMENT_COST = 400;

export class SegmentBuilder {
  private readonly log = new ByteWriter(1 << 16);
  private readonly terms = new Map<string, number>();
  private readonly exact = new Map<string, number>();
  private readonly names: string[] = [];
  /** By term: its last record in the log, its last document, how many it has. */
  private readonly last: number[] = [];
  private readonly lastDoc: number[] = [];
  private readonly df: number[] = [];
  private readonly columns = new ColumnsBuilder();
  private readonly stored: StoredFields[] = [];
  private readonly places = new Map<string, number>();
  private readonly dead = new Set<number>();
  private readonly words: DocumentWords;
  private readonly post = new ByteWriter();
  private readonly pos = new ByteWriter();

  constructor(
    private readonly tokenize: Tokenize,
    private readonly fingerprint: FingerprintOf,
  ) {
    this.words = new DocumentWords();
  }

  /** Documents that were added and not removed since. */
  get size(): number {
    return this.stored.length - this.dead.size;
  }

  /** Bytes of memory, about. */
  get memory(): number {
    return this.log.bytes.length + this.names.length * TERM_COST + this.stored.length * DOCUMENT_COST;
  }

  /** Adds a document; one of the same id that was added before is dead from now on. @returns whether all its words were taken */
  add(document: SearchedDocument): boolean {
    this.remove(document.id);
    const doc = this.stored.length;
    const { lengths, isWhole } = this.readWords(document);
    this.words.each((term, frequencies, positions) => this.record(doc, term, { frequencies, positions }));
    for (const term of filterTerms(document)) this.record(doc, this.numberOf(term), FILTER);
    const { id, url, title, fetchedAt } = document;
    this.stored.push({ id, url, title, fetchedAt });
    this.places.set(id, doc);
    this.columns.add({
      lengths,
      boost: document.boost,
      fieldBoosts: searchFields.map((field) => document.fieldBoosts.get(field) ?? 1),
      language: document.language,
      type: document.types[0] ?? '',
      host: document.host,
      day: document.day ?? NO_DAY,
      simhash: this.fingerprint(this.words.frequencies(this.names)),
    });
    return isWhole;
  }

  /** Whether there was such a document. */
  remove(id: string): boolean {
    const doc = this.places.get(id);
    if (doc === undefined) return false;
    this.dead.add(doc);
    return this.places.delete(id);
  }

  build(): BuiltSegment {
    const live = LiveBits.all(this.stored.length);
    for (const doc of this.dead) live.clear(doc);
    return { columns: this.columns.build(), live, stored: this.stored, terms: this.sortedTerms() };
  }

  /** The words of all fields; returns how many each has. */
  private readWords({ texts, language }: SearchedDocument): { lengths: number[]; isWhole: boolean } {
    this.words.clear();
    let isWhole = true;
    const lengths = searchFields.map((name, field) => {
      let [length, first, left] = [0, 0, MAX_FIELD_WORDS];
      const visit = (term: string, word: string, position: number): void => {
        if (position >= left) return;
        length++;
        if (term.length <= MAX_TERM) this.words.add(this.numberOf(term), field, first + position);
        if (word !== term && word.length <= MAX_TERM) this.words.addExact(this.exactNumberOf(word), field);
      };
      for (const text of texts[name]) {
        // One more is read, to know of it.
        const limits = { maxTokens: left + 1, maxLength: MAX_WORD };
        const count = this.tokenize(text, language === '' ? null : language, visit, limits);
        isWhole &&= count <= left;
        left = Math.max(0, left - count);
        first += count + VALUE_GAP;
      }
      return length;
    });
    return { lengths, isWhole };
  }

  private numberOf(term: string): number {
    const known = this.terms.get(term);
    if (known !== undefined) return known;
    const added = this.added(term);
    this.terms.set(this.names[added]!, added);
    return added;
  }

  private exactNumberOf(word: string): number {
    const known = this.exact.get(word);
    if (known !== undefined) return known;
    const added = this.added(exactTerm(word));
    this.exact.set(this.names[added]!.slice(1), added);
    return added;
  }

  private added(term: string): number {
    this.last.push(NONE);
    this.lastDoc.push(-1);
    this.df.push(0);
    return this.names.push(term) - 1;
  }

  /** A record: varint distance to the one before of the term (0: none), sizes of `post` and `pos`, then these. */
  private record(doc: number, term: number, words: WordsOfTerm): void {
    const { log, post, pos } = this;
    const at = log.length;
    writePosting(post, doc - this.lastDoc[term]!, words.frequencies);
    for (const gap of words.positions) pos.varint(gap);
    log.varint(this.last[term] === NONE ? 0 : at - this.last[term]!);
    log.varint(post.length);
    log.varint(pos.length);
    log.append(post.bytes, 0, post.length);
    log.append(pos.bytes, 0, pos.length);
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
        post.append(this.log.bytes, postAt, posAt);
        pos.append(this.log.bytes, posAt, end);
      }
      yield { term: this.names[term]!, df: this.df[term]!, post: post.copy(), pos: pos.copy() };
      post.clear();
      pos.clear();
    }
  }

  /** The records of a term, first to last. */
  private recordsOf(term: number): { postAt: number; posAt: number; end: number }[] {
    const found = [];
    const reader = new ByteReader(this.log.bytes);
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

/** The words of one document, gathered by term. Arrays are used again for each document. */
class DocumentWords {
  private readonly first = new Map<number, number>();
  private fields: number[] = [];
  private positions: number[] = [];
  private next: number[] = [];
  private readonly ends = new Map<number, number>();

  clear(): void {
    this.first.clear();
    this.ends.clear();
    this.fields.length = 0;
    this.positions.length = 0;
    this.next.length = 0;
  }

  add(term: number, field: number, position: number): void {
    const at = this.fields.push(field) - 1;
    this.positions.push(position);
    this.next.push(-1);
    const end = this.ends.get(term);
    if (end === undefined) this.first.set(term, at);
    else this.next[end] = at;
    this.ends.set(term, at);
  }

  /** A word without its position. */
  addExact(term: number, field: number): void {
    this.add(term, field, -1);
  }

  /** How often each term stands in the content; words as they are written are left out. */
  frequencies(names: readonly string[]): Map<string, number> {
    const found = new Map<string, number>();
    for (const [term, first] of this.first) {
      if (this.positions[first]! < 0) continue;
      let count = 0;
      for (let at = first; at >= 0; at = this.next[at]!) if (this.fields[at] === CONTENT) count++;
      if (count > 0) found.set(names[term]!, count);
    }
    return found;
  }

  each(visit: (term: number, frequencies: Frequencies, positions: readonly number[]) => void): void {
    const frequencies = noFrequencies();
    const gaps: number[] = [];
    for (const [term, first] of this.first) {
      frequencies.fill(0);
      gaps.length = 0;
      let last = 0;
      for (let at = first, field = -1; at >= 0; at = this.next[at]!) {
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
