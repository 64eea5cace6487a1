/**
 * Pool of numeric arrays by document, reused for all segments and queries: allocating them costs more time, mostly in the garbage
 * collector, than scoring the documents of a rare word.
 */

/** Maximum of bytes of unused arrays. */
const MAX_BYTES = 16_777_216;

type Scratch = Float32Array | Uint8Array;

/** Unused arrays. */
export class ScratchPool {
  private free: ArrayBuffer[] = [];
  private bytes = 0;

  take(bytes: number): ArrayBuffer {
    const at = this.free.findIndex(({ byteLength }) => byteLength >= bytes);
    // Rounded up, so that segments of similar size use arrays of one size.
    if (at < 0) return new ArrayBuffer(Math.max(1_024, 2 ** Math.ceil(Math.log2(bytes))));
    const [buffer] = this.free.splice(at, 1);
    this.bytes -= buffer!.byteLength;
    return buffer!;
  }

  give(buffer: ArrayBuffer): void {
    if (this.bytes + buffer.byteLength > MAX_BYTES) return;
    this.bytes += buffer.byteLength;
    this.free.push(buffer);
    this.free.sort((a, b) => a.byteLength - b.byteLength);
  }
}

/** The flags of documents, four at a time: most of them are not set. */
export class FlagScan {
  private readonly fours: Int32Array;

  /** @param flags at the beginning of their buffer */
  constructor(private readonly flags: Uint8Array) {
    this.fours = new Int32Array(flags.buffer, flags.byteOffset, flags.length >>> 2);
  }

  /** The first document from one on whose flag is set; the number of documents where none is. */
  from(doc: number): number {
    const { flags, fours } = this;
    const end = flags.length;
    while (doc < end && flags[doc] === 0) doc += (doc & 3) === 0 && fours[doc >>> 2] === 0 ? 4 : 1;
    return Math.min(doc, end);
  }
}

/** The arrays of one search. Those of a search that fails are left to the garbage collector. */
export class ScratchArrays {
  private readonly taken: ArrayBuffer[] = [];

  constructor(private readonly pool: ScratchPool = new ScratchPool()) {}

  /** Zeros. */
  scores(size: number): Float32Array {
    return this.cleared(new Float32Array(this.take(4 * size), 0, size));
  }

  /** Zeros. */
  flags(size: number): Uint8Array {
    return this.cleared(new Uint8Array(this.take(size), 0, size));
  }

  /** Number of arrays in use. */
  get size(): number {
    return this.taken.length;
  }

  /** Releases all arrays but the first `kept`: none of them may be used afterwards. */
  release(kept = 0): void {
    for (const buffer of this.taken.splice(kept)) this.pool.give(buffer);
  }

  private take(bytes: number): ArrayBuffer {
    const buffer = this.pool.take(bytes);
    this.taken.push(buffer);
    return buffer;
  }

  private cleared<T extends Scratch>(array: T): T {
    array.fill(0);
    return array;
  }
}
