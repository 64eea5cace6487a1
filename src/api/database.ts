import type { Pool } from 'pg';
import type { PooledDataSource } from '../db/pooled-data-source.js';

/** Maximum time of one statement of a request: no request can block the database. */
export const REQUEST_STATEMENT_MS = 5_000;
/** Maximum wait for a lock: shorter than a statement, so that a locked table is not reported as a long query. */
export const REQUEST_LOCK_MS = 4_000;

/** Of the connections that serve requests. */
export const REQUEST_TIMEOUTS = { statementTimeoutMs: REQUEST_STATEMENT_MS, lockTimeoutMs: REQUEST_LOCK_MS };

export class Database {
  readonly pool: Pool;

  /** @param startError why the database does not start, as long as that needs a person, if that is known */
  constructor(
    readonly dataSource: PooledDataSource,
    readonly startError: () => string | undefined = () => undefined,
  ) {
    this.pool = dataSource.pool;
  }
}
