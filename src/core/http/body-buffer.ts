/**
 * Collects a body up to a limit, in memory proportional to the bytes kept.
 *
 * A chunk that fills most of its underlying memory is kept as it is. Small chunks are copied into pages: a mebibyte sent in
 * chunks of one byte would otherwise take a hundred times its size in objects.
 */
const PAGE = 16 * 1024;

export class BodyBuffer {
  #length = 0;
  readonly #chunks: Buffer[] = [];
  #page: Buffer | null = null;
  #filled = 0;

  /** @param limit maximum of bytes kept */
  constructor(private readonly limit: number) {}

  get length(): number {
    return this.#length;
  }

  /** Adds a chunk. @returns true if the chunk did not fit: its start is kept, the rest is dropped */
  push(chunk: Buffer): boolean {
    const left = this.limit - this.#length;
    const kept = chunk.length > left ? chunk.subarray(0, left) : chunk;
    this.#length += kept.length;
    if (kept.length >= PAGE || (kept.length > 1024 && kept.length * 2 >= kept.buffer.byteLength)) this.#keep(kept);
    else this.#copy(kept);
    return kept.length < chunk.length;
  }

  toBuffer(): Buffer {
    this.#flush();
    const [first] = this.#chunks;
    if (this.#chunks.length === 1 && first !== undefined) return first;
    return Buffer.concat(this.#chunks, this.#length);
  }

  #keep(chunk: Buffer): void {
    this.#flush();
    this.#chunks.push(chunk);
  }

  #copy(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) {
      this.#page ??= Buffer.allocUnsafeSlow(PAGE);
      const copied = chunk.copy(this.#page, this.#filled, at);
      this.#filled += copied;
      at += copied;
      if (this.#filled === PAGE) this.#flush();
    }
  }

  #flush(): void {
    if (this.#page !== null && this.#filled > 0) this.#chunks.push(this.#page.subarray(0, this.#filled));
    this.#page = null;
    this.#filled = 0;
  }
}
