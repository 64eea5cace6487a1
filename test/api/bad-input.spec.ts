/**
 * Bad requests (reliability A2, A3, A8, A9, A10, B1 to B5): each is answered 4xx with words that help, none is answered
 * 5xx, and afterwards the tables are what they were. Families walk the routes of the document, so a new route is covered
 * from its first day.
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
  placeOf,
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

describe('requests that are wrong as bytes', () => {
  it.each(badWires.map((wire) => [wire.name, wire] as const))('%s', async (name, { bytes, status, says }) => {
    judge(name, await raw(api.port, bytes), { status, says: [says] });
    noFaults();
  });
});

describe('requests whose content is wrong', () => {
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
      // A text may be what it likes, when it is sent as one.
      if (route.takesText && name === 'no type at all') continue;
      const answer = await send(`${route.method} ${placeOf(route)}`, body, headers);
      judge(`${route.name} with ${name}`, answer, { status: [status], code, says: [says] });
    }
    noFaults();
  });

  it.each(noObjects)('refuses %s in place of an object', async (body) => {
    for (const route of withBody().filter(({ takesText }) => !takesText)) {
      judge(`${route.name} ${body}`, await send(`${route.method} ${placeOf(route)}`, body), { status: [400] });
    }
    noFaults();
  });

  it('refuses more than it takes', async () => {
    const body = Buffer.from(`{"pad":"${'x'.repeat(16_777_216)}"}`);
    for (const route of withBody()) {
      judge(route.name, await send(`${route.method} ${placeOf(route)}`, body), { status: [413], says: ['bytes'] });
    }
    noFaults();
  });

  it('refuses a value of the wrong type in any of its fields, naming the field', async () => {
    for (const route of withBody().filter(({ takesText }) => !takesText)) {
      for (const [field, schema] of fieldsOf(route)) {
        for (const value of wrongValues(route, field, schema)) {
          const body = JSON.stringify({ ...(route.example as object), [field]: value });
          const answer = await send(`${route.method} ${placeOf(route)}`, body);
          judge(`${route.name} ${field}=${JSON.stringify(value)}`, answer, { status: [400], says: [field] });
        }
      }
    }
    noFaults();
  });
});

/** Values that are taken on purpose: an id in digits, and the flags of jobs, which are meant by their presence (1.x). */
const taken = new Set([
  'POST /config/create configId 5',
  'POST /config/{id} configId 5',
  'POST /v1/crawls invertLinks',
  'POST /v1/crawls ranks',
  'POST /v1/crawls dedup',
  'POST /v1/crawls index',
  'POST /v1/crawls sitemaps',
]);
const isPlain = (value: unknown) => typeof value === 'string' || typeof value === 'number';

const wrongValues = (route: Route, field: string, { type, enum: words }: Schema): readonly unknown[] =>
  (words ? ['no such word', {}, [], 5] : (wrongFor[type ?? ''] ?? [])).filter(
    (value) =>
      !taken.has(`${route.name} ${field} ${String(value)}`) && !(isPlain(value) && taken.has(`${route.name} ${field}`)),
  );

describe('every route with a query', () => {
  it('refuses a value of the wrong type, naming the parameter', async () => {
    for (const route of routes) {
      for (const { name, schema = {} } of route.query) {
        const values = schema.enum ? ['no-such-word', '%00', ''] : (wrongInQuery[schema.type ?? ''] ?? []);
        for (const value of values) {
          const answer = await send(`${route.method} ${placeOf(route)}?${name}=${value}`);
          judge(`${route.name}?${name}=${value}`, answer, {
            status: [400, 404],
            says: answer.status === 404 ? [] : [name],
          });
        }
      }
    }
    noFaults();
  });

  it('takes nothing but one text for a parameter', async () => {
    for (const route of routes) {
      for (const { name } of route.query) {
        // A name that nobody knows is passed over, and the server would stop.
        const others = route.path === '/admin/stop' ? [] : ['[]', '[a]', '[__proto__][polluted]'];
        for (const query of [`${name}=1&${name}=2`, ...others.map((other) => `${name}${other}=1`)]) {
          const answer = await send(`${route.method} ${placeOf({ ...route, path: route.path })}?${query}`);
          if (answer.status < 400) expect(answer.status, route.name).toBeLessThan(500);
          else judge(`${route.name}?${query}`, answer, {});
        }
      }
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    noFaults();
  });
});

describe('every route with a name in its path', () => {
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

  it.each([...spellings, ...more])('knows no %s', async (spelling) => {
    for (const route of routes.filter(({ pathParameters }) => pathParameters.length > 0)) {
      // Its body says what is made; the word in the path is free (2.x).
      if (route.name === 'POST /config/{id}') continue;
      for (const name of route.pathParameters) {
        // A property may be called almost anything: only a configuration that is not there keeps this one out.
        const others: Record<string, string> =
          route.method === 'PUT' && name === 'property' ? { id: 'no-such-thing' } : {};
        const address = addressOf(route, { ...existing, ...others, [name]: spelling });
        const isFile = route.name.startsWith('PUT /v1/rule-files');
        // `constructor` may name a file: it is a key of a table, and of no object.
        if (isFile && spelling === 'constructor') continue;
        const type: Record<string, string> = isFile ? { 'Content-Type': 'text/plain' } : {};
        const answer = await send(`${route.method} ${address}`, route.method === 'PUT' ? '"x"' : '', type);
        judge(`${route.name} ${spelling}`, answer, { status: [400, 404, 405] });
      }
    }
    noFaults();
  });
});

describe('odd methods', () => {
  it.each(['TRACE', 'PATCH', 'PROPFIND', 'LINK', 'M-SEARCH'])('%s is offered nowhere else', async (method) => {
    const offered = new Set(routes.filter((route) => route.method === method).map(({ path }) => path));
    for (const route of routes.filter(({ path }) => !offered.has(path)))
      judge(`${method} ${route.path}`, await send(`${method} ${placeOf(route)}`), { status: [404, 405] });
    noFaults();
  });

  it('a method in lower case is no method', async () => {
    for (const route of routes) {
      judge(route.name, await send(`${route.method.toLowerCase()} ${placeOf(route)}`), { status: [400] });
    }
    noFaults();
  });
});

describe('pages of other sites', () => {
  const foreign: Record<string, string>[] = [
    { Origin: 'http://evil.test' },
    { Origin: 'null' },
    { Origin: 'http://127.0.0.1.evil.test' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
  ];

  it.each(foreign)('with %j change nothing on any route', async (headers) => {
    const changes = routes.filter(({ method, path }) => method !== 'GET' || /\/(stop|abort)$/.test(path));
    for (const route of changes) {
      const answer = await send(`${route.method} ${placeOf(route)}`, '{}', headers);
      judge(`${route.name} ${JSON.stringify(headers)}`, answer, { status: [403], code: 'FOREIGN_ORIGIN' });
    }
    noFaults();
  });

  it('reach no route under a name of their own', async () => {
    for (const route of routes) {
      const answer = await send(`${route.method} ${placeOf(route)}`, '', { Host: 'evil.test' });
      judge(route.name, answer, { status: [403], code: 'HOST_NOT_ALLOWED', says: ['evil.test', 'ALLOWED_HOSTS'] });
    }
    noFaults();
  });

  it('get no CORS header', async () => {
    for (const route of routes.filter(({ method }) => method === 'GET')) {
      const { headers } = await send(`GET ${placeOf(route)}`, '', { Origin: 'http://evil.test' });
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

describe('a bad Idempotency-Key', () => {
  it.each(['', ' ', 'a b', 'é', 'x'.repeat(256), 'a\tb'].map((key, at) => [at, key] as const))(
    '%i is refused',
    async (_, key) => {
      for (const route of routes.filter(({ repeatable }) => repeatable)) {
        const body = JSON.stringify(route.example ?? {});
        const answer = await send(`${route.method} ${placeOf(route)}`, body, { 'Idempotency-Key': key });
        judge(`${route.name} ${key}`, answer, { status: [400], says: ['Idempotency-Key'] });
      }
      noFaults();
    },
  );
});

describe('an odd Accept header', () => {
  it.each(['image/png', '*/*;q=0', 'application/json;q=banana', '/', ', ,', 'x'.repeat(8_000), 'text/plain\t;\t'])(
    '%j is answered all the same, or 406',
    async (accept) => {
      for (const route of routes.filter(({ method, path }) => method === 'GET' && path !== '/admin/stop')) {
        const answer = await send(`GET ${placeOf(route)}`, '', { Accept: accept });
        expect(answer.status, `${route.name} ${accept}`).toBeLessThan(500);
      }
    },
  );
});

describe('after all bad requests', () => {
  it('more than 250 bad requests were sent', () => expect(sent).toBeGreaterThan(250));

  it('every table has the rows it had', async () => expect(await tables()).toEqual(before));

  it('no prototype has anything new', () => {
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(([] as { polluted?: unknown }).polluted).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it('the server was not stopped and works', async () => {
    expect(api.stops).toBe(0);
    expect((await rawRequest(api.port, 'GET /health/live')).status).toBe(200);
    expect((await request(api.url).post('/job/create').send({ type: 'GENERATE', crawlId: 'k', args: {} })).status).toBe(
      200,
    );
  });
});
