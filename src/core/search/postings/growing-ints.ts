/** Columns of 32-bit integers that grow: four bytes a value, where an array of JavaScript takes eight, and boxes large ones. */

/** The capacity for a number of values: half as many again, so that a column is not copied with each value. */
const grownTo = (size: number): number => Math.max(64, size + (size >> 1));

/** Of one value a row, or of `width` values. */
export class GrowingInts {
  values: Int32Array;
  /** Number of rows. */
  length = 0;

  constructor(private readonly width = 1) {
    this.values = new Int32Array(0);
  }

  /** Appends rows, all values of which are `value`. */
  fillTo(rows: number, value: number): void {
    if (rows <= this.length) return;
    const { width } = this;
    if (rows * width > this.values.length) {
      const grown = new Int32Array(grownTo(rows * width));
      grown.set(this.values.subarray(0, this.length * width));
      this.values = grown;
    }
    this.values.fill(value, this.length * width, rows * width);
    this.length = rows;
  }

  get bytes(): number {
    return this.values.byteLength;
  }
}
