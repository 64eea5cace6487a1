/**
 * The codec of postings: the documents that contain a term, its frequency in each field, and its positions.
 *
 * `post`, per document: varint (gap - 1) << 1 | plain; plain: the term occurs once in the content and in no other field.
 * Otherwise varint tf_content << 1 | more, and with `more` a byte of bits for the other fields and a varint for each.
 * `pos`, per document: for each field with the term, in the order of `searchFields`, the gaps of its positions as varints.
 * Positions are read for phrases and proximity only, so they are stored separately.
 */
import { searchFields } from '../search-fields.js';
import { ByteReader, type ByteWriter } from './byte-writer.js';

export const FIELDS = searchFields.length;
export const CONTENT = searchFields.indexOf('content');

/** Frequency of a term in each field of a document. */
export type Frequencies = Int32Array;

export const noFrequencies = (): Frequencies => new Int32Array(FIELDS);

/** @param gap the number of the document minus that of the previous one; for the first one: its number plus 1 */
export function writePosting(out: ByteWriter, gap: number, frequencies: Frequencies): void {
  let others = 0;
  for (let field = 0; field < CONTENT; field++) if (frequencies[field]! > 0) others |= 1 << field;
  const content = frequencies[CONTENT]!;
  const isPlain = content === 1 && others === 0;
  out.varint(((gap - 1) << 1) | (isPlain ? 1 : 0));
  if (isPlain) return;
  out.varint((content << 1) | (others === 0 ? 0 : 1));
  if (others === 0) return;
  out.varint(others);
  for (let field = 0; field < CONTENT; field++) if (frequencies[field]! > 0) out.varint(frequencies[field]!);
}

/** Iterates over the documents of a term: `doc` and `frequencies` are those of the last `next` that returned true. */
export class PostingCursor {
  doc = -1;
  readonly frequencies = noFrequencies();
  /** Whether another field than the content contains the term. */
  hasOthers = false;
  private readonly reader: ByteReader;

  constructor(post: Uint8Array) {
    this.reader = new ByteReader(post);
  }

  next(): boolean {
    const { reader, frequencies } = this;
    if (reader.at >= reader.end) return false;
    const head = reader.varint();
    this.doc += (head >>> 1) + 1;
    if (this.hasOthers) frequencies.fill(0);
    this.hasOthers = false;
    if ((head & 1) === 1) {
      frequencies[CONTENT] = 1;
      return true;
    }
    const content = reader.varint();
    frequencies[CONTENT] = content >>> 1;
    if ((content & 1) === 1) this.readOthers();
    return true;
  }

  /** Number of positions of the document. */
  get positions(): number {
    const { frequencies } = this;
    if (!this.hasOthers) return frequencies[CONTENT]!;
    let sum = 0;
    for (let field = 0; field < FIELDS; field++) sum += frequencies[field]!;
    return sum;
  }

  private readOthers(): void {
    this.hasOthers = true;
    const others = this.reader.varint();
    for (let field = 0; field < CONTENT; field++) {
      if (((others >>> field) & 1) === 1) this.frequencies[field] = this.reader.varint();
    }
  }
}

/** Reads the positions of one document by field, in step with the cursor of its postings. */
export function readPositions(reader: ByteReader, frequencies: Frequencies): number[][] {
  return Array.from(frequencies, (count) => {
    const positions: number[] = [];
    let last = 0;
    // A corrupt count must not allocate more than the bytes contain.
    for (let i = 0; i < count && reader.at < reader.end; i++) positions.push((last += reader.varint()));
    return positions;
  });
}
