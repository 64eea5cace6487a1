/** Writes a chunk of which PostgreSQL may refuse one page: the page is found, and the rest is written. */
import { dataErrorCode } from '../db/transient.js';
import { atPage } from './page-error.js';

/**
 * Writes a chunk as one; if PostgreSQL refuses its data, as halves, down to the single page that it refuses. That one is
 * written as `refused` makes it, without its data. A page that cannot be written in that form either fails the chunk.
 * @param keyOf the row key of a page
 * @param refused is called with the reason, without any of the data
 */
export async function writeBisecting<T>(
  chunk: T[],
  write: (part: T[]) => Promise<void>,
  { refused, keyOf }: { refused: (one: T, why: string) => T; keyOf: (one: T) => string },
): Promise<void> {
  try {
    await write(chunk);
  } catch (error) {
    const code = dataErrorCode(error);
    if (code === undefined) throw error;
    const one = chunk[0]!;
    if (chunk.length === 1)
      return atPage(keyOf(one), () => write([refused(one, `the database refused it (SQLSTATE ${code})`)]));
    const middle = chunk.length >> 1;
    for (const half of [chunk.slice(0, middle), chunk.slice(middle)])
      await writeBisecting(half, write, { refused, keyOf });
  }
}
