import pg from 'pg';
import request from 'supertest';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { PostgresIndexWriter } from '../../src/search/postgres-index-writer.js';
import { crawlNumber } from '../../src/webpage/crawl.store.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { apiUnderTest } from './api-under-test.js';

/** The indexes of two crawls, searched in turn. */

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  for (const crawl of ['k1', 'k2']) {
    const writer = new PostgresIndexWriter(database.pool, await crawlNumber(database.pool, crawl));
    const fields = new Map([['content', ['ferry']]]);
    await writer.write([{ id: crawl, url: `http://${crawl}.test/`, boost: 1, fields, fieldBoosts: new Map() }]);
    await writer.commit();
  }
});
afterAll(() => database?.drop());

it.each([
  ['as shipped both stay in memory', 2, {}],
  ['with a SEARCH_CACHE that is too small each search reads its own again', 4, { searchCache: 0.000_1 }],
])('%s', async (_, reads, env) => {
  const api = await apiUnderTest(env, database);
  const query = vi.spyOn(pg.Client.prototype, 'query');
  try {
    for (const crawlId of ['k1', 'k2', 'k1', 'k2']) {
      const { body } = await request(api.url).get('/v1/search').query({ q: 'ferry', crawlId });
      expect(body.total).toBe(1);
    }
    const sent = query.mock.calls.map(([statement]) => JSON.stringify(statement));
    expect(sent.filter((statement) => statement.includes('select seg, columns from'))).toHaveLength(reads);
  } finally {
    query.mockRestore();
    await api.close();
  }
});
