/** A growing buffer of bytes; integers are written as varints (seven bits per byte, the lowest first). */
export class ByteWriter {
  bytes: Uint8Array;
  length = 0;

  constructor(capacity = 64) {
    this.bytes = new Uint8Array(capacity);
  }

  /** @param value an integer from 0 to 2^32 - 1 */
  varint(value: number): void {
    this.reserve(5);
    while (value > 127) {
      this.bytes[this.length++] = (value & 127) | 128;
      value >>>= 7;
    }
    this.bytes[this.length++] = value;
  }

  append(from: Uint8Array, start = 0, end = from.length): void {
    const size = end - start;
    this.reserve(size);
    if (size > 32) this.bytes.set(from.subarray(start, end), this.length);
    // For a few bytes, a loop is faster than the call.
    else for (let i = 0; i < size; i++) this.bytes[this.length + i] = from[start + i]!;
    this.length += size;
  }

  /** A copy of the written bytes. */
  copy(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }

  clear(): void {
    this.length = 0;
  }

  private reserve(size: number): void {
    if (this.length + size <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.length + size));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }
}

/** Reads varints from `at` on. Bytes beyond the end are read as zeros, so that reading truncated bytes terminates. */
export class ByteReader {
  constructor(
    readonly bytes: Uint8Array,
    public at = 0,
    readonly end = bytes.length,
  ) {}

  varint(): number {
    let byte = this.bytes[this.at++] ?? 0;
    if (byte < 128) return byte;
    let value = byte & 127;
    for (let shift = 7; shift < 35; shift += 7) {
      byte = this.bytes[this.at++] ?? 0;
      value |= (byte & 127) << shift;
      if (byte < 128) break;
    }
    return value >>> 0;
  }

  /** Skips that many varints. */
  skip(count: number): void {
    const { bytes } = this;
    let { at } = this;
    const last = bytes.length - 4;
    // Four bytes at a time, as long as not more than these are skipped: a varint ends with a byte below 128.
    while (count > 4 && at <= last) {
      const ends =
        ~(bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) & 0x80_80_80_80;
      count -= Math.imul(ends >>> 7, 0x01_01_01_01) >>> 24;
      at += 4;
    }
    while (count > 0) if ((bytes[at++] ?? 0) < 128) count--;
    this.at = at;
  }
}
