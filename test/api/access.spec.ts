import { createHash } from 'node:crypto';
import type { OpenAPIObject } from '@nestjs/swagger';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TokenBuckets } from '../../src/api/access/token-buckets.js';
import type { Scope } from '../../src/conf/credentials.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type ApiUnderTest, apiUnderTest, rawRequest } from './api-under-test.js';

const secretOf = (scope: Scope) => `secret-of-the-${scope}-key`;
const key = (scope: Scope) => ({ scope, sha256: createHash('sha256').update(secretOf(scope)).digest() });
const bearer = (scope: Scope) => ({ Authorization: `Bearer ${secretOf(scope)}` });

let database: TestDatabase;
let locked: ApiUnderTest;
let open: ApiUnderTest;
beforeAll(async () => {
  database = await testDatabase();
  locked = await apiUnderTest({ apiKeys: [key('read'), key('run'), key('admin')] }, database);
  open = await apiUnderTest({}, database);
});
afterAll(async () => {
  await locked?.close();
  await open?.close();
  await database?.drop();
});

describe('a server with keys', () => {
  it('answers 401 on every route of the document but /health/live', async () => {
    const document = (await request(open.url).get('/openapi.json')).body as OpenAPIObject;
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const method of Object.keys(methods)) {
        const answer = await rawRequest(locked.port, `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, 'x')}`);
        expect(answer.status, `${method} ${path}`).toBe(path === '/health/live' ? 200 : 401);
      }
    }
  });

  it.each([
    '/docs',
    '/docs/swagger-ui-init.js',
    '/openapi.json',
    '/metrics',
    '/none',
    '/%61dmin',
    '//admin',
    '/ADMIN',
    '/job/../admin',
    '/health/live/../../admin',
    '/health/%6Cive',
  ])('%s without a key is 401', async (path) => {
    const answer = await rawRequest(locked.port, `GET ${path}`);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toContain('Basic');
  });

  it.each([
    ['a Bearer token', `Bearer ${secretOf('read')}`, 200],
    ['HTTP Basic with any user name', `Basic ${btoa(`admin:${secretOf('read')}`)}`, 200],
    ['a wrong key', 'Bearer secret-of-the-wrong-key', 401],
    ['a Basic pair without a colon', `Basic ${btoa('admin')}`, 401],
    ['the default users of NutchServer', `Basic ${btoa('admin:admin')}`, 401],
    ['an empty token', 'Bearer ', 401],
    ['another scheme', `Digest ${secretOf('read')}`, 401],
    ['a header of 8 kB', `Bearer ${'x'.repeat(8_000)}`, 401],
  ])('%s', async (_, authorization, status) => {
    const answer = await rawRequest(locked.port, 'GET /admin', { Authorization: authorization });
    expect(answer.status).toBe(status);
  });

  it.each([
    ['read', 'GET', '/admin', 200],
    ['read', 'POST', '/config/create', 403],
    ['read', 'POST', '/job/create', 403],
    ['read', 'GET', '/job/x/stop', 403],
    ['read', 'GET', '/admin/stop', 403],
    ['run', 'POST', '/config/create', 400],
    ['run', 'GET', '/job/x/stop', 404],
    ['run', 'DELETE', '/config/x', 403],
    ['run', 'DELETE', '/seed/x', 403],
    ['run', 'GET', '/admin/stop', 403],
    ['admin', 'DELETE', '/config/x', 404],
    ['admin', 'GET', '/admin/stop?force=maybe', 400],
  ] as const)('a %s key: %s %s is %i', async (scope, method, path, status) => {
    expect((await rawRequest(locked.port, `${method} ${path}`, bearer(scope))).status).toBe(status);
  });

  it('an unauthenticated sender does not get to send its body', async () => {
    const answer = await rawRequest(locked.port, 'POST /seed/create', { 'Content-Length': '16000000' });
    expect(answer.status).toBe(401);
  });
});

describe('properties that open inner addresses', () => {
  const params = { 'http.filter.ipaddress.exclude': '' };
  const create = (api: ApiUnderTest, configId: string) =>
    request(api.url).post('/config/create').send({ configId, params });

  it('need an admin key', async () => {
    const refused = await create(locked, 'g1').set(bearer('run'));
    expect([refused.status, refused.body.code]).toEqual([403, 'PROPERTY_GUARDED']);
    expect((await create(locked, 'g1').set(bearer('admin'))).status).toBe(200);
  });

  it('may be set on a loopback bind without keys', async () => {
    expect((await create(open, 'g2')).status).toBe(200);
  });

  it('may not be set on an open server that is bound elsewhere', async () => {
    const wide = await apiUnderTest({ host: '0.0.0.0' }, database);
    const answer = await request(`http://127.0.0.1:${wide.port}`)
      .post('/config/create')
      .send({ configId: 'g3', params });
    await wide.close();
    expect([answer.status, answer.body.code]).toEqual([403, 'PROPERTY_GUARDED']);
  });
});

describe('pages of other sites', () => {
  const send = (line: string, headers: Record<string, string>) =>
    rawRequest(
      open.port,
      line,
      { 'Content-Type': 'application/json', ...headers },
      line.startsWith('POST') ? '{}' : '',
    );

  it.each([
    ['POST /config/create', { Origin: 'http://evil.test' }],
    ['POST /config/create', { Origin: 'null' }],
    ['POST /config/create', { 'Sec-Fetch-Site': 'cross-site' }],
    ['POST /config/create', { 'Sec-Fetch-Site': 'same-site' }],
    ['GET /admin/stop?force=true', { 'Sec-Fetch-Site': 'cross-site' }],
    ['GET /job/x/stop', { Origin: 'http://evil.test' }],
    ['GET /job/x/abort', { Origin: 'http://evil.test' }],
  ])('%s with %j is 403', async (line, headers) => {
    const answer = await send(line, headers);
    expect(answer.status).toBe(403);
    expect(answer.body).toContain('FOREIGN_ORIGIN');
    expect(open.stops).toBe(0);
  });

  it.each<Record<string, string>>([{ 'Sec-Fetch-Site': 'same-origin' }, { 'Sec-Fetch-Site': 'none' }, {}])(
    'our own pages (%j) may change things',
    async (headers) => {
      expect((await send('POST /config/create', { ...headers, Origin: `http://127.0.0.1:${open.port}` })).status).toBe(
        200,
      );
    },
  );

  it.each([
    ['evil.test', 403],
    ['127.0.0.1.evil.test', 403],
    ['localhost.evil.test:8081', 403],
    ['a b', 400],
    ['', 403],
    ['localhost', 200],
    ['localhost:9999', 200],
    ['127.0.0.1', 200],
    ['[::1]:8081', 200],
  ])('Host %j is %i', async (host, status) => {
    const answer = await rawRequest(open.port, 'GET /admin', { Host: host });
    expect(host === 'a b' ? [400, 403].includes(answer.status) : answer.status).toBe(host === 'a b' ? true : status);
  });

  it('a further name is let in when it is allowed', async () => {
    const named = await apiUnderTest({ allowedHosts: ['crawler.test'] }, database);
    const answer = await rawRequest(named.port, 'GET /admin', { Host: 'crawler.test:8081' });
    await named.close();
    expect(answer.status).toBe(200);
  });
});

describe('rates', () => {
  it('a client that comes too often is told when to come back', async () => {
    const slow = await apiUnderTest({ requestRate: 1 }, database);
    const answers = [];
    for (let n = 0; n < 4; n++) answers.push(await rawRequest(slow.port, 'GET /config'));
    const live = await rawRequest(slow.port, 'GET /health/live');
    await slow.close();
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 429]);
    expect(Number(answers.at(-1)?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(live.status).toBe(200);
  });

  it('a bucket fills with the clock, up to the burst', () => {
    const buckets = new TokenBuckets(10, 20);
    const take = (now: number) =>
      Array.from({ length: 30 }, () => buckets.take('a', now)).filter((wait) => wait === 0).length;
    expect([take(0), take(500), take(10_000)]).toEqual([20, 5, 20]);
  });

  it('clients do not share a bucket, and the oldest are forgotten', () => {
    const buckets = new TokenBuckets(1, 1, 2);
    expect(['a', 'b', 'a', 'c', 'b'].map((client) => buckets.take(client, 0))).toEqual([0, 0, 1, 0, 0]);
  });
});
