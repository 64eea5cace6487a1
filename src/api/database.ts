import type { Pool } from 'pg';
import type { PooledDataSource } from '../db/pooled-data-source.js';

export class Database {
  readonly pool: Pool;

  constructor(readonly dataSource: PooledDataSource) {
    this.pool = dataSource.pool;
  }
}
