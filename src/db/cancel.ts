/** Statements that end when a request is aborted: PostgreSQL cancels the statement of a backend on request of another connection. */
import type { Pool } from 'pg';
import { asServer } from './connection-limits.js';
import { type Sql, row, sql, transaction } from './sql.js';

export interface Cancellable {
  pool: Pool;
  /** The backend that does the work. */
  pid: number;
  signal: AbortSignal;
}

/**
 * Work on one connection whose statement is cancelled over another one when `signal` fires. While the pool has no other
 * connection free, the statement continues.
 */
export async function cancellable<T>({ pool, pid, signal }: Cancellable, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  let isRunning = true;
  let sent: Promise<unknown> | undefined;
  const cancel = (): Promise<void> =>
    transaction(pool, async (tx) => {
      // Meanwhile, waiting for a connection, the backend may have begun the statement of another client.
      if (isRunning) await (sent = tx.query(sql`select pg_cancel_backend(${pid}::int)`));
    });
  // As the server itself: the client may have all the connections that one client may have.
  const onAbort = (): void => void asServer(cancel).catch(() => undefined);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await work();
  } finally {
    isRunning = false;
    signal.removeEventListener('abort', onAbort);
    // A cancel request must have been processed before the connection is given to another client.
    await sent?.catch(() => undefined);
  }
}

/** Reads by several statements on one connection: the running one is cancelled when `signal` fires, and none is sent after it. */
export function readCancellably<T>(pool: Pool, signal: AbortSignal, read: (db: Sql) => Promise<T>): Promise<T> {
  return transaction(pool, async (tx) => {
    const { pid } = (await row<{ pid: number }>(tx)`select pg_backend_pid() as pid`)!;
    return read({ query: (statement) => cancellable({ pool, pid, signal }, () => tx.query(statement)) });
  });
}
