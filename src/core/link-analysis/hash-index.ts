/**
 * Assigns numbers from 0 to 64-bit hashes, in order of insertion: open addressing in typed arrays, 8 bytes for the hash and
 * 8 to 16 for its slots. Values with equal hashes get the same number.
 */
const FIRST = 1_024;

export class HashIndex {
  private high = new Int32Array(FIRST);
  private low = new Int32Array(FIRST);
  /** A number plus 1; 0: free. At least half of the slots are free. */
  private slots = new Int32Array(2 * FIRST);
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** The number of a hash; -1 for an unknown one. */
  find(high: number, low: number): number {
    return this.slots[this.slotOf(high, low)]! - 1;
  }

  /** Adds a hash, if it is new; returns its number. */
  add(high: number, low: number): number {
    const known = this.find(high, low);
    if (known >= 0) return known;
    if (this.count === this.high.length) this.grow();
    this.high[this.count] = high;
    this.low[this.count] = low;
    this.slots[this.slotOf(high, low)] = ++this.count;
    return this.count - 1;
  }

  private slotOf(high: number, low: number): number {
    const mask = this.slots.length - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const at = this.slots[slot]! - 1;
      if (at < 0 || (this.low[at] === low && this.high[at] === high)) return slot;
    }
  }

  private grow(): void {
    const size = 2 * this.high.length;
    this.high = enlarged(this.high, size);
    this.low = enlarged(this.low, size);
    this.slots = new Int32Array(2 * size);
    for (let at = 0; at < this.count; at++) this.slots[this.slotOf(this.high[at]!, this.low[at]!)] = at + 1;
  }
}

function enlarged(numbers: Int32Array<ArrayBuffer>, size: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(size);
  larger.set(numbers);
  return larger;
}
