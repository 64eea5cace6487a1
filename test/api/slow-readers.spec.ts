/** Clients that do not read a streamed answer, on every route that streams: they occupy no database connection. */
import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenAPIObject } from '@nestjs/swagger';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { PATIENCE_MS } from '../support/patience.js';
import { type ApiUnderTest, apiUnderTest, rawRequest } from './api-under-test.js';
import { addManyPages, newCrawl } from './seeded-pages.js';

let database: TestDatabase;
let api: ApiUnderTest;
let job = '';
beforeAll(async () => {
  database = await testDatabase();
  api = await apiUnderTest({}, database);
  const large = await newCrawl(database, 'large');
  await addManyPages(database, large, 'test.site', { n: 10_000, width: 3_000 });
  // Entries of /db/fetchdb are short.
  const fetched = await newCrawl(database, 'fetched');
  await addManyPages(database, fetched, 'test.fetched', { n: 150_000, status: 2 });
  const body = JSON.stringify({ type: 'GENERATE', crawlId: 'large', args: {} });
  const made = await rawRequest(api.port, 'POST /job/create', { 'Content-Type': 'application/json' }, body);
  job = (JSON.parse(made.body) as { id: string }).id;
  await database.query(
    `insert into job_event (job, crawl, kind, data) select $2, $1, 'warning', jsonb_build_object('message', repeat('x', 3000)) from generate_series(1, 10000)`,
    [large, job],
  );
});
afterAll(async () => {
  await api?.close();
  await database?.drop();
});

const ndjson = 'application/x-ndjson';
const STREAMS: [line: string, path: string, headers: Record<string, string>, body?: object][] = [
  ['GET /v1/pages', '/v1/pages?crawlId=large&limit=all', { Accept: ndjson }],
  ['GET /v1/crawls/{id}/pages', '/v1/crawls/large/pages?limit=all', { Accept: ndjson }],
  ['GET /v1/jobs/{id}/events', '/v1/jobs/JOB/events', { Accept: 'text/event-stream' }],
  ['GET /v1/crawls/{id}/events', '/v1/crawls/large/events', { Accept: 'text/event-stream', 'Last-Event-ID': '0' }],
  ['POST /db/crawldb', '/db/crawldb', {}, { type: 'dump', crawlId: 'large', args: {} }],
  ['POST /db', '/db', {}, { crawlId: 'large', limit: 10_000 }],
  ['GET /db/fetchdb', '/db/fetchdb?from=0&to=0&crawlId=fetched', {}],
];

describe('a client that does not read its response', () => {
  it.each(STREAMS)(
    'occupies no database connection and blocks no other request: %s',
    async (line, path, headers, body) => {
      const method = line.split(' ')[0];
      const clients = Array.from({ length: 3 }, () => {
        const all = { ...headers, ...(body && { 'Content-Type': 'application/json' }) };
        const asking = httpRequest({
          port: api.port,
          host: '127.0.0.1',
          method,
          path: path.replace('JOB', job),
          headers: all,
          agent: false,
        });
        asking.on('error', () => undefined).end(body && JSON.stringify(body));
        return asking;
      });
      const answers = await Promise.all(
        clients.map(async (asking) => ((await once(asking, 'response')) as [IncomingMessage])[0]),
      );
      expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
      const busy = () =>
        database.query(
          `select query from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
           and (state = 'active' or state like 'idle in transaction%')`,
        );
      // Each has filled its buffers, and waits.
      for (let quiet = 0; quiet < 5; quiet = (await busy()).length === 0 ? quiet + 1 : 0)
        await new Promise((wake) => setTimeout(wake, 50));
      expect(answers.every(({ complete }) => !complete)).toBe(true);
      for (const one of ['/config', '/v1/pages?crawlId=large&limit=10', '/health/ready'])
        expect((await rawRequest(api.port, `GET ${one}`)).status).toBe(200);
      clients.forEach((asking) => asking.destroy());
      const open = async () =>
        /^orbweaver_http_streams_unread (\d+)$/m.exec((await rawRequest(api.port, 'GET /metrics')).body)?.[1];
      await expect.poll(open, { timeout: PATIENCE_MS }).toBe('0');
    },
  );

  it('is tested on every route that the document declares as a stream', async () => {
    const document = JSON.parse((await rawRequest(api.port, 'GET /openapi.json')).body) as OpenAPIObject;
    const streamed = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations as Record<string, { responses: Record<string, { content?: object }> }>).flatMap(
        ([verb, { responses }]) => {
          const types = Object.keys(responses['200']?.content ?? {});
          return types.some((type) => /ndjson|event-stream|octet-stream/.test(type))
            ? [`${verb.toUpperCase()} ${path}`]
            : [];
        },
      ),
    );
    // The content of one page is sent in one piece: `AnswerBudget` limits it.
    const whole = ['GET /v1/pages/{url}/content'];
    expect(streamed.filter((line) => !STREAMS.some(([one]) => one === line))).toEqual(whole);
  });
});
