import type { Pool } from 'pg';
import type { PooledDataSource } from '../db/pooled-data-source.js';

/** Maximum time of one statement of a request: no request can block the database. */
export const REQUEST_STATEMENT_MS = 5_000;

export class Database {
  readonly pool: Pool;

  constructor(readonly dataSource: PooledDataSource) {
    this.pool = dataSource.pool;
  }
}
