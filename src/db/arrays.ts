/** Values of many rows as one parameter each, for what `pg` makes of an array does not serve. */

const BYTEA = 17;

/**
 * `bytea[]` in PostgreSQL's binary format (array_send): as text its elements would travel as hexadecimal digits, twice as
 * long, and as a parameter each they would make a statement as long as its batch, to be read and planned again each time.
 */
export function byteaArray(values: readonly (Uint8Array | null)[]): Buffer {
  const size = values.reduce((sum, value) => sum + 4 + (value?.length ?? 0), 20);
  const out = Buffer.allocUnsafe(size);
  const header = [1, values.includes(null) ? 1 : 0, BYTEA, values.length, 1];
  header.forEach((word, i) => out.writeInt32BE(word, 4 * i));
  let at = 4 * header.length;
  for (const value of values) {
    at = out.writeInt32BE(value?.length ?? -1, at);
    if (value === null) continue;
    out.set(value, at);
    at += value.length;
  }
  return out;
}

/** What would end an element, or be read as something else than itself. */
const TO_QUOTE = /["\\{},]|^\s|\s$|^$|^null$/i;

/** A `text[]` as text, to be an element itself: an array of arrays would have to be a matrix. Cast it with `::text[]`. */
export const arrayLiteral = (texts: readonly string[]): string =>
  `{${texts.map((text) => (TO_QUOTE.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : text)).join(',')}}`;
