/** The words of one document by term, while its segment is built. */
import { GrowingInts } from './growing-ints.js';
import { CONTENT, type Frequencies, noFrequencies } from './posting-codec.js';

const NO_WORD = -1;

/** Arrays are reused for each document. */
export class DocumentWords {
  /** The terms of the document, in the order of their first words. */
  private readonly terms: number[] = [];
  /** By term of the segment: its first word in the document, and its last one. */
  private readonly first = new GrowingInts();
  private readonly last = new GrowingInts();
  /** By word. */
  private readonly fields: number[] = [];
  private readonly positions: number[] = [];
  /** The next word of the same term. */
  private readonly next: number[] = [];

  /** Bytes of memory that grow with the terms of the segment. */
  get bytes(): number {
    return this.first.bytes + this.last.bytes;
  }

  clear(): void {
    for (const term of this.terms) this.first.values[term] = NO_WORD;
    this.terms.length = 0;
    this.fields.length = 0;
    this.positions.length = 0;
    this.next.length = 0;
  }

  add(term: number, field: number, position: number): void {
    const { first, last, next } = this;
    const at = this.fields.push(field) - 1;
    this.positions.push(position);
    next.push(NO_WORD);
    if (first.length <= term) {
      first.fillTo(term + 1, NO_WORD);
      last.fillTo(term + 1, NO_WORD);
    }
    if (first.values[term] === NO_WORD) {
      first.values[term] = at;
      this.terms.push(term);
    } else next[last.values[term]!] = at;
    last.values[term] = at;
  }

  /** A word without its position. */
  addExact(term: number, field: number): void {
    this.add(term, field, -1);
  }

  /** Calls `visit` with the frequency of each term in the content, without exact words. */
  eachInContent(visit: (term: number, frequency: number) => void): void {
    for (const term of this.terms) {
      const first = this.first.values[term]!;
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
      for (let at = this.first.values[term]!, field = -1; at >= 0; at = this.next[at]!) {
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
