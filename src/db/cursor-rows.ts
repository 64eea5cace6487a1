/**
 * The rows of a long statement, in chunks. The server computes and sorts them once, stores them outside of any transaction (a
 * cursor WITH HOLD), and returns them as they are fetched. Reading the next rows by their order again and again costs the
 * same only if an index has that order; without one, each query would read all of them.
 */
import type { Pool } from 'pg';
import { cursorReaders } from './pool-semaphores.js';
import type { Statement } from './sql.js';

/**
 * Yields up to `size` rows at a time, in the order of the statement, as they were when the first were asked for. Keeps one
 * connection (of those that `cursorReaders` allows) until its end, or until the reader stops.
 * @param signal ends the wait for the permit of that connection: its reason is thrown
 */
export async function* cursorRows<T>(
  pool: Pool,
  { text, values }: Statement,
  size: number,
  signal?: AbortSignal,
): AsyncGenerator<T[]> {
  const semaphore = cursorReaders(pool);
  await semaphore.acquire(signal);
  const client = await pool.connect().catch((error: unknown) => {
    semaphore.release();
    throw error;
  });
  let broken: Error | undefined;
  // A connection that breaks between two fetches would end the process; the next fetch fails and throws.
  const onError = (error: Error): void => void (broken = error);
  client.on('error', onError);
  const send = async (statement: Statement) => {
    try {
      return await client.query({ text: statement.text, values: statement.values });
    } catch (error) {
      broken = error as Error;
      throw error;
    }
  };
  try {
    await send({ text: 'begin', values: [] });
    await send({ text: `declare held_rows no scroll cursor with hold for ${text}`, values });
    await send({ text: 'commit', values: [] });
    for (;;) {
      const { rows } = await send({ text: `fetch ${Math.trunc(size)} from held_rows`, values: [] });
      if (rows.length > 0) yield rows as T[];
      if (rows.length < size) return;
    }
  } finally {
    if (broken === undefined) await send({ text: 'close held_rows', values: [] }).catch(() => undefined);
    client.off('error', onError);
    client.release(broken);
    semaphore.release();
  }
}
