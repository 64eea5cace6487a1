/**
 * Bad requests (reliability A2, A3, A8, A9, A10, B1 to B5): each is answered 4xx with a helpful message, none is answered
 * 5xx, and the tables do not change. The groups iterate over the routes of the document, so a new route is covered
 * without a change here.
 */
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { raw, rawRequest } from './api-under-test.js';
import { badBodies, noObjects, wrongFor, wrongInQuery } from './bad-bodies.js';
import { badFields } from './bad-fields.js';
import {
  api,
  before,
  existing,
  judge,
  noFaults,
  pathOf,
  routes,
  send,
  sent,
  tables,
  useRoutes,
  withBody,
} from './bad-requests.js';
import { badWires } from './bad-wire.js';
import { type Route, type Schema, addressOf, fieldsOf } from './route-table.js';

useRoutes();

describe('a malformed HTTP request is refused with a message', () => {
  it.each(badWires.map((wire) => [wire.name, wire] as const))('%s', async (name, { bytes, status, says }) => {
    judge(name, await raw(api.port, bytes), { status, says: [says] });
    noFaults();
  });
});

describe('a request with invalid content is refused with a code and the field', () => {
  it.each(badFields.map((row, at) => [at, row[0], row] as const))('%i: %s', async (_, line, row) => {
    const [, body, code, says] = row;
    const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
    const type: Record<string, string> =
      line.startsWith('PUT') && typeof body === 'string' ? { 'Content-Type': 'text/plain' } : {};
    judge(`${line} ${text}`, await send(line, text, type), { code, says: [...says] });
    noFaults();
  });
});

describe('every route that reads a body', () => {
  it.each(badBodies.map((bad) => [bad.name, bad] as const))('refuses %s', async (name, bad) => {
    const { body, headers = {}, status, code, says } = bad;
    for (const route of withBody()) {
      // A route that takes text accepts any type.
      if (route.takesText && name === 'no type at all') continue;
      const answer = await send(`${route.method} ${pathOf(route)}`, body, headers);
      judge(`${route.name} with ${name}`, answer, { status: [status], code, says: [says] });
    }
    noFaults();
  });

  it.each(noObjects)('refuses %s instead of an object', async (body) => {
    for (const route of withBody().filter(({ takesText }) => !takesText)) {
      judge(`${route.name} ${body}`, await send(`${route.method} ${pathOf(route)}`, body), { status: [400] });
    }
    noFaults();
  });

  it('returns 413 for a body above its size limit', async () => {
    const body = Buffer.from(`{"pad":"${'x'.repeat(16_777_216)}"}`);
    for (const route of withBody()) {
      judge(route.name, await send(`${route.method} ${pathOf(route)}`, body), { status: [413], says: ['bytes'] });
    }
    noFaults();
  });

  it('returns 400 that names the field for a value of the wrong type', async () => {
    for (const route of withBody().filter(({ takesText }) => !takesText)) {
      for (const [field, schema] of fieldsOf(route)) {
        for (const value of wrongValues(route, field, schema)) {
          const body = JSON.stringify({ ...(route.example as object), [field]: value });
          const answer = await send(`${route.method} ${pathOf(route)}`, body);
          judge(`${route.name} ${field}=${JSON.stringify(value)}`, answer, { status: [400], says: [field], field });
        }
      }
    }
    noFaults();
  });
});

/** Values that are accepted on purpose: a numeric id, a negative number of the client, and the flags of jobs, which count by their presence (1.x). */
const taken = new Set([
  'POST /config/create configId 5',
  'POST /config/{id} configId 5',
  'POST /seed/create id -7',
  'POST /seedList id -7',
  'POST /v1/crawls invertLinks',
  'POST /v1/crawls ranks',
  'POST /v1/crawls dedup',
  'POST /v1/crawls index',
  'POST /v1/crawls sitemaps',
]);
const isPlain = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';

const wrongValues = (route: Route, field: string, { type, enum: words }: Schema): readonly unknown[] =>
  (words ? ['no such word', {}, [], 5] : (wrongFor[type ?? ''] ?? [])).filter(
    (value) =>
      !isPlain(value) || !(taken.has(`${route.name} ${field} ${value}`) || taken.has(`${route.name} ${field}`)),
  );

describe('every route with query parameters', () => {
  it('returns 400 or 404 for a value of the wrong type, and the 400 names the parameter', async () => {
    for (const route of routes) {
      for (const { name, schema = {} } of route.query) {
        const values = schema.enum ? ['no-such-word', '%00', ''] : (wrongInQuery[schema.type ?? ''] ?? []);
        for (const value of values) {
          const answer = await send(`${route.method} ${pathOf(route)}?${name}=${value}`);
          judge(`${route.name}?${name}=${value}`, answer, {
            status: [400, 404],
            says: answer.status === 404 ? [] : [name],
            field: name,
          });
        }
      }
    }
    noFaults();
  });

  it('does not fail (5xx) on a repeated or bracketed parameter, and no prototype changes', async () => {
    for (const route of routes) {
      for (const { name } of route.query) {
        // Unknown names are ignored, so this would stop the server.
        const others = route.path === '/admin/stop' ? [] : ['[]', '[a]', '[__proto__][polluted]'];
        for (const query of [`${name}=1&${name}=2`, ...others.map((other) => `${name}${other}=1`)]) {
          const answer = await send(`${route.method} ${pathOf({ ...route, path: route.path })}?${query}`);
          if (answer.status < 400) expect(answer.status, route.name).toBeLessThan(500);
          else judge(`${route.name}?${query}`, answer, {});
        }
      }
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    noFaults();
  });
});

describe('every route with path parameters', () => {
  const spellings = [
    '%00',
    '%ff',
    '%c0%ae%c0%ae',
    '%zz',
    '..%2f..%2fetc%2fpasswd',
    '%2e%2e',
    '__proto__',
    'constructor',
  ];
  const more = [
    '%F0%9F%98%80',
    '%E2%80%AE',
    'x'.repeat(300),
    'x'.repeat(5_000),
    `%27%3Bdrop%20table%20job%3B--`,
    '%20',
    '.',
  ];

  it.each([...spellings, ...more])('returns 400, 404 or 405 for the name %s', async (spelling) => {
    for (const route of routes.filter(({ pathParameters }) => pathParameters.length > 0)) {
      // Its body names the configuration; the word in the path is free (2.x).
      if (route.name === 'POST /config/{id}') continue;
      for (const name of route.pathParameters) {
        // Almost any property name is valid, so the configuration must not exist.
        const others: Record<string, string> =
          route.method === 'PUT' && name === 'property' ? { id: 'no-such-thing' } : {};
        const address = addressOf(route, { ...existing, ...others, [name]: spelling });
        const isFile = route.name.startsWith('PUT /v1/rule-files');
        // `constructor` is a valid file name: it is a key of a table, not of an object.
        if (isFile && spelling === 'constructor') continue;
        const type: Record<string, string> = isFile ? { 'Content-Type': 'text/plain' } : {};
        const answer = await send(`${route.method} ${address}`, route.method === 'PUT' ? '"x"' : '', type);
        judge(`${route.name} ${spelling}`, answer, { status: [400, 404, 405] });
      }
    }
    noFaults();
  });
});

describe('unusual methods', () => {
  it.each(['TRACE', 'PATCH', 'PROPFIND', 'LINK', 'M-SEARCH'])(
    '%s returns 404 or 405 on every route that does not document it',
    async (method) => {
      const offered = new Set(routes.filter((route) => route.method === method).map(({ path }) => path));
      for (const route of routes.filter(({ path }) => !offered.has(path)))
        judge(`${method} ${route.path}`, await send(`${method} ${pathOf(route)}`), { status: [404, 405] });
      noFaults();
    },
  );

  it('a method in lower case returns 400 on every route', async () => {
    for (const route of routes) {
      judge(route.name, await send(`${route.method.toLowerCase()} ${pathOf(route)}`), { status: [400] });
    }
    noFaults();
  });
});

describe('requests from pages of other sites', () => {
  const foreign: Record<string, string>[] = [
    { Origin: 'http://evil.test' },
    { Origin: 'null' },
    { Origin: 'http://127.0.0.1.evil.test' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
  ];

  it.each(foreign)('with %j get 403 on every route that changes state', async (headers) => {
    const changes = routes.filter(({ method, path }) => method !== 'GET' || /\/(stop|abort)$/.test(path));
    for (const route of changes) {
      const answer = await send(`${route.method} ${pathOf(route)}`, '{}', headers);
      judge(`${route.name} ${JSON.stringify(headers)}`, answer, { status: [403], code: 'FOREIGN_ORIGIN' });
    }
    noFaults();
  });

  it('get 403 on every route under a foreign Host', async () => {
    for (const route of routes) {
      const answer = await send(`${route.method} ${pathOf(route)}`, '', { Host: 'evil.test' });
      judge(route.name, answer, { status: [403], code: 'HOST_NOT_ALLOWED', says: ['evil.test', 'ALLOWED_HOSTS'] });
    }
    noFaults();
  });

  it('get no CORS header', async () => {
    for (const route of routes.filter(({ method }) => method === 'GET')) {
      const { headers } = await send(`GET ${pathOf(route)}`, '', { Origin: 'http://evil.test' });
      expect(
        [...headers.keys()].filter((name) => name.startsWith('access-control')),
        route.name,
      ).toEqual([]);
    }
    const preflight = await send('OPTIONS /job/create', '', {
      Origin: 'http://evil.test',
      'Access-Control-Request-Method': 'POST',
    });
    expect([...preflight.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('an invalid Idempotency-Key', () => {
  it.each(['', ' ', 'a b', 'é', 'x'.repeat(256), 'a\tb'].map((key, at) => [at, key] as const))(
    'is refused with 400 on every repeatable route (%i)',
    async (_, key) => {
      for (const route of routes.filter(({ repeatable }) => repeatable)) {
        const body = JSON.stringify(route.example ?? {});
        const answer = await send(`${route.method} ${pathOf(route)}`, body, { 'Idempotency-Key': key });
        judge(`${route.name} ${key}`, answer, { status: [400], says: ['Idempotency-Key'] });
      }
      noFaults();
    },
  );
});

describe('an unusual Accept header', () => {
  it.each(['image/png', '*/*;q=0', 'application/json;q=banana', '/', ', ,', 'x'.repeat(8_000), 'text/plain\t;\t'])(
    '%j gets no 5xx on any GET route',
    async (accept) => {
      for (const route of routes.filter(({ method, path }) => method === 'GET' && path !== '/admin/stop')) {
        const answer = await send(`GET ${pathOf(route)}`, '', { Accept: accept });
        expect(answer.status, `${route.name} ${accept}`).toBeLessThan(500);
      }
    },
  );
});

describe('after all bad requests', () => {
  it('more than 250 bad requests were sent', () => expect(sent).toBeGreaterThan(250));

  it('every table has the same rows as before', async () => expect(await tables()).toEqual(before));

  it('no prototype has new properties', () => {
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(([] as { polluted?: unknown }).polluted).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it('the API was not asked to stop and creates a job', async () => {
    expect(api.stops).toBe(0);
    expect((await rawRequest(api.port, 'GET /health/live')).status).toBe(200);
    expect((await request(api.url).post('/job/create').send({ type: 'GENERATE', crawlId: 'k', args: {} })).status).toBe(
      200,
    );
  });
});
