/**
 * The examples of openapi.json, run in the order of the document as Swagger UI fills them in:
 * each call finds what the calls before it created. Deletions come last, in reverse order.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type NamedWeb, startNamedWeb } from '../support/named-web.js';
import { PATIENCE_MS } from '../support/patience.js';
import { type Server, startServer } from '../support/server.js';
import { type NullableSchema, refusedNulls } from './refused-nulls.js';

interface Schema extends NullableSchema {
  example?: unknown;
  default?: unknown;
  properties?: Record<string, Schema>;
  items?: Schema;
  allOf?: Schema[];
  oneOf?: Schema[];
}
interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  example?: unknown;
  schema?: Schema;
}
interface Media {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}
interface Operation {
  tags: string[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { content?: Record<string, Media> }>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}
interface Call {
  method: string;
  address: string;
  headers: Record<string, string>;
  body?: string;
}

const document = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as Document;
const resolved = (schema: Schema): Schema =>
  schema.$ref ? (document.components.schemas[schema.$ref.split('/').at(-1)!] ?? {}) : schema;

/** The value that Swagger UI puts into a form: the example, else the default, else the values of the parts of the schema. */
function valueOf(given: Schema): unknown {
  const schema = resolved(given);
  if (schema.example !== undefined) return schema.example;
  if (schema.default !== undefined) return schema.default;
  if (schema.oneOf) return valueOf(schema.oneOf[0]!);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map(valueOf));
  if (schema.properties)
    return Object.fromEntries(
      Object.entries(schema.properties)
        .map(([name, property]) => [name, valueOf(property)])
        .filter(([, value]) => value !== undefined),
    );
  const item = schema.type === 'array' && schema.items ? valueOf(schema.items) : undefined;
  return item === undefined ? undefined : [item];
}

function callsOf(method: string, path: string, { parameters = [], requestBody, responses }: Operation): Call[] {
  let address = path;
  const query = new URLSearchParams();
  const media = Object.keys(responses['200']?.content ?? {})[0];
  const headers: Record<string, string> = { accept: media ?? '*/*' };
  for (const one of parameters) {
    const value = one.example ?? valueOf(one.schema ?? {});
    if (value === undefined) continue;
    if (one.in === 'path') address = address.replace(`{${one.name}}`, encodeURIComponent(String(value)));
    else if (one.in === 'query') query.set(one.name, String(value));
    else headers[one.name] = String(value);
  }
  if (query.size > 0) address += `?${query.toString()}`;
  const bodies = Object.entries(requestBody?.content ?? {}).flatMap(([type, content]) =>
    (content.examples
      ? Object.values(content.examples).map(({ value }) => value)
      : [content.example ?? valueOf(content.schema)]
    ).map((value) => ({ method, address, headers: { ...headers, 'content-type': type }, body: encoded(type, value) })),
  );
  return bodies.length > 0 ? bodies : [{ method, address, headers }];
}

/** A body as Swagger UI sends it. */
function encoded(type: string, value: unknown): string {
  if (type === 'application/json') return JSON.stringify(value);
  if (typeof value === 'string') return value;
  return new URLSearchParams(value as Record<string, string>).toString();
}

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);
/** Not the call that stops the server. */
const isRun = ({ path }: (typeof operations)[number]): boolean => path !== '/admin/stop';
const changing = operations.filter((one) => isRun(one) && one.method !== 'DELETE');
const deleting = operations.filter((one) => isRun(one) && one.method === 'DELETE').reverse();

let db: TestDatabase;
let web: NamedWeb;
let server: Server;
beforeAll(async () => {
  [db, web] = await Promise.all([
    testDatabase(),
    startNamedWeb((url) =>
      url.pathname === '/' ? { type: 'text/html', body: '<title>Example</title><p>Words of a page.' } : undefined,
    ),
  ]);
  server = await startServer({ databaseUrl: db.url, env: web.env });
});
afterAll(async () => {
  await server?.stop();
  await web?.close();
  await db?.drop();
});

interface Job {
  id: string;
  type: string;
  state: string;
  result: { reason: string; counters: Record<string, object> } | null;
}

const get = async <T>(path: string): Promise<T> => (await fetch(server.url + path)).json() as Promise<T>;

/** A user waits for a job to end before the next call. */
const untilJobsEnded = (): Promise<void> =>
  expect
    .poll(async () => (await get<Job[]>('/job')).filter(({ state }) => !/FINISHED|FAILED|KILLED/.test(state)), {
      timeout: PATIENCE_MS,
    })
    .toEqual([]);

/** The response to a call, and the nulls in it that its schema refuses; of a stream only the head. */
async function answerTo(
  { method, address, headers, body }: Call,
  { responses }: Operation,
): Promise<{ call: string; status: number; why: string; refused: string[] }> {
  const cut = new AbortController();
  const answer = await fetch(server.url + address, {
    method,
    headers,
    signal: cut.signal,
    ...(body !== undefined && { body }),
  });
  const why = answer.ok ? '' : await answer.text();
  const { schema } = responses['200']?.content?.['application/json'] ?? {};
  const isJson = answer.ok && answer.headers.get('content-type') === 'application/json';
  const refused = isJson && schema ? refusedNulls(await answer.json(), schema, document.components.schemas) : [];
  cut.abort();
  return { call: `${method} ${address}`, status: answer.status, why, refused };
}

describe('the examples of openapi.json, in the order of the document', () => {
  it.each(changing.map(({ method, path, operation }) => ({ name: `${method} ${path}`, method, path, operation })))(
    '$name returns 200, with nulls only where its schema accepts null',
    async ({ method, path, operation }) => {
      for (const call of callsOf(method, path, operation)) {
        expect(await answerTo(call, operation)).toEqual({
          call: `${method} ${call.address}`,
          status: 200,
          why: '',
          refused: [],
        });
        await untilJobsEnded();
      }
    },
  );

  it('create jobs whose results match the documented schemas', async () => {
    const jobs = await get<Job[]>('/job?limit=1000');
    expect(jobs.map(({ type }) => type)).toEqual(expect.arrayContaining(['CRAWL', 'INJECT', 'GENERATE', 'FETCH']));
    for (const { id, type, result } of jobs) {
      const name = Object.keys(document.components.schemas).find(
        (one) => one.toUpperCase() === `${type}RESULT`.toUpperCase(),
      )!;
      const { properties = {} } = document.components.schemas[name]!;
      expect(properties['reason']!.enum, id).toContain(result!.reason);
      expect(Object.keys(properties), id).toEqual(expect.arrayContaining(Object.keys(result!)));
      expect(Object.keys(properties['counters']!.properties ?? {}), id).toEqual(
        expect.arrayContaining(Object.keys(result!.counters)),
      );
    }
  });

  it.each(deleting.map(({ method, path, operation }) => ({ name: `${method} ${path}`, method, path, operation })))(
    '$name returns 200',
    async ({ method, path, operation }) => {
      for (const call of callsOf(method, path, operation))
        expect(await answerTo(call, operation)).toMatchObject({
          call: `${method} ${call.address}`,
          status: 200,
          why: '',
        });
    },
  );
});
