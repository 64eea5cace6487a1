import type { Pool } from 'pg';
import type { PooledDataSource } from '../db/pooled-data-source.js';

/** The database, as the resources of the API are given it. */
export class Database {
  readonly pool: Pool;

  constructor(readonly dataSource: PooledDataSource) {
    this.pool = dataSource.pool;
  }
}
