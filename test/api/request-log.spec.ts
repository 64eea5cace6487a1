/** The name of a request: in the answer, in the problem of a failure, in the log. */
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi } from '../../src/api/server.js';
import { makeLog } from '../../src/conf/log.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { rawRequest } from './api-under-test.js';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const lines: Record<string, unknown>[] = [];
const to = new Writable({
  write(line: Buffer, _, done) {
    lines.push(JSON.parse(line.toString()) as Record<string, unknown>);
    done();
  },
});

let database: TestDatabase;
let api: Awaited<ReturnType<typeof startApi>>;
let port: number;
beforeAll(async () => {
  database = await testDatabase();
  api = await startApi({
    dataSource: await database.dataSource(),
    env: { host: '127.0.0.1', port: 0, apiKeys: [], confFile: undefined },
    log: makeLog('api', { level: 'debug', format: 'json', to }),
  });
  port = Number(new URL(api.url).port);
});
afterAll(async () => {
  await api?.close();
  await database?.drop();
});

const logged = async (requestId: string) => {
  for (;;) {
    const found = lines.filter((line) => line['requestId'] === requestId && line['path'] !== undefined);
    if (found.length > 0) return found;
    await new Promise((wake) => setTimeout(wake, 10));
  }
};

describe('X-Request-Id', () => {
  it('is that of the client, and stands in the log', async () => {
    const answer = await rawRequest(port, 'GET /config?password=hidden', { 'X-Request-Id': 'trace-1.a:b_c' });
    expect(answer.headers.get('x-request-id')).toBe('trace-1.a:b_c');
    const [line, ...more] = await logged('trace-1.a:b_c');
    expect(more).toEqual([]);
    expect(line).toMatchObject({ level: 'debug', name: 'api', method: 'GET', path: '/config', status: 200 });
    expect(JSON.stringify(lines)).not.toContain('hidden');
  });

  it.each(['', 'two words', 'x'.repeat(65), '{"a":1}', '-x'])('%j is no name: one is made', async (given) => {
    const answer = await rawRequest(port, 'GET /health/live', { 'X-Request-Id': given });
    expect(answer.headers.get('x-request-id')).toMatch(uuid);
  });

  it('stands in the problem of a failure of the server, and there only', async () => {
    const unknown = await rawRequest(port, 'GET /job/none', { 'X-Request-Id': 'r1' });
    expect(JSON.parse(unknown.body)).not.toHaveProperty('requestId');
    const holder = await database.pool.connect();
    await holder.query('alter table crawl_conf rename to away');
    const failed = await rawRequest(port, 'GET /config', { 'X-Request-Id': 'r2' });
    await holder.query('alter table away rename to crawl_conf');
    holder.release();
    expect([failed.status, JSON.parse(failed.body)]).toEqual([
      500,
      expect.objectContaining({ code: 'INTERNAL_ERROR', requestId: 'r2', detail: expect.stringContaining('r2') }),
    ]);
    expect((await logged('r2'))[0]).toMatchObject({ level: 'warn', status: 500 });
    expect(lines.some((line) => line['level'] === 'error' && String(line['msg']).startsWith('r2: '))).toBe(true);
  });
});
