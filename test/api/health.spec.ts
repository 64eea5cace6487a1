import pg from 'pg';
import request from 'supertest';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.js';

/** GET /health/live and /health/ready. */

let api: ApiUnderTest;
let admin: pg.Client;
beforeAll(async () => {
  api = await apiUnderTest();
  admin = new pg.Client({ connectionString: inject('cluster').adminUrl });
  await admin.connect();
});
afterAll(async () => {
  await admin?.end();
  await api?.close();
});

it('/health/live and /health/ready return status ok', async () => {
  for (const path of ['/health/live', '/health/ready'])
    expect((await request(api.url).get(path)).body).toEqual({ status: 'ok' });
});

it('/health/ready repeats why PostgreSQL refuses connections, until it accepts them', async () => {
  const { name } = api.database;
  await admin.query(`alter database ${name} connection limit 0`);
  await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  const ready = () => request(api.url).get('/health/ready');
  await expect
    .poll(async () => (await ready()).body.detail)
    .toBe(
      `The server is not ready: the database refuses connections: too many connections for database "${name}"; retry in 2 s.`,
    );
  await admin.query(`alter database ${name} connection limit -1`);
  await expect.poll(async () => (await ready()).body).toEqual({ status: 'ok' });
});
