/** The id of a request: in the response, in the problem document of a failure, in the log. */
import { once } from 'node:events';
import { type IncomingMessage, get } from 'node:http';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi } from '../../src/api/server.js';
import { makeLog } from '../../src/conf/log.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { rawRequest } from './api-under-test.js';
import { addManyPages, newCrawl } from './seeded-pages.js';

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
  it('of the client is returned and logged', async () => {
    const answer = await rawRequest(port, 'GET /config?password=hidden', { 'X-Request-Id': 'trace-1.a:b_c' });
    expect(answer.headers.get('x-request-id')).toBe('trace-1.a:b_c');
    const [line, ...more] = await logged('trace-1.a:b_c');
    expect(more).toEqual([]);
    expect(line).toMatchObject({ level: 'debug', name: 'api', method: 'GET', path: '/config', status: 200 });
    expect(JSON.stringify(lines)).not.toContain('hidden');
  });

  it('is logged with the path, in which the user info of URLs is masked', async () => {
    await rawRequest(port, 'GET /webpage/http%3A%2F%2Fme%3Ahidden%40host%2F', { 'X-Request-Id': 'masked' });
    const [line] = await logged('masked');
    expect(line).toMatchObject({ path: '/webpage/http%3A%2F%2F********%40host%2F', status: 404 });
  });

  it.each(['', 'two words', 'x'.repeat(65), '{"a":1}', '-x'])('%j is invalid and replaced by a UUID', async (given) => {
    const answer = await rawRequest(port, 'GET /health/live', { 'X-Request-Id': given });
    expect(answer.headers.get('x-request-id')).toMatch(uuid);
  });

  it('is in the problem document of a 500, and not of a 404', async () => {
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

describe('a request whose client disconnects', () => {
  const aborted = { level: 'debug', status: 'aborted', msg: 'the connection ended before the end of the answer' };
  const countedAs = async (route: string) =>
    (await rawRequest(port, 'GET /metrics')).body
      .split('\n')
      .filter((line) => line.startsWith('orbweaver_http_route_requests_total') && line.includes(`route="${route}"`))
      .map((line) => line.replace(/.*status="(\w+)"} /, '$1 '));

  it('before the response head is logged and counted as aborted', async () => {
    const holder = await database.pool.connect();
    await holder.query('begin; lock table seed_list in access exclusive mode');
    const asking = get(`${api.url}/seed`, { agent: false, headers: { 'X-Request-Id': 'gone-early' } });
    const cut = new Promise((done) => asking.on('error', done));
    const isWaiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await database.query(isWaiting)).length).toBeGreaterThan(0);
    asking.destroy();
    await cut;
    expect(await logged('gone-early')).toEqual([expect.objectContaining({ ...aborted, path: '/seed' })]);
    await holder.query('rollback');
    holder.release();
    expect(await countedAs('/seed')).toEqual(['aborted 1']);
  });

  it('in the middle of the response is logged and counted as aborted', async () => {
    await addManyPages(database, await newCrawl(database, 'wide'), 'test.wide', { n: 8_000, width: 5_000 });
    const headers = { Accept: 'application/x-ndjson', 'X-Request-Id': 'gone-late' };
    const asking = get(`${api.url}/v1/pages?crawlId=wide&limit=all`, { agent: false, headers });
    const [answer] = (await once(asking, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(200);
    answer.on('error', () => undefined).destroy();
    expect(await logged('gone-late')).toEqual([expect.objectContaining({ ...aborted, path: '/v1/pages' })]);
    expect(await countedAs('/v1/pages')).toEqual(['aborted 1']);
  });

  it('from an event stream is logged and counted as 200', async () => {
    const headers = { Accept: 'text/event-stream', 'X-Request-Id': 'followed' };
    const asking = get(`${api.url}/v1/crawls/wide/events`, { agent: false, headers });
    const [answer] = (await once(asking, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(200);
    answer.on('error', () => undefined).destroy();
    expect(await logged('followed')).toEqual([expect.objectContaining({ status: 200 })]);
    expect(await countedAs('/v1/crawls/:id/events')).toEqual(['200 1']);
  });
});
