import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eachTwin } from '../../src/cycle/dedup/dedup.sql.js';
import { heldRows } from '../../src/db/held-rows.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

/** Steps that read through a cursor and write by another connection what they find: many at once in a small pool. */

let db: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  db = await testDatabase();
  pool = new pg.Pool({ connectionString: db.url, max: 2 });
  await db.query(`insert into crawl (id, name) overriding system value values (1, 'k')`);
  await db.query(
    `insert into webpage (crawl, host, key, status, source_kind, fetch_time, fetch_interval, score, cash, signature)
     values (1, 'test.a', 'test.a:http/', 2, 'seed', now(), 1, 1, 1, 'same')`,
  );
});
afterAll(async () => {
  await pool.end();
  await db.drop();
});

/** Asks for a connection while another reader has had the time to take the last one. */
const write = async (): Promise<void> => {
  await sleep(100);
  await pool.query('select');
};

describe('in a pool of two connections, both of two readers find one to write by', () => {
  it.each<[string, () => Promise<void>]>([
    [
      'of pages with equal contents (DEDUP)',
      async () => {
        const [{ hash }] = (await db.query<{ hash: number }>(`select hashtext('same') as hash`)) as [{ hash: number }];
        await eachTwin(pool, { crawl: 1, hashes: [hash], duplicates: false }, write);
      },
    ],
    [
      'of the rows of a long statement (INVERTLINKS)',
      async () => {
        for await (const _ of heldRows(pool, { text: 'select generate_series(1, 3)', values: [] }, 2)) await write();
      },
    ],
  ])('%s', async (_, read) => {
    await Promise.all([read(), read(), read()]);
    expect(pool.waitingCount).toBe(0);
  });
});
