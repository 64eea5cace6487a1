/**
 * The examples of openapi.json, run in the order of the document as Swagger UI fills them in:
 * each call finds what the calls before it created. Deletions come last, in reverse order.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type NamedWeb, startNamedWeb } from '../support/named-web.js';
import { PATIENCE_MS } from '../support/patience.js';
import { type Server, startServer } from '../support/server.js';
import { type Call, type Operation, callsOf, document } from './example-calls.js';
import { refusedNulls } from './refused-nulls.js';

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

/** The response to a call, complete, and the nulls in it that its schema refuses. */
async function answerTo(
  { method, address, headers, body }: Call,
  { responses }: Operation,
): Promise<{ call: string; status: number; why: string; refused: string[] }> {
  const answer = await fetch(server.url + address, {
    method,
    headers,
    ...(body !== undefined && { body }),
  });
  // A user of Swagger UI sees nothing of a response before its end: streams must end, too.
  const text = await answer.text();
  const { schema } = responses['200']?.content?.['application/json'] ?? {};
  const isJson = answer.ok && answer.headers.get('content-type') === 'application/json';
  const refused = isJson && schema ? refusedNulls(JSON.parse(text), schema, document.components.schemas) : [];
  return { call: `${method} ${address}`, status: answer.status, why: answer.ok ? '' : text, refused };
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
