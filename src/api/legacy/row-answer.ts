/** Rows of a reader as an answer, made as they are read: a JSON array of those that are wanted, or their number. */

/** The rows from `from` up to `to`, without it. Reads no chunk behind the last of them. */
export async function* rowTexts(
  chunks: AsyncIterable<readonly unknown[]>,
  { from, to }: { from: number; to: number },
): AsyncGenerator<string> {
  yield '[';
  let seen = 0;
  let begun = false;
  if (from < to)
    for await (const rows of chunks) {
      const wanted = rows.slice(Math.max(0, from - seen), Math.max(0, to - seen));
      const text = wanted.map((row) => JSON.stringify(row)).join(',');
      yield wanted.length > 0 && begun ? `,${text}` : text;
      begun ||= wanted.length > 0;
      if ((seen += rows.length) >= to) break;
    }
  yield ']';
}

/** How many rows there are. Empty texts say that the reading goes on. */
export async function* countText(chunks: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  let seen = 0;
  for await (const rows of chunks) {
    seen += rows.length;
    yield '';
  }
  yield String(seen);
}
