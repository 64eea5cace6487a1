/** Rows of a reader as an answer, produced as they are read: a JSON array of the requested ones, or their number. */

/** The rows from `from` to `to`, exclusive. Reads no chunk after the last of them. */
export async function* rowTexts(
  chunks: AsyncIterable<readonly unknown[]>,
  { from, to }: { from: number; to: number },
): AsyncGenerator<string> {
  yield '[';
  let seen = 0;
  let begun = false;
  if (from < to)
    for await (const rows of chunks) {
      const rowsInRange = rows.slice(Math.max(0, from - seen), Math.max(0, to - seen));
      const text = rowsInRange.map((row) => JSON.stringify(row)).join(',');
      yield rowsInRange.length > 0 && begun ? `,${text}` : text;
      begun ||= rowsInRange.length > 0;
      if ((seen += rows.length) >= to) break;
    }
  yield ']';
}

/** The number of rows. Yields an empty text for each chunk, to keep the connection open. */
export async function* countText(chunks: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  let seen = 0;
  for await (const rows of chunks) {
    seen += rows.length;
    yield '';
  }
  yield String(seen);
}
