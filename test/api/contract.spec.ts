import { connect } from 'node:net';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiUnderTest, raw, rawRequest } from './api-under-test.js';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
  await request(api.url)
    .post('/seed/create')
    .send({ name: 's1', seedUrls: [{ id: '1', url: 'http://site.test/' }] });
});
afterAll(() => api?.close());

const json = { 'Content-Type': 'application/json' };

describe('Content-Type of a response (nutch-python compares the whole string)', () => {
  it.each([
    ['GET /admin', {}, '', 'application/json'],
    ['GET /admin/', {}, '', 'application/json'],
    ['GET /config', {}, '', 'application/json'],
    ['GET /config/default', {}, '', 'application/json'],
    ['GET /config/default/http.agent.version', {}, '', 'text/plain'],
    ['GET /seed', {}, '', 'application/json'],
    ['GET /job', {}, '', 'application/json'],
    ['GET /health/live', {}, '', 'application/json'],
    ['GET /openapi.json', {}, '', 'application/json'],
    ['POST /config/create', json, '{"configId":"w1","force":true}', 'text/plain'],
    ['POST /seed/create', json, '{"name":"w1","seedUrls":[]}', 'text/plain'],
    ['POST /job/create', json, '{"type":"INJECT","crawlId":"w","args":{"seedName":"s1"}}', 'application/json'],
    [
      'POST /job/create',
      { ...json, Accept: 'text/plain' },
      '{"type":"INJECT","crawlId":"w","args":{"seedName":"s1"}}',
      'text/plain',
    ],
    [
      'POST /job/create',
      { ...json, Accept: 'application/json, text/plain, */*' },
      '{"type":"INJECT","args":{"seedName":"s1"}}',
      'application/json',
    ],
    ['POST /db', json, '{}', 'application/json'],
    ['POST /db/crawldb', json, '{"type":"stats","crawlId":"none","args":{}}', 'application/json'],
    ['POST /db/crawldb', json, '{"type":"dump","crawlId":"","args":{}}', 'application/octet-stream'],
    ['GET /db/fetchdb?from=0&to=0', {}, '', 'application/json'],
  ])('%s %j returns the exact media type', async (line, headers, body, type) => {
    const answer = await rawRequest(api.port, line, headers, body);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
  });

  it('is application/problem+json for errors', async () => {
    const answer = await rawRequest(api.port, 'GET /job/none');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
  });
});

describe('paths', () => {
  it.each(['/admin', '/config', '/config/default', '/seed', '/job', '/seed/s1'])(
    '%s is served with a trailing slash too',
    async (path) => {
      const [without, withSlash] = [
        await rawRequest(api.port, `GET ${path}`),
        await rawRequest(api.port, `GET ${path}/`),
      ];
      expect([without.status, withSlash.status]).toEqual([200, 200]);
    },
  );

  it.each(['/ADMIN', '//admin', '/job/../admin', '/none', '/admin/none', '/config/a/b/c'])(
    '%s returns 404',
    async (path) => {
      expect((await rawRequest(api.port, `GET ${path}`)).status).toBe(404);
    },
  );

  it.each([
    ['POST', '/admin', 'GET, HEAD'],
    ['PUT', '/seed/s1', 'DELETE, GET, HEAD'],
    ['DELETE', '/job', 'GET, HEAD'],
    ['GET', '/job/create/', undefined],
    ['PATCH', '/config/default', 'DELETE, GET, HEAD, POST'],
    ['GET', '/db', 'POST'],
  ])('%s %s returns 405 with Allow: %s', async (method, path, allowed) => {
    const answer = await rawRequest(api.port, `${method} ${path}`);
    expect(answer.headers.get('allow')).toBe(allowed);
    expect(answer.status).toBe(allowed ? 405 : 404);
  });

  it.each(['/config/%zz', '/config/%FF', '/job/%00', '/config/%c0%ae%c0%ae'])(
    '%s returns 400 or 404 as a problem document',
    async (path) => {
      const answer = await rawRequest(api.port, `GET ${path}`);
      expect([400, 404]).toContain(answer.status);
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
    },
  );
});

describe('request bodies', () => {
  it.each(['GET /admin', 'GET /config', 'GET /job', 'GET /seed', 'GET /health/live', 'GET /db/fetchdb'])(
    '%s ignores a body, even malformed JSON',
    async (line) => {
      for (const body of ['{}', '{"a":', 'x'.repeat(1_000)]) {
        expect((await rawRequest(api.port, line, json, body)).status).toBe(200);
      }
    },
  );

  const post = (path: string, body: string, headers: Record<string, string> = json) =>
    rawRequest(api.port, `POST ${path}`, headers, body);
  const codeOf = (answer: { body: string }) => (JSON.parse(answer.body) as { code: string }).code;

  it.each([
    ['not JSON', '{"a":', 400, 'BODY_NOT_JSON'],
    ['more than 64 levels', '['.repeat(65) + ']'.repeat(65), 400, 'BODY_REFUSED'],
    ['half a million levels', '['.repeat(500_000), 400, 'BODY_REFUSED'],
    [
      'more than 10,000 members',
      `{${Array.from({ length: 10_001 }, (_, n) => `"k${n}":1`).join()}}`,
      400,
      'BODY_REFUSED',
    ],
    ['a member __proto__', '{"__proto__":{"a":1}}', 400, 'BODY_REFUSED'],
    ['an escaped member __proto__', '{"\\u005f_proto__":{"a":1}}', 400, 'BODY_REFUSED'],
    ['a number too large', '{"a":1e309}', 400, 'BODY_REFUSED'],
    ['a NUL', '{"a":"\\u0000"}', 400, 'BODY_REFUSED'],
    ['a body larger than 1 MiB', `"${'x'.repeat(1_048_576)}"`, 413, 'BODY_TOO_LARGE'],
  ])('POST /config/create refuses %s', async (_, body, status, code) => {
    const answer = await post('/config/create', body);
    expect([answer.status, codeOf(answer)]).toEqual([status, code]);
  });

  it.each([
    ['image/png', '{}'],
    ['application/json; charset=utf-16', '{}'],
  ])('a body of type %s returns 415', async (type, body) => {
    expect((await post('/config/create', body, { 'Content-Type': type })).status).toBe(415);
  });

  it('a body with Content-Encoding gzip returns 415', async () => {
    expect((await post('/config/create', '{}', { ...json, 'Content-Encoding': 'gzip' })).status).toBe(415);
  });

  it('a body that is not UTF-8 returns 400', async () => {
    const head = `POST /config/create HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 4\r\n\r\n`;
    const answer = await raw(api.port, Buffer.concat([Buffer.from(head), Buffer.from([0x22, 0xff, 0xfe, 0x22])]));
    expect([answer.status, codeOf(answer)]).toEqual([400, 'BODY_REFUSED']);
  });

  it('a body in ISO-8859-1, the default of HTTP clients in Java, is read as that', async () => {
    const body = Buffer.from('bot \xe9', 'latin1');
    const head = `PUT /config/default/my.note HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: text/plain; charset=ISO-8859-1\r\nContent-Length: ${body.length}\r\n\r\n`;
    expect((await raw(api.port, Buffer.concat([Buffer.from(head), body]))).status).toBe(200);
    expect((await request(api.url).get('/config/default/my.note')).text).toBe('bot é');
  });

  it('POST /seed/create accepts a body of 10 MB and refuses one above 16 MiB', async () => {
    const list = (size: number) =>
      JSON.stringify({ name: 'big', seedUrls: [{ url: `# ${'x'.repeat(16_000)}` }], pad: 'x'.repeat(size) });
    expect((await post('/seed/create', list(10_000_000))).status).toBe(200);
    const answer = await post('/seed/create', list(16_777_216));
    expect([answer.status, codeOf(answer)]).toEqual([413, 'BODY_TOO_LARGE']);
  });

  it('a Content-Length above the limit returns 413 and closes the connection', async () => {
    const answer = await post('/config/create', '{}', { ...json, 'Content-Length': '1000000000' });
    expect(answer.status).toBe(413);
    expect(answer.headers.get('connection')).toBe('close');
  });

  it('a request head larger than 16 KiB returns 431', async () => {
    const answer = await rawRequest(api.port, 'GET /admin', { 'X-Large': 'x'.repeat(20_000) });
    expect(answer.status).toBe(431);
  });

  it('the API still answers after a client disconnects in the middle of a body', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const socket = connect(api.port, '127.0.0.1', () => {
      socket.write(
        'POST /config/create HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\nContent-Type: application/json\r\n\r\n{"a"',
      );
      setImmediate(() => socket.destroy());
    });
    socket.on('close', () => resolve());
    await promise;
    expect((await rawRequest(api.port, 'GET /health/live')).status).toBe(200);
  });
});

describe('problem documents', () => {
  it.each([
    ['/job/x', 'GET /job lists all jobs'],
    ['/config/x', 'GET /config lists all configurations'],
    ['/seed/x', 'GET /seed lists all seed lists'],
    ['/v1/rule-files/x', 'GET /v1/rule-files lists all rule files'],
    ['/v1/webhooks/x', 'GET /v1/webhooks lists all webhooks'],
    ['/v1/hosts/x.test?crawlId=k', 'GET /v1/hosts lists all hosts of a crawl'],
    ['/v1/crawls/x/events', 'GET /job lists all jobs with their crawls'],
  ])('of an unknown name at %s name the list of all: %s', async (path, list) => {
    const { status, body } = await request(api.url).get(path);
    expect([status, body.detail]).toEqual([404, expect.stringContaining(`; ${list}.`)]);
  });

  it('contain code, detail and the fields of NutchServer, and no stack trace', async () => {
    const { body } = await request(api.url).get('/job/k1-c1-FETCH-7');
    expect(body).toEqual({
      type: 'urn:orbweaver:problem:job-unknown',
      title: 'Unknown job',
      status: 404,
      code: 'JOB_UNKNOWN',
      detail: 'There is no job "k1-c1-FETCH-7"; GET /job lists all jobs.',
      exception: 'JobUnknown',
      message: 'There is no job "k1-c1-FETCH-7"; GET /job lists all jobs.',
    });
  });

  it('are sent with security headers and without CORS, as every response', async () => {
    for (const path of ['/admin', '/none', '/health/live']) {
      const { headers } = await rawRequest(api.port, `GET ${path}`);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.has('access-control-allow-origin')).toBe(false);
      expect(headers.has('x-powered-by')).toBe(false);
    }
  });
});
