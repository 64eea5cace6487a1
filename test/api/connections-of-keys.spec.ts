/** Connections to the database are limited per key: requests that wait for a lock do not block other keys. */
import { createHash } from 'node:crypto';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scope } from '../../src/conf/credentials.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.js';

const CONNECTIONS = 10;
const secretOf = (name: string) => `secret-of-${name}`;
const keyOf = (name: string, scope: Scope) => ({
  name,
  scope,
  sha256: createHash('sha256').update(secretOf(name)).digest(),
});
const readers = ['ann', 'bob', 'cid'];

let database: TestDatabase;
let api: ApiUnderTest;
beforeAll(async () => {
  database = await testDatabase();
  await database.dataSource(CONNECTIONS);
  api = await apiUnderTest(
    { apiKeys: [...readers.map((name) => keyOf(name, 'read')), keyOf('chief', 'admin')] },
    database,
  );
});
afterAll(async () => {
  await api?.close();
  await database?.drop();
});

const get = (name: string, path: string) =>
  request(api.url)
    .get(path)
    .set('Authorization', `Bearer ${secretOf(name)}`);
/** Statements of requests that wait for the lock. */
const waiting = async () =>
  (
    await database.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and application_name = 'orbweaver'`,
    )
  ).length;

describe('requests that wait in the database', () => {
  it.each([
    ['of one key use at most half of the connections', ['ann'], CONNECTIONS / 2, ['bob', 'chief']],
    ['of all keys leave two connections to admin keys', readers, CONNECTIONS - 2, ['chief']],
  ])('%s', async (_, names, limit, others) => {
    const holder = await database.pool.connect();
    try {
      await holder.query('begin; lock table seed_list in access exclusive mode');
      const asked = names.flatMap((name) => Array.from({ length: 2 * CONNECTIONS }, () => get(name, '/seed').then()));
      await expect.poll(waiting).toBe(limit);
      for (const name of others) expect((await get(name, '/config')).status).toBe(200);
      expect(await waiting()).toBe(limit);
      await holder.query('rollback');
      await Promise.all(asked);
      for (const name of names) expect((await get(name, '/seed')).status).toBe(200);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
  });
});
