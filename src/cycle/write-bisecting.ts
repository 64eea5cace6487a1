/** Writes a chunk of which PostgreSQL may refuse one page: the page is found. */
import { dataErrorCode } from '../db/transient.js';
import { atPage } from './page-error.js';

type Write<T> = (pages: T[]) => Promise<void>;

/**
 * Writes a chunk as one; if PostgreSQL refuses its data, as halves, down to the single page that it refuses. That one is
 * written as `refused` makes it, without its data. A page that cannot be written in that form either fails the chunk.
 * @param keyOf the row key of a page
 * @param refused is called with the reason, without any of the data
 */
export const writeBisecting = <T>(
  chunk: T[],
  write: Write<T>,
  { refused, keyOf }: { refused: (page: T, why: string) => T; keyOf: (page: T) => string },
): Promise<void> =>
  bisected(chunk, write, (page, error) =>
    atPage(keyOf(page), () => write([refused(page, `the database refused it (SQLSTATE ${dataErrorCode(error)})`)])),
  );

/** Writes a chunk in the same way; the page that PostgreSQL refuses fails it, by name. */
export const writeNaming = <T extends { key: string }>(chunk: T[], write: Write<T>): Promise<void> =>
  bisected(chunk, write, ({ key }, error) => atPage(key, () => Promise.reject(error)));

async function bisected<T>(
  chunk: T[],
  write: Write<T>,
  alone: (page: T, error: unknown) => Promise<void>,
): Promise<void> {
  try {
    await write(chunk);
  } catch (error) {
    if (dataErrorCode(error) === undefined) throw error;
    if (chunk.length === 1) return alone(chunk[0]!, error);
    const middle = chunk.length >> 1;
    for (const half of [chunk.slice(0, middle), chunk.slice(middle)]) await bisected(half, write, alone);
  }
}
