import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiUnderTest, rawRequest } from './api-under-test.js';

/** How the files of the dashboard are served. Its behaviour is tested in test/browser. */

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
});
afterAll(() => api?.close());

const folder = new URL('../../src/dashboard/', import.meta.url);
const names = readdirSync(folder);
const get = (path: string, headers: Record<string, string> = {}) => fetch(api.url + path, { headers });

describe('GET /', () => {
  it('returns the dashboard under a strict Content-Security-Policy', async () => {
    const answer = await get('/');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'none'; " +
        "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    );
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('returns HTML without inline script or style that preloads every module', async () => {
    const html = await (await get('/')).text();
    expect(html).not.toMatch(/<style|style=|<script(?![^>]* src=)|\son\w+=|https?:/);
    const modules = names.filter((name) => name.endsWith('.js')).map((name) => `dashboard/${name}`);
    expect([...html.matchAll(/(?:src|modulepreload" href)="([^"]+\.js)"/g)].map(([, path]) => path).sort()).toEqual(
      modules,
    );
  });

  it('needs less than 60 kB compressed for all files of the dashboard', () => {
    const sizes = names.map((name) => gzipSync(readFileSync(new URL(name, folder)), { level: 9 }).length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(60_000);
  });
});

describe('GET /dashboard/{file}', () => {
  it.each(names)('returns %s unchanged with its type, with gzip when Accept-Encoding allows it', async (name) => {
    const [plain, zipped] = [
      await get(`/dashboard/${name}`, { 'accept-encoding': 'identity' }),
      await get(`/dashboard/${name}`, { 'accept-encoding': 'gzip' }),
    ];
    const bytes = readFileSync(new URL(name, folder), 'utf8');
    expect([plain.status, plain.headers.get('content-encoding'), await plain.text()]).toEqual([200, null, bytes]);
    expect([zipped.status, zipped.headers.get('content-encoding'), await zipped.text()]).toEqual([200, 'gzip', bytes]);
    const type = { js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml', html: 'text/html' }[
      name.split('.')[1] ?? ''
    ];
    expect(plain.headers.get('content-type')).toContain(type);
  });

  it('returns 304 for a matching If-None-Match (RFC 9110 §13.1.2)', async () => {
    const first = await get('/dashboard/dashboard.js');
    const etag = first.headers.get('etag') ?? '';
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    for (const tag of [etag, `"other", ${etag}`, etag.replace('W/', ''), '*']) {
      const again = await get('/dashboard/dashboard.js', { 'if-none-match': tag });
      expect([tag, again.status, await again.text(), again.headers.get('etag')]).toEqual([tag, 304, '', etag]);
    }
    expect((await get('/dashboard/dashboard.js', { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it.each(['none.js', '..%2fapi%2fserver.js', '%2e%2e%2fmain.js', '__proto__', 'dashboard.js%00', 'api', ''])(
    'returns 400 or 404 for /dashboard/%s',
    async (name) => {
      const answer = await rawRequest(api.port, `GET /dashboard/${name}`);
      expect([400, 404]).toContain(answer.status);
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
    },
  );
});
