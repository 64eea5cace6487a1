import { createHash } from 'node:crypto';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { ConfRules } from '../../src/api/inspect/conf-rules.js';
import { PageInspector } from '../../src/api/inspect/page-inspector.js';
import { DEFAULT_HEAVY } from '../../src/api/heavy/heavy-processes.js';
import { bodyBudget } from '../../src/api/request/body.interceptor.js';
import { ConfStore } from '../../src/conf/conf.store.js';
import { entities } from '../../src/cycle/entities.js';
import { openDataSource } from '../../src/db/data-source.js';
import { DatabasePool } from '../../src/db/database-pool.js';
import { PooledDataSource } from '../../src/db/pooled-data-source.js';
import { asAdmin } from '../support/cluster.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type TcpProxy, socketOf, startTcpProxy } from '../support/tcp-proxy.js';
import { type ApiUnderTest, apiUnderTest, raw } from './api-under-test.js';

/** The problem catalogue (src/api/problem.ts): what answers with a code, its status, what it says, and its headers. */

const secret = 'secret-of-ann';
const ann = { name: 'ann', scope: 'run' as const, sha256: createHash('sha256').update(secret).digest() };
const asAnn = { Authorization: `Bearer ${secret}` };

interface Answered {
  status: number;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

/** An answer of a socket as one of supertest. */
async function wire(api: ApiUnderTest, head: string): Promise<Answered> {
  const { status, headers, body } = await raw(api.port, `${head}\r\nConnection: close\r\n\r\n`);
  return { status, headers: Object.fromEntries(headers), body: JSON.parse(body) as Record<string, unknown> };
}

function expectProblem(answer: Answered, status: number, code: string, says: string): void {
  expect(answer.headers['content-type']).toContain('application/problem+json');
  expect(answer.body).toMatchObject({ status, code, detail: expect.stringContaining(says) });
  expect(answer.status).toBe(status);
}

describe('a request that cannot work', () => {
  let api: ApiUnderTest;
  beforeAll(async () => {
    api = await apiUnderTest();
  });
  afterAll(() => api?.close());

  const ask = (method: 'get' | 'patch' | 'put', path: string) => () => request(api.url)[method](path);
  const refused: [number, string, string, () => PromiseLike<Answered>, string, Record<string, string>?][] = [
    [
      404,
      'PROPERTY_UNKNOWN',
      'a property that is nearly named',
      ask('get', '/config/default/http.agent.nam'),
      'did you mean http.agent.name?',
    ],
    [
      404,
      'PROPERTY_UNKNOWN',
      'a property of no such name',
      ask('get', '/config/default/colour.of.sky'),
      'no property "colour.of.sky".',
    ],
    [400, 'CRAWL_NOT_NAMED', 'a search before any INDEX', ask('get', '/v1/search?q=a'), 'run INDEX first'],
    [405, 'METHOD_NOT_ALLOWED', 'PATCH of a resource', ask('patch', '/admin'), 'use GET', { allow: 'GET, HEAD' }],
    [
      417,
      'EXPECTATION_FAILED',
      'an unknown Expect (RFC 9110 §10.1.1)',
      () => wire(api, 'GET /admin HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: 200-ok'),
      'Expect: "200-ok" cannot be met; send "100-continue"',
    ],
    [
      431,
      'HEAD_TOO_LARGE',
      'a head of more than 16 KiB (RFC 6585 §5)',
      () => wire(api, `GET /admin HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ${'b'.repeat(16_384)}`),
      'larger than 16384 bytes',
    ],
  ];
  it.each(refused)('is answered %i %s: %s', async (status, code, _what, send, says, headers = {}) => {
    const answer = await send();
    expectProblem(answer, status, code, says);
    expect(answer.headers).toMatchObject(headers);
  });

  it('is answered 405 with Allow: HEAD of a GET that changes state, as NutchServer has them (RFC 9110 §9.3.2)', async () => {
    const { status, headers } = await request(api.url).head('/admin/stop');
    expect([status, headers['allow'], api.stops]).toEqual([405, 'GET, POST', 0]);
    // A request with another method is not told that HEAD is allowed.
    for (const path of ['/admin/stop', '/job/k1-default-FETCH-1/stop', '/job/k1-default-FETCH-1/abort'])
      expect((await request(api.url).patch(path)).headers['allow']).toBe('GET, POST');
    expect((await request(api.url).patch('/job/k1-default-FETCH-1/pause')).headers['allow']).toBe('POST');
  });

  it('is answered 400 CRAWL_NOT_NAMED with the names of the crawls: a search where several have an index', async () => {
    await api.database.query(`insert into crawl (name) values ('k1'), ('k2')`);
    await api.database.query(
      `insert into search_segment (crawl, seg, documents, live_documents, generation, sums, live, columns)
       select id, 1, 0, 0, 1, '{}', '', '' from crawl where name <> ''`,
    );
    const answer = await request(api.url).get('/v1/search?q=a');
    expectProblem(answer, 400, 'CRAWL_NOT_NAMED', 'such as "k1", "k2"');
  });
});

describe('a limit of requests', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database?.drop());

  it('is answered 429 TOO_MANY_REQUESTS: more requests a second than one client may send', async () => {
    const api = await apiUnderTest({ requestRate: 1 }, database);
    const answers = [];
    for (let n = 0; n < 3; n++) answers.push(await request(api.url).get('/config'));
    await api.close();
    expectProblem(answers.at(-1)!, 429, 'TOO_MANY_REQUESTS', 'At most 1 requests a second');
    expect(Number(answers.at(-1)!.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  });

  it('is answered 429 TOO_MANY_SEARCHES: a ninth search of one key at once', async () => {
    const api = await apiUnderTest({ apiKeys: [ann] }, database);
    await database.query(`insert into crawl (name) values ('k1')`);
    const holder = await database.pool.connect();
    await holder.query('begin; lock table search_segment in access exclusive mode');
    const searches = Array.from({ length: 9 }, () =>
      request(api.url).get('/v1/search?q=a&crawlId=k1').set(asAnn).then(),
    );
    const first = await Promise.race(searches);
    await holder.query('rollback');
    holder.release();
    const statuses = (await Promise.all(searches)).map(({ status }) => status);
    await api.close();
    expectProblem(first, 429, 'TOO_MANY_SEARCHES', '8 searches of this key');
    expect(first.headers['retry-after']).toBe('1');
    expect(statuses.toSorted()).toEqual([...Array<number>(8).fill(200), 429]);
  });

  it('is answered 429 TOO_MANY_QUERIES: a request that gets no connection of those of its key', async () => {
    const pool = new DatabasePool({ connectionString: database.url, max: 4, connectionTimeoutMillis: 1_000 });
    const source = new PooledDataSource(database.url, pool, { entities, migrations: [] });
    await source.initialize();
    const api = await apiUnderTest({ apiKeys: [ann] }, { ...database, dataSource: async () => source });
    const holder = await database.pool.connect();
    await holder.query('begin; lock table seed_list in access exclusive mode');
    const asked = Array.from({ length: 3 }, () => request(api.url).get('/seed').set(asAnn).then());
    const first = await Promise.race(asked);
    await holder.query('rollback');
    holder.release();
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    await api.close();
    await source.destroy();
    expectProblem(first, 429, 'TOO_MANY_QUERIES', 'Requests of this key');
    expect(first.headers['retry-after']).toBe('2');
    expect(statuses.toSorted()).toEqual([200, 200, 429]);
  });

  it('is answered 503 BODIES_TOO_MANY: a body while the bytes for bodies are all taken', async () => {
    const api = await apiUnderTest({}, database);
    const taken = 268_435_456 - bodyBudget.used;
    expect(bodyBudget.reserve({ id: 'others', kind: 'address' }, taken)).toBe(true);
    const create = () => request(api.url).post('/config/create').send({ configId: 'c1', params: {}, force: true });
    const refused = await create();
    bodyBudget.release({ id: 'others', kind: 'address' }, taken);
    const again = await create();
    await api.close();
    expectProblem(refused, 503, 'BODIES_TOO_MANY', 'Too many large bodies');
    expect([refused.headers['retry-after'], refused.body.requestId, again.status]).toEqual([
      '5',
      expect.any(String),
      200,
    ]);
  });

  it('is answered 503 REQUEST_TOO_LONG: a computation that is not finished in its time', async () => {
    const heavyLimits = { ...DEFAULT_HEAVY, compute: { ...DEFAULT_HEAVY.compute, seconds: 0.1 } };
    const api = await apiUnderTest({ heavyLimits }, database);
    const endless = Array.from({ length: 270 }, (_, n) => `+(?i)[\\p{L}\\p{N}]{1,900}${n}`).join('\n');
    const params = { 'urlfilter.regex.rules': endless };
    const answer = await request(api.url).post('/config/create').send({ configId: 'slow', params });
    await api.close();
    expectProblem(answer, 503, 'REQUEST_TOO_LONG', 'after 0.1 s');
    expect(answer.headers['retry-after']).toBe('5');
  });

  it('is answered 503 INSPECT_TOO_LONG: links of a page whose check takes more than 2 s', async () => {
    const inspector = new PageInspector(new ConfRules(new ConfStore(await database.dataSource())));
    const html = Array.from({ length: 50 }, (_, n) => `<a href="/${n}">${n}</a>`).join('');
    const contentBase64 = Buffer.from(html).toString('base64');
    // Each reading of the clock is 100 ms later than the one before.
    const clock = performance.now.bind(performance);
    let readings = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => clock() + 100 * ++readings);
    const asked = { url: 'http://a.test/', contentBase64, contentType: 'text/html', confId: 'default' };
    await expect(inspector.inspect(asked)).rejects.toMatchObject({
      status: 503,
      code: 'INSPECT_TOO_LONG',
      message: 'The check of links was not finished after 2 s; ask about less.',
    });
  });
});

describe('a server whose database', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let api: ApiUnderTest;
  beforeAll(async () => {
    database = await testDatabase();
    proxy = await startTcpProxy(socketOf(inject('cluster').templateUrl));
    const source = await openDataSource(proxy.databaseUrl(database.url), { entities });
    api = await apiUnderTest({}, { ...database, dataSource: async () => source });
    return () => source.destroy();
  });
  afterAll(async () => {
    await api?.close();
    await proxy?.close();
    await database?.drop();
  });

  it('has no current schema is not ready: 503 NOT_READY', async () => {
    const [last] = await database.query<{ name: string; timestamp: string }>(
      'delete from migrations where timestamp = (select max(timestamp) from migrations) returning name, timestamp',
    );
    const answer = await request(api.url).get('/health/ready');
    await database.query('insert into migrations (name, timestamp) values ($1, $2)', [last!.name, last!.timestamp]);
    expectProblem(answer, 503, 'NOT_READY', 'the schema is not current');
    expect((await request(api.url).get('/health/ready')).status).toBe(200);
  });

  it('is away answers 503 DATABASE_UNAVAILABLE, is alive and not ready, and answers again later', async () => {
    proxy.refuse();
    const answer = await request(api.url).get('/seed');
    const [ready, live] = await Promise.all(
      ['/health/ready', '/health/live'].map((path) => request(api.url).get(path)),
    );
    proxy.heal();
    expectProblem(answer, 503, 'DATABASE_UNAVAILABLE', 'does not respond now');
    expect([answer.headers['retry-after'], answer.body.requestId]).toEqual(['2', expect.any(String)]);
    expectProblem(ready!, 503, 'NOT_READY', 'the database does not answer');
    expect(live!.status).toBe(200);
    await expect.poll(async () => (await request(api.url).get('/seed')).status).toBe(200);
  });

  it('answers, but refuses the work, is not said to be silent: the reason is given', async () => {
    const { adminUrl } = inject('cluster');
    await asAdmin(adminUrl, `alter database ${database.name} set default_transaction_read_only = on`);
    proxy.reset();
    const answer = await request(api.url).get('/seed');
    await asAdmin(adminUrl, `alter database ${database.name} reset default_transaction_read_only`);
    const reason =
      'cannot do this now: the database server takes no writes: it is a replica, or read-only; retry in 2 s.';
    expectProblem(answer, 503, 'DATABASE_UNAVAILABLE', reason);
    await expect.poll(async () => (await request(api.url).get('/seed')).status).toBe(200);
  });
});
