/**
 * Statements that read much: the statistics of a whole crawl, the next pages of a long scan.
 *
 * Connections that serve requests cancel a statement after seconds (`statementTimeoutMs` of data-source.ts), so that no request
 * can block the database. These statements get more time, and their number is limited instead: only some of a pool's connections
 * serve them at a time. A statement that waits has no connection. One limited client has at most half of the permits.
 */
import pg from 'pg';
import { cancellable } from './cancel.js';
import { clientLimitsFor, semaphoreFor } from './pool-semaphores.js';
import { type Sql, type Statement, row, rows, transaction } from './sql.js';

const STATEMENT_TIMEOUT_MS = 60_000;
/** Fraction of the connections of a pool. */
const FRACTION = 0.4;

const semaphoreOf = semaphoreFor(FRACTION);
const clientLimitsOf = clientLimitsFor(FRACTION, STATEMENT_TIMEOUT_MS);

/**
 * The rows of a statement that may take a minute. Inside a transaction the timeout of that transaction applies.
 * @param signal the caller has stopped waiting: the statement is cancelled, or not sent
 */
export async function slowRows<T>(pool: Sql, statement: Statement, signal?: AbortSignal): Promise<T[]> {
  if (!(pool instanceof pg.Pool)) return rows<T>(pool, statement);
  const limited = <R>(work: () => Promise<R>) => clientLimitsOf(pool).run(() => semaphoreOf(pool).run(work));
  return limited(async () => {
    signal?.throwIfAborted();
    return transaction(pool, async (tx) => {
      const timeout = String(STATEMENT_TIMEOUT_MS);
      const backend = await row<{ pid: number }>(tx)`
        select set_config('statement_timeout', ${timeout}, true), pg_backend_pid() as pid`;
      const read = () => rows<T>(tx, statement);
      return signal ? cancellable({ pool, pid: backend!.pid, signal }, read) : read();
    });
  });
}
