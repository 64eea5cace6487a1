/**
 * Iterates over the documents of a term together with its positions, directly on their bytes: a frequent word has ten thousand
 * documents, most of which are skipped.
 */
import { ByteReader } from './byte-writer.js';
import { CONTENT, noFrequencies, readPositions } from './posting-codec.js';

export class PositionCursor {
  doc = -1;
  private readonly post: ByteReader;
  private readonly pos: ByteReader;
  private readonly frequencies = noFrequencies();
  /** Offset of the document's frequencies; -1: the term occurs once, in the content. */
  private from = -1;
  /** Number of positions of earlier documents, and of this one, that were not read yet. */
  private before = 0;
  private own = 0;

  constructor({ post, pos }: { readonly post: Uint8Array; readonly pos: Uint8Array }) {
    this.post = new ByteReader(post);
    this.pos = new ByteReader(pos);
  }

  next(): boolean {
    return this.reach(this.doc + 1);
  }

  /** Advances to the first document whose number is at least `doc` (Lucene `advance`). */
  reach(doc: number): boolean {
    const { post } = this;
    const { bytes, end } = post;
    let [before, own, current, from, at] = [this.before, this.own, this.doc, this.from, post.at];
    while (current < doc && at < end) {
      before += own;
      let head = bytes[at++]!;
      if (head > 127) {
        post.at = at - 1;
        head = post.varint();
        ({ at } = post);
      }
      current += (head >>> 1) + 1;
      from = (head & 1) === 1 ? -1 : at;
      own = 1;
      if (from < 0) continue;
      const content = bytes[at] ?? 0;
      // Mostly one byte, without other fields.
      if (content < 128 && (content & 1) === 0) {
        own = content >>> 1;
        at++;
        continue;
      }
      post.at = at;
      own = this.count();
      ({ at } = post);
    }
    post.at = at;
    [this.before, this.own, this.doc, this.from] = [before, own, current, from];
    return current >= doc;
  }

  /** Positions by field; to be called once per document at most. */
  positions(): number[][] {
    this.readFrequencies();
    this.pos.skip(this.before);
    this.before = this.own = 0;
    return readPositions(this.pos, this.frequencies);
  }

  /** Calls `visit` for the first `max` positions in the content; to be called once per document at most. */
  eachInContent(max: number, visit: (position: number) => void): void {
    this.readFrequencies();
    const { pos, frequencies } = this;
    const count = frequencies[CONTENT]!;
    // The content is the last field.
    pos.skip(this.before + this.own - count);
    let left = count;
    for (let last = 0; left > Math.max(0, count - max) && pos.at < pos.end; left--) visit((last += pos.varint()));
    this.before = left;
    this.own = 0;
  }

  private readFrequencies(): void {
    const { frequencies, post, from } = this;
    frequencies.fill(0);
    if (from < 0) {
      frequencies[CONTENT] = 1;
      return;
    }
    const { at } = post;
    post.at = from;
    this.count(frequencies);
    post.at = at;
  }

  /** Reads the frequencies of the fields and returns their sum. @param each receives them by field */
  private count(each?: Int32Array): number {
    const { post } = this;
    const content = post.varint();
    let sum = content >>> 1;
    if (each) each[CONTENT] = sum;
    if ((content & 1) === 0) return sum;
    const others = post.varint();
    for (let field = 0; field < CONTENT; field++) {
      if (((others >>> field) & 1) === 0) continue;
      const frequency = post.varint();
      if (each) each[field] = frequency;
      sum += frequency;
    }
    return sum;
  }
}
