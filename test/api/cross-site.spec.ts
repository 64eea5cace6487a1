import type { OpenAPIObject } from '@nestjs/swagger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type ApiUnderTest, apiUnderTest, rawRequest } from './api-under-test.js';
import { routesOf } from './route-table.js';

/** A server without keys serves this machine: a page of another site in a browser on it cannot change anything. */

let database: TestDatabase;
let open: ApiUnderTest;
beforeAll(async () => {
  database = await testDatabase();
  open = await apiUnderTest({}, database);
});
afterAll(async () => {
  await open?.close();
  await database?.drop();
});

describe('requests from pages of other sites', () => {
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
  ])('%s with %j returns 403', async (line, headers) => {
    const answer = await send(line, headers);
    expect(answer.status).toBe(403);
    expect(answer.body).toContain('FOREIGN_ORIGIN');
    expect(open.stops).toBe(0);
  });

  it.each(['/admin/stop', '/job/x/stop', '/job/x/abort'])('HEAD %s changes nothing: 405', async (path) => {
    const { status, headers } = await send(`HEAD ${path}?force=true`, {});
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('GET, POST');
    expect(open.stops).toBe(0);
  });

  it('get 403 on every route that changes state, for each Content-Type and fetch mode', async () => {
    const document = JSON.parse((await rawRequest(open.port, 'GET /openapi.json')).body) as OpenAPIObject;
    const changing = [
      ...routesOf(document).filter(({ method }) => method !== 'GET'),
      ...['/admin/stop', '/job/{id}/stop', '/job/{id}/abort'].map((path) => ({ method: 'GET', path })),
    ];
    expect(changing.length).toBeGreaterThan(25);
    const pages: Record<string, string>[] = [
      { Origin: 'http://evil.test', 'Content-Type': 'text/plain' },
      { Origin: 'null', 'Content-Type': 'application/x-www-form-urlencoded' },
      { Origin: 'http://evil.test', 'Content-Type': 'multipart/form-data; boundary=x' },
      { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors', 'Content-Type': 'text/plain' },
      { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' },
      { 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Mode': 'navigate' },
    ];
    const body =
      '{"name":"theirs","seedUrls":[{"url":"http://evil.test/"}],"crawlId":"theirs","type":"INJECT","args":{}}';
    for (const { method, path } of changing) {
      for (const headers of pages) {
        const line = `${method} ${path.replaceAll(/\{[^}]*\}/g, 'x')}`;
        const answer = await rawRequest(open.port, line, headers, method === 'GET' ? '' : body);
        expect([answer.status, answer.body], `${line} ${JSON.stringify(headers)}`).toEqual([
          403,
          expect.stringContaining('FOREIGN_ORIGIN'),
        ]);
      }
    }
    expect(open.stops).toBe(0);
    for (const path of ['/seed', '/job', '/v1/crawls'])
      expect((await rawRequest(open.port, `GET ${path}`)).body).not.toContain('theirs');
  });

  it.each<Record<string, string>>([{ 'Sec-Fetch-Site': 'same-origin' }, { 'Sec-Fetch-Site': 'none' }, {}])(
    'own pages (%j) may change state',
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
  ])('Host %j returns %i', async (host, status) => {
    const answer = await rawRequest(open.port, 'GET /admin', { Host: host });
    expect(host === 'a b' ? [400, 403].includes(answer.status) : answer.status).toBe(host === 'a b' ? true : status);
  });

  it('a Host listed in allowedHosts returns 200', async () => {
    const named = await apiUnderTest({ allowedHosts: ['crawler.test'] }, database);
    const answer = await rawRequest(named.port, 'GET /admin', { Host: 'crawler.test:8081' });
    await named.close();
    expect(answer.status).toBe(200);
  });
});
