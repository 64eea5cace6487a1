/**
 * The records of a segment that is being built, in buffers: each has a pointer to the previous record of the same term. One buffer
 * that doubles would be copied again and again, and need three times its size each time.
 */
import { ByteReader, ByteWriter } from './byte-writer.js';

/** So many bytes are returned to the system when they are freed (MALLOC_MMAP_THRESHOLD_ in src/commands/workers.ts). */
const BUFFER_SIZE = 262_144;
/** Maximum of bytes of the three numbers before the postings of a record. */
const HEAD = 15;

export class TermRecords {
  private readonly buffers: ByteWriter[] = [];
  private capacity = 0;
  /** Addresses of the records of a term, last to first. */
  private readonly addresses: number[] = [];

  /** Bytes of memory. */
  get bytes(): number {
    return this.capacity;
  }

  /**
   * Appends a record: varint distance to the previous one of the term (0: none), sizes of `post` and `pos`, then these.
   * @param previous its address; null: none
   * @returns its address: number of the buffer times its size, plus the offset in it
   */
  add(previous: number | null, post: ByteWriter, pos: ByteWriter): number {
    const buffer = this.bufferFor(HEAD + post.length + pos.length);
    const at = (this.buffers.length - 1) * BUFFER_SIZE + buffer.length;
    buffer.varint(previous === null ? 0 : at - previous);
    buffer.varint(post.length);
    buffer.varint(pos.length);
    buffer.append(post.bytes, 0, post.length);
    buffer.append(pos.bytes, 0, pos.length);
    return at;
  }

  /** Appends the postings and positions of a term, of its first record to its last one. @param last address of that */
  copy(last: number, post: ByteWriter, pos: ByteWriter): void {
    const { addresses } = this;
    addresses.length = 0;
    for (let at = last, back = -1; back !== 0; at -= back) {
      addresses.push(at);
      back = this.readerAt(at).varint();
    }
    for (let i = addresses.length - 1; i >= 0; i--) {
      const reader = this.readerAt(addresses[i]!);
      reader.skip(1);
      const postSize = reader.varint();
      const posSize = reader.varint();
      const posAt = reader.at + postSize;
      post.append(reader.bytes, reader.at, posAt);
      pos.append(reader.bytes, posAt, posAt + posSize);
    }
  }

  private readerAt(address: number): ByteReader {
    return new ByteReader(this.buffers[Math.floor(address / BUFFER_SIZE)]!.bytes, address % BUFFER_SIZE);
  }

  /** The last buffer, or a new one: no record is divided. A larger record has a buffer of its own. */
  private bufferFor(size: number): ByteWriter {
    const last = this.buffers.at(-1);
    if (last && last.length + size <= BUFFER_SIZE) return last;
    const added = new ByteWriter(Math.max(BUFFER_SIZE, size));
    this.buffers.push(added);
    this.capacity += added.bytes.length;
    return added;
  }
}
