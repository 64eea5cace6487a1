import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDataSource } from '../../src/db/data-source.js';
import type { PooledDataSource } from '../../src/db/pooled-data-source.js';
import { transaction } from '../../src/db/sql.js';
import { JobQueue } from '../../src/job/job-queue.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

let db: TestDatabase;
let dataSource: PooledDataSource;
beforeAll(async () => {
  db = await testDatabase();
  dataSource = await openDataSource(db.url, { max: 1, patience: 'request' });
});
afterAll(async () => {
  await dataSource.destroy();
  await db.drop();
});

it('JobQueue.send uses only the connection of the calling transaction', async () => {
  const pool = dataSource.pool;
  const queue = await JobQueue.open(pool, { maintain: false, onError: () => undefined });
  const message = { job: 'a job', task: '1' };
  await transaction(pool, (tx) => queue.send(tx, [message]));
  expect(await queue.take()).toEqual(message);
  await queue.close();
});
