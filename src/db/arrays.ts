/** Values of many rows as one parameter each, where the array format of `pg` is not suitable. */
import { randomUUID } from 'node:crypto';

/** Element types, by their OIDs in PostgreSQL's catalog. */
const BYTEA = 17;
const TEXT = 25;
const JSONB = 3802;

/**
 * `bytea[]` in PostgreSQL's binary format (array_send): as text its elements would be sent as hexadecimal digits, twice as
 * long, and as a parameter each they would make a statement as long as its batch, to be parsed and planned again each time.
 */
export const byteaArray = (values: readonly (Uint8Array | null)[]): Buffer =>
  binaryArray(BYTEA, values, {
    sizeOf: ({ length }) => length,
    write(out, value, at) {
      out.set(value, at);
      return value.length;
    },
  });

/** A parameter of type `text[]` in binary form: as text each character would be checked for quotes, here and by PostgreSQL. */
export const textArray = (values: readonly (string | null | undefined)[]): Buffer =>
  binaryArray(TEXT, values, {
    sizeOf: (text) => Buffer.byteLength(text),
    write: (out, text, at) => out.write(text, at),
  });

/** A parameter of type `jsonb[]` in binary form, of texts in JSON. */
export const jsonbArray = (values: readonly (string | null | undefined)[]): Buffer =>
  binaryArray(JSONB, values, {
    sizeOf: (json) => 1 + Buffer.byteLength(json),
    write(out, json, at) {
      // The version of the format.
      out[at] = 1;
      return 1 + out.write(json, at + 1);
    },
  });

interface Elements<T> {
  sizeOf: (value: T) => number;
  /** Returns the number of bytes it has written. */
  write: (out: Buffer, value: T, at: number) => number;
}

function binaryArray<T>(
  type: number,
  values: readonly (T | null | undefined)[],
  { sizeOf, write }: Elements<T>,
): Buffer {
  let size = 20;
  let hasNulls = 0;
  for (const value of values) {
    size += 4;
    if (value == null) hasNulls = 1;
    else size += sizeOf(value);
  }
  const out = Buffer.allocUnsafe(size);
  const header = [1, hasNulls, type, values.length, 1];
  header.forEach((word, i) => out.writeInt32BE(word, 4 * i));
  let at = 4 * header.length;
  for (const value of values) {
    const length = value == null ? -1 : write(out, value, at + 4);
    out.writeInt32BE(length, at);
    at += 4 + Math.max(0, length);
  }
  return out;
}

/**
 * Lists of texts as one text each, to be split by `string_to_array` with the separator: an array of arrays would have to be a
 * matrix, and arrays as text are parsed character by character. A list of one empty text looks like one without texts.
 */
export function joinedTexts(lists: readonly (readonly string[] | null)[]): {
  separator: string;
  texts: (string | null)[];
} {
  for (let separator = '\x1f'; ; separator = `\x1e${randomUUID()}\x1f`) {
    // Its end begins no separator, so none can be found across the border of two texts. Random: a page that contained all
    // possible separators would have every text searched for each.
    if (lists.every((list) => list?.every((text) => !text.includes(separator)) ?? true))
      return { separator, texts: lists.map((list) => list && list.join(separator)) };
  }
}
