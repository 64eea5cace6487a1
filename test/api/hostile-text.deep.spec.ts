import { describe, expect, it } from 'vitest';
import { rawRequest } from './api-under-test.js';
import { nothings, payloads } from './bad-bodies.js';
import {
  api,
  before,
  existing,
  judgeFailure,
  noFaults,
  pathOf,
  routes,
  send,
  tables,
  useRoutes,
  withBody,
} from './bad-requests.js';
import { type Schema, addressOf, fieldsOf } from './route-table.js';

useRoutes();

/** SQL, paths, templates and the like in every text that a route takes: treated as text or refused. */
describe('hostile payloads in every text field', () => {
  const texts = ({ type, enum: words }: Schema) => type === 'string' && !words;

  it.each(payloads.map((payload, at) => [at, payload] as const))(
    'cause no 5xx on any route (payload %i)',
    async (_, payload) => {
      const encoded = encodeURIComponent(payload.toWellFormed());
      for (const route of routes) {
        if (route.path === '/admin/stop') continue;
        const lines: [string, string][] = route.query.map(({ name }) => [`${pathOf(route)}?${name}=${encoded}`, '']);
        for (const name of route.pathParameters) lines.push([addressOf(route, { ...existing, [name]: encoded }), '']);
        for (const [field, schema] of fieldsOf(route)) {
          const { items } = schema;
          const value = texts(schema) ? payload : items && texts(items) ? [payload] : undefined;
          if (value !== undefined)
            lines.push([pathOf(route), JSON.stringify({ ...(route.example as object), [field]: value })]);
          if (schema.type === 'object') {
            lines.push([
              pathOf(route),
              JSON.stringify({ ...(route.example as object), [field]: { [payload]: payload } }),
            ]);
          }
        }
        for (const [address, body] of lines) {
          const answer = await send(`${route.method} ${address}`, body || '{}');
          judgeFailure(`${route.method} ${address.slice(0, 200)} ${body.slice(0, 200)}`, answer);
        }
      }
      noFaults();
    },
  );

  it('leave tables, pages and server unchanged', async () => {
    const after = await tables();
    expect(Object.keys(after)).toEqual(Object.keys(before));
    for (const name of ['webpage', 'page_content', 'host', 'migrations']) expect(after[name], name).toBe(before[name]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect((await rawRequest(api.port, 'GET /health/live')).status).toBe(200);
  });
});

describe('null in every field', () => {
  it.each(nothings.map((value) => [JSON.stringify(value), value]))(
    '%s causes no 5xx on any route',
    async (text, value) => {
      for (const route of withBody().filter(({ takesText }) => !takesText)) {
        for (const field of Object.keys(route.body?.properties ?? {})) {
          const body = JSON.stringify({ ...(route.example as object), [field]: value });
          const answer = await send(`${route.method} ${pathOf(route)}`, body);
          judgeFailure(`${route.name} ${field}=${text}`, answer);
        }
      }
      noFaults();
    },
  );
});
