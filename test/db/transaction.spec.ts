import { afterAll, beforeAll, expect, it } from 'vitest';
import pg from 'pg';
import { transaction } from '../../src/db/sql.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

/** What becomes of the connection of a transaction that fails. */

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await testDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 1 });
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

const backend = async (): Promise<number> => (await pool.query('select pg_backend_pid() as pid')).rows[0].pid;

it.each([
  [
    'a server that takes no writes is closed: the next may reach one that does',
    '25006',
    'set transaction read only',
    false,
  ],
  ['a statement that fails is used again', '22012', 'select 1 / 0', true],
])('that of %s', async (_, code, first, kept) => {
  const before = await backend();
  const failing = transaction(pool, async (tx) => {
    await tx.query(first);
    await tx.query(`insert into crawl (name) values ('never')`);
  });
  await expect(failing).rejects.toMatchObject({ code });
  expect((await backend()) === before).toBe(kept);
  expect((await pool.query(`select from crawl where name = 'never'`)).rowCount).toBe(0);
});
