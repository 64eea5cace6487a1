import { afterAll, beforeAll, expect, it } from 'vitest';
import { markBatch } from '../../src/cycle/generate/generate.sql.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { Explained } from './explained.js';
import { rolledBack } from './seeded.js';

/**
 * A crawl of one host in a table that has no statistics yet: all its pages have the same host, which tells the planner nothing.
 */

const PAGES = 5_000;

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
  await db.query(`insert into crawl (id, name) overriding system value values (1, 'first'), (2, 'second')`);
  await db.query(
    `insert into webpage (crawl, host, key, status, fetch_time, fetch_interval, score, cash, source_kind)
     select crawl, 'test.a', 'test.a:http/' || n, 1, now(), 1, 1, 1, 'seed'
       from unnest(array[1, 2]) as crawl, generate_series(1, ${PAGES}) as n`,
  );
});
afterAll(() => db.drop());

it('GENERATE marks the pages of a list without comparing each with each', async () => {
  const pages = Array.from({ length: PAGES }, (_, n) => ({ host: 'test.a', key: `test.a:http/${n + 1}`, hash: n }));
  // It throws where a plan compares too many in vain.
  const marked = await rolledBack(db, (tx) => markBatch(new Explained(tx), 2, { batch: 'b' }, pages));
  expect(marked).toBe(PAGES);
});
