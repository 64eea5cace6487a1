import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { poolOf } from '../db/sql.js';

/** The database, as the resources of the API are given it. */
export class Database {
  readonly pool: Pool;

  constructor(readonly dataSource: DataSource) {
    this.pool = poolOf(dataSource);
  }
}
