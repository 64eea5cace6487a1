/**
 * Problems of bodies, of the limits of a client and of the database, provoked at every operation: openapi.json names them where
 * they occur, and only there.
 */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { bodyBudget } from '../../src/api/request/body.interceptor.js';
import { entities } from '../../src/cycle/entities.js';
import { asLimitedClient } from '../../src/db/connection-limits.js';
import { openDataSource } from '../../src/db/data-source.js';
import { DatabasePool } from '../../src/db/database-pool.js';
import { PooledDataSource } from '../../src/db/pooled-data-source.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { socketOf, startTcpProxy } from '../support/tcp-proxy.js';
import { type ApiUnderTest, apiInOneProcess, rawRequest } from './api-under-test.js';
import { type Call, type Operation, callsOf, document } from './example-calls.js';

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([verb, operation]) => {
    const method = verb.toUpperCase();
    return { name: `${method} ${path}`, operation, call: callsOf(method, path, operation)[0]! };
  }),
);
type Sent = { status: number; body: string };

/** The operations that openapi.json says to answer with this code, and those that did. */
async function both(code: string, status: number, send: (call: Call) => Promise<Sent>) {
  const answers = await Promise.all(operations.map(async ({ name, call }) => ({ name, answer: await send(call) })));
  const isAnswer = ({ answer }: { answer: Sent }) =>
    answer.status === status && answer.body.includes(`"code":"${code}"`);
  return {
    described: operations.filter(({ operation }) => describes(operation, status, code)).map(({ name }) => name),
    provoked: answers.filter(isAnswer).map(({ name }) => name),
  };
}

function describes({ responses }: Operation, status: number, code: string): boolean {
  const { description = '', content } = responses[status] ?? {};
  const example = content?.['application/problem+json']?.examples?.[code] as { $ref?: string } | undefined;
  return description.includes(`${code}: `) && example !== undefined;
}

const secret = 'secret-of-ann';
const ann = { name: 'ann', scope: 'run' as const, sha256: createHash('sha256').update(secret).digest() };

const sendTo =
  (api: ApiUnderTest, headers: Record<string, string> = {}, body?: string) =>
  ({ method, address, headers: own, body: example = '' }: Call): Promise<Sent> =>
    rawRequest(api.port, `${method} ${address}`, { ...own, ...headers }, body ?? example);

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database?.drop());

describe('openapi.json describes at each operation that returns it, and at no other,', () => {
  it('413 of a body that is too large, 415 of one with a coding, 503 while bodies use all their memory', async () => {
    const api = await apiInOneProcess(database);
    const large = await both('BODY_TOO_LARGE', 413, sendTo(api, { 'Content-Length': '99999999' }, 'x'));
    const coded = await both('MEDIA_TYPE_UNSUPPORTED', 415, sendTo(api, { 'Content-Encoding': 'gzip' }, '{}'));
    const rest = { id: 'others', kind: 'address' } as const;
    const taken = 268_435_456 - bodyBudget.used;
    bodyBudget.reserve(rest, taken);
    const many = await both('BODIES_TOO_MANY', 503, sendTo(api, {}, '{}'));
    bodyBudget.release(rest, taken);
    await api.close();
    for (const { provoked, described } of [large, coded, many]) {
      expect(provoked).toContain('PUT /v1/rule-files/{name}');
      expect(provoked).toEqual(described);
    }
  });

  it('the largest body as its example of 413', async () => {
    const limitOf = (path: string, method = 'post') =>
      JSON.stringify(document.paths[path]![method]!.responses['413']).match(/larger than (\d+) bytes/)?.[1];
    expect(['/config/create', '/v1/inspect/url', '/v1/crawls'].map((path) => limitOf(path))).toEqual([
      '1048576',
      '2097152',
      '16777216',
    ]);
    expect(limitOf('/v1/rule-files/{name}', 'put')).toBe('2097152');
  });

  it('429 of more requests than a client may send', async () => {
    const api = await apiInOneProcess(database, { requestRate: 0.001 });
    const { provoked, described } = await both('TOO_MANY_REQUESTS', 429, sendTo(api));
    await api.close();
    expect(provoked).not.toContain('GET /health/live');
    expect(provoked).toHaveLength(operations.length - 1);
    expect(provoked).toEqual(described);
  });

  it('429 of a key that uses all the connections it may have', async () => {
    const pool = new DatabasePool({ connectionString: database.url, max: 4, connectionTimeoutMillis: 500 });
    const source = new PooledDataSource(database.url, pool, { entities, migrations: [] });
    await source.initialize();
    const api = await apiInOneProcess({ ...database, dataSource: async () => source }, { apiKeys: [ann] });
    const held = await Promise.all([1, 2].map(() => asLimitedClient('key ann', () => pool.connect())));
    const { provoked, described } = await both(
      'TOO_MANY_QUERIES',
      429,
      sendTo(api, { Authorization: `Bearer ${secret}` }),
    );
    for (const connection of held) connection.release();
    await api.close();
    await source.destroy();
    expect(provoked).toEqual(described);
  });

  it('503 of a database that is away', async () => {
    const proxy = await startTcpProxy(socketOf(inject('cluster').templateUrl));
    const source = await openDataSource(proxy.databaseUrl(database.url), { entities });
    const api = await apiInOneProcess({ ...database, dataSource: async () => source });
    proxy.refuse();
    const { provoked, described } = await both('DATABASE_UNAVAILABLE', 503, sendTo(api));
    proxy.heal();
    await api.close();
    await source.destroy();
    await proxy.close();
    expect(provoked).toEqual(described);
    expect(provoked).toContain('GET /v1/pages');
  });
});
