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
  /** Number of the document's positions that were not read yet. */
  private unread = 0;

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
    let [unread, found, from] = [this.unread, this.doc, this.from];
    while (found < doc && post.at < end) {
      if (unread > 0) this.pos.skip(unread);
      const first = bytes[post.at]!;
      const head = first < 128 ? (post.at++, first) : post.varint();
      found += (head >>> 1) + 1;
      from = (head & 1) === 1 ? -1 : post.at;
      unread = from < 0 ? 1 : this.count();
    }
    [this.unread, this.doc, this.from] = [unread, found, from];
    return found >= doc;
  }

  /** Positions by field; to be called once per document at most. */
  positions(): number[][] {
    const { frequencies, post, from } = this;
    frequencies.fill(0);
    if (from < 0) frequencies[CONTENT] = 1;
    else {
      const { at } = post;
      post.at = from;
      this.count(frequencies);
      post.at = at;
    }
    this.unread = 0;
    return readPositions(this.pos, frequencies);
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
