import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keepStatistics } from '../../src/webpage/planner-statistics.sql.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

/** On one server, and on the nodes of a cluster, where a table consists of others. */

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
  await db.query(`insert into crawl (id, name) overriding system value values (1, 'k')`);
});
afterAll(() => db.drop());

const addHosts = (from: number, to: number) =>
  db.query(
    `insert into host (crawl, host, domain) select 1, 'test.h' || n, 'h' || n || '.test' from generate_series($1::int, $2::int) n`,
    [from, to],
  );

describe('tables that have outgrown their statistics', () => {
  it('are none while they are empty', async () => {
    expect(await keepStatistics(db.pool)).toEqual([]);
  });

  it('are analyzed when they have their first rows, and not again', async () => {
    await addHosts(1, 1_000);
    expect(await keepStatistics(db.pool)).toEqual(['host']);
    expect(await keepStatistics(db.pool)).toEqual([]);
  });

  it('are analyzed again when they have grown', async () => {
    await addHosts(1_001, 3_000);
    expect(await keepStatistics(db.pool)).toEqual(['host']);
    expect(await keepStatistics(db.pool)).toEqual([]);
  });
});
