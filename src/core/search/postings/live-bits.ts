/** Bitmap of the live documents of a segment. Deleting or replacing a document clears its bit; all else is immutable. */
export class LiveBits {
  constructor(
    readonly bytes: Uint8Array,
    readonly size: number,
  ) {}

  static allLive(size: number): LiveBits {
    const bytes = new Uint8Array((size + 7) >>> 3).fill(255);
    if (size % 8 > 0) bytes[bytes.length - 1] = (1 << (size % 8)) - 1;
    return new LiveBits(bytes, size);
  }

  has(doc: number): boolean {
    return ((this.bytes[doc >>> 3] ?? 0) & (1 << (doc & 7))) !== 0;
  }

  clear(doc: number): void {
    if (doc < this.size) this.bytes[doc >>> 3]! &= ~(1 << (doc & 7));
  }

  get count(): number {
    let count = 0;
    for (let byte of this.bytes) for (; byte !== 0; byte &= byte - 1) count++;
    return count;
  }
}
