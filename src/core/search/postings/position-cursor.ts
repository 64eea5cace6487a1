/**
 * Walks the documents of a term and its positions in them together, straight over their bytes: most documents are passed over, and of
 * a frequent word there are ten thousand.
 */
import { ByteReader } from './byte-writer.js';
import { CONTENT, noFrequencies, readPositions } from './posting-codec.js';

export class PositionCursor {
  doc = -1;
  private readonly post: ByteReader;
  private readonly pos: ByteReader;
  private readonly frequencies = noFrequencies();
  /** Where the frequencies of the document are; -1: it stands once in the content. */
  private from = -1;
  /** Positions of the document that are not behind the reader. */
  private unread = 0;

  constructor({ post, pos }: { readonly post: Uint8Array; readonly pos: Uint8Array }) {
    this.post = new ByteReader(post);
    this.pos = new ByteReader(pos);
  }

  next(): boolean {
    return this.reach(this.doc + 1);
  }

  /** Goes on to the first document from `doc` on. */
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

  /** By field. Asked for once a document. */
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

  /** Reads how often the term stands in the fields, altogether. @param each takes it by field */
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
