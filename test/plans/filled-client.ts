import type { PoolClient } from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';

/** A connection to a database of its own for a spec file, on which these statements have run. @returns the open connection */
export function useFilledClient(statements: readonly string[], { inTransaction = false } = {}): () => PoolClient {
  let db: TestDatabase;
  let client: PoolClient;
  beforeAll(async () => {
    db = await testDatabase();
    for (const statement of statements) await db.query(statement);
    client = await db.pool.connect();
    if (inTransaction) await client.query('begin');
  });
  afterAll(async () => {
    client?.release(true);
    await db?.drop();
  });
  return () => client;
}
