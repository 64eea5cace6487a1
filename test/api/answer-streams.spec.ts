/**
 * Large answers (reliability A7): a bounded number, half of it for one client; unread ones are evicted when others need a
 * permit.
 */
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer, get, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StreamableFile } from '@nestjs/common';
import type { Request } from 'express';
import type { PooledDataSource } from '../../src/db/pooled-data-source.js';
import { AnswerBudget } from '../../src/api/answer/answer-budget.js';
import type { LimitedClient } from '../../src/core/queueing/client-limits.js';
import { AnswerStreams } from '../../src/api/answer/answer-streams.js';
import { openDataSource } from '../../src/db/data-source.js';
import { asLimitedClient, limitedClient } from '../../src/db/connection-limits.js';
import { StreamSemaphore } from '../../src/api/answer/stream-semaphore.js';
import { Problem } from '../../src/api/problem.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type ApiUnderTest, apiUnderTest, rawRequest } from './api-under-test.js';
import { addManyPages, addPages, newCrawl } from './seeded-pages.js';

const ndjson = { Accept: 'application/x-ndjson' };
const all = '/v1/pages?crawlId=wide&limit=all';
const json = { 'Content-Type': 'application/json' };

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await addManyPages(database, await newCrawl(database, 'wide'), 'test.wide', { n: 8_000, width: 5_000 });
  const few = await newCrawl(database, 'few');
  await addManyPages(database, few, 'test.few', { n: 5 });
  await database.query(
    `insert into batch (crawl, id, segment, segnum, generated_at, pages, partitions) values ($1, 'b1', '20261124000000', 0, now(), 5, 1)`,
    [few],
  );
  const large = { url: 'http://one.test/', status: 2, content: { text: 'x'.repeat(700_000) } };
  await addPages(database, await newCrawl(database, 'one'), [large]);
});
afterAll(() => database?.drop());

/** Requests everything and reads only the head of the answer. */
async function unread(api: ApiUnderTest, localAddress = '127.0.0.1'): Promise<IncomingMessage> {
  const [answer] = (await once(
    get({ port: api.port, host: '127.0.0.1', path: all, headers: ndjson, localAddress }),
    'response',
  )) as [IncomingMessage];
  return answer.on('error', () => undefined);
}

/** Waits until that many streams wait for their readers: by then the system's buffers between them are full. */
async function untilUnread(api: ApiUnderTest, streams: number): Promise<void> {
  const says = async () =>
    /^orbweaver_http_streams_unread (\d+)$/m.exec((await rawRequest(api.port, 'GET /metrics')).body);
  await expect.poll(async () => Number((await says())?.[1])).toBe(streams);
}

const codeOf = (work: () => unknown): string => {
  try {
    work();
    return 'none';
  } catch (error) {
    return (error as Problem).code;
  }
};

describe('StreamSemaphore: more large answers than permits', () => {
  it('returns 503 with Retry-After for large answers and 200 for small ones and other routes', async () => {
    const api = await apiUnderTest({ streams: { max: 3, maxOfOne: 2, slowMs: 60_000 } }, database);
    const open = [await unread(api), await unread(api)];
    const refused = await rawRequest(api.port, `GET ${all}`, ndjson);
    expect([refused.status, JSON.parse(refused.body).code]).toEqual([503, 'TOO_MANY_EXPORTS']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const dump = JSON.stringify({ type: 'dump', crawlId: 'wide', args: {} });
    expect((await rawRequest(api.port, 'POST /db/crawldb', json, dump)).status).toBe(503);
    const best = JSON.stringify({ type: 'topN', crawlId: 'wide', args: { nnn: 1_001 } });
    expect((await rawRequest(api.port, 'POST /db/crawldb', json, best)).status).toBe(503);
    expect((await rawRequest(api.port, 'GET /db/fetchdb?from=0&to=0&crawlId=wide')).status).toBe(503);
    const one = await rawRequest(
      api.port,
      'POST /db',
      json,
      JSON.stringify({ crawlId: 'one', fields: ['text'], limit: 1 }),
    );
    expect([one.status, Number(one.headers.get('content-length'))]).toEqual([200, one.body.length]);
    for (const path of ['/config', '/v1/pages?crawlId=wide&limit=1000', '/health/ready'])
      expect((await rawRequest(api.port, `GET ${path}`)).status).toBe(200);
    const few = await rawRequest(api.port, 'POST /db', json, JSON.stringify({ crawlId: 'few', limit: 1_000 }));
    expect([few.status, JSON.parse(few.body).values.length]).toEqual([200, 5]);
    // Another address gets a permit; then all are taken.
    open.push(await unread(api, '127.0.0.2'));
    expect(open.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
    expect((await unread(api, '127.0.0.3')).statusCode).toBe(503);
    open.forEach((answer) => answer.destroy());
    await api.close();
  });

  it('releases the permit when a reader disconnects or has read everything', async () => {
    const api = await apiUnderTest({ streams: { max: 1, maxOfOne: 1, slowMs: 60_000 } }, database);
    const gone = await unread(api);
    gone.destroy();
    for (let n = 0; n < 2;) {
      const answer = await unread(api);
      answer.resume();
      await once(answer, 'close');
      if (answer.statusCode === 200) {
        expect(answer.complete).toBe(true);
        n += 1;
      }
    }
    await api.close();
  });

  it('evicts the answer that has not been read for longest', async () => {
    const api = await apiUnderTest({ streams: { max: 2, maxOfOne: 2, slowMs: 0 } }, database);
    const first = await unread(api);
    await untilUnread(api, 1);
    const second = await unread(api);
    await untilUnread(api, 2);
    const cut = new Promise((resolve) => first.on('close', resolve));
    const third = await unread(api);
    first.resume();
    await cut;
    expect([first.complete, second.destroyed, third.statusCode]).toEqual([false, false, 200]);
    const { body: metrics } = await rawRequest(api.port, 'GET /metrics');
    expect(metrics).toMatch(/^orbweaver_http_streams_evicted 1$/m);
    second.destroy();
    third.destroy();
    await api.close();
  });

  it('limits one client to maxOfOne permits and evicts only a slow reader', () => {
    const places = new StreamSemaphore({ max: 3, maxOfOne: 2, slowMs: 1_000 });
    const cut: string[] = [];
    const take = (client: string) => places.acquire({ id: client, kind: 'address' }, () => cut.push(client));
    const one = take('a');
    take('a');
    expect(codeOf(() => take('a'))).toBe('TOO_MANY_EXPORTS');
    take('b');
    expect(codeOf(() => take('c'))).toBe('TOO_MANY_EXPORTS');
    one.waitingSince = performance.now() - 2_000;
    take('c');
    expect([cut, places.size, places.evicted]).toEqual([['a'], 3, 1]);
  });

  it('evicts the slowest reader as soon as it has waited for slowMs', () => {
    let now = 0;
    const places = new StreamSemaphore({ max: 2, maxOfOne: 2, slowMs: 1_000 }, () => now);
    const cut: string[] = [];
    const take = (client: string) => places.acquire({ id: client, kind: 'address' }, () => cut.push(client));
    take('a').waitingSince = 500;
    take('b').waitingSince = 400;
    now = 1_399;
    expect([codeOf(() => take('c')), places.unread]).toEqual(['TOO_MANY_EXPORTS', 0]);
    now = 1_400;
    const reads = take('c');
    expect([cut, places.size, places.unread]).toEqual([['b'], 2, 0]);
    now = 1_500;
    expect(places.unread).toBe(1);
    take('d');
    expect([cut, places.evicted]).toEqual([['b', 'a'], 2]);
    for (let n = 0; n < 2; n++) places.release(reads);
    expect([codeOf(() => take('e')), places.size]).toEqual(['none', 2]);
  });

  it('reserves permits for admin keys and does not evict their slow streams for other keys', () => {
    const places = new StreamSemaphore({ max: 3, maxOfOne: 2, reserved: 1, slowMs: 1_000 });
    const cut: string[] = [];
    const take = (client: string, kind: LimitedClient['kind']) =>
      places.acquire({ id: client, kind }, () => cut.push(client));
    take('a', 'key');
    const slow = take('b', 'key');
    expect(codeOf(() => take('c', 'key'))).toBe('TOO_MANY_EXPORTS');
    const admins = take('admin', 'admin key');
    admins.waitingSince = performance.now() - 9_000;
    expect(codeOf(() => take('c', 'key'))).toBe('TOO_MANY_EXPORTS');
    slow.waitingSince = performance.now() - 2_000;
    take('c', 'key');
    expect(cut).toEqual(['b']);
  });
});

describe('a client that disconnects before the first row is found', () => {
  const query = { status: 'db_gone', retry: 5 };
  let api: ApiUnderTest;
  let dataSource: PooledDataSource;
  beforeAll(async () => {
    // By itself a statement would wait for its table forever.
    dataSource = await openDataSource(database.url, { lockTimeoutMs: 0 });
    api = await apiUnderTest({}, { ...database, dataSource: () => Promise.resolve(dataSource) });
  });
  afterAll(async () => {
    await api?.close();
    await dataSource?.destroy();
  });

  it.each<[what: string, line: string, body?: object]>([
    ['of a dump', 'POST /db/crawldb', { type: 'dump', crawlId: 'few', args: query }],
    ['of the dump of a batch', 'POST /db/crawldb', { type: 'dump', crawlId: 'few', args: { batch: 'b1' } }],
    ['of the topN pages', 'POST /db/crawldb', { type: 'topN', crawlId: 'few', args: { nnn: 2_000 } }],
    ['of POST /db', 'POST /db', { crawlId: 'few', limit: 2_000 }],
    ['of GET /db/fetchdb', 'GET /db/fetchdb?from=0&to=0&crawlId=few'],
    ['of GET /v1/pages', 'GET /v1/pages?crawlId=few&limit=all&status=db_gone'],
  ])('cancels the statement %s', async (_, line, body) => {
    const holder = await database.pool.connect();
    try {
      // As long as a condition that no page of a large table fulfils.
      await holder.query('begin; lock table webpage, host in access exclusive mode');
      const waiting = async () =>
        (
          await database.query(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          )
        ).length;
      const [method, path] = line.split(' ');
      const headers = { ...(body ? json : ndjson) };
      const asking = httpRequest({ port: api.port, host: '127.0.0.1', method, path, headers, agent: false });
      asking.on('error', () => undefined);
      asking.end(body && JSON.stringify(body));
      await expect.poll(waiting).toBe(1);
      asking.destroy();
      await expect.poll(waiting).toBe(0);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
  });
});

describe('AnswerBudget', () => {
  it('bounds the bytes of unread answers by evicting, spares those of admin keys, ignores small ones', async () => {
    const budget = new AnswerBudget(34_000_000);
    const ended: string[] = [];
    // More than the buffers of the system between the two: none is sent before its client reads.
    const large = Buffer.alloc(16_000_000);
    const server = createServer((request, response: ServerResponse) => {
      const bytes = request.url === '/small' ? large.subarray(0, 100) : large;
      response.once('close', () => ended.push(`${request.url}${response.writableFinished ? '' : ' cut'}`));
      budget.add(response, bytes.length, request.url === '/admin');
      response.end(bytes);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const ask = async (path: string) =>
      ((await once(get({ port, path, agent: false }), 'response')) as [IncomingMessage])[0].on(
        'error',
        () => undefined,
      );
    const answers = [await ask('/admin')];
    for (let n = 1; n <= 4; n++) answers.push(await ask(`/${n}`));
    expect((await ask('/small')).resume().statusCode).toBe(200);
    expect([budget.size, budget.evicted]).toEqual([32_000_000, 3]);
    const last = answers.at(-1)!;
    const whole = once(last, 'end');
    last.resume();
    await whole;
    expect(ended.filter((one) => one.endsWith('cut'))).toEqual(['/1 cut', '/2 cut', '/3 cut']);
    answers.forEach((answer) => answer.destroy());
    server.close();
  });
});

describe('AnswerStreams', () => {
  it('does not evict an answer whose reader has read all and waits for the database', async () => {
    const waits = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    async function* texts(): AsyncGenerator<string> {
      yield 'read';
      asked.resolve();
      await waits.promise;
      yield ' and the rest';
    }
    const streams = new AnswerStreams({ max: 1, maxOfOne: 1, slowMs: 0 });
    const server = createServer((request, response) => {
      const reading = Object.assign(request, { res: response }) as unknown as Request;
      void streams
        .answer(reading, texts, { type: 'text/plain', pages: 5_000 })
        .then((answer) => (answer as StreamableFile).getStream().pipe(response));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const [answer] = (await once(get({ port, agent: false }), 'response')) as [IncomingMessage];
    let text = '';
    answer.setEncoding('utf8').on('data', (part: string) => (text += part));
    await asked.promise;
    const another: LimitedClient = { id: 'b', kind: 'address' };
    expect(codeOf(() => streams.semaphore.acquire(another, () => undefined))).toBe('TOO_MANY_EXPORTS');
    waits.resolve();
    await once(answer, 'end');
    server.close();
    expect([text, streams.semaphore.evicted]).toEqual(['read and the rest', 0]);
  });

  it('produces every piece of an answer in the context of the client that asked', async () => {
    const clients = new Set<string | undefined>();
    async function* texts(): AsyncGenerator<string> {
      for (let n = 0; n < 30; n++) {
        clients.add(limitedClient());
        yield 'x'.repeat(1_000_000);
      }
    }
    const streams = new AnswerStreams();
    const server = createServer((request, response) => {
      const asked = Object.assign(request, { res: response }) as unknown as Request;
      void asLimitedClient('a', () => streams.answer(asked, texts, { type: 'text/plain', pages: 5_000 })).then(
        (answer) => (answer as StreamableFile).getStream().pipe(response),
      );
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const [answer] = (await once(get({ port, agent: false }), 'response')) as [IncomingMessage];
    let size = 0;
    for await (const part of answer) size += (part as Buffer).length;
    server.close();
    expect([size, [...clients]]).toEqual([30_000_000, ['a']]);
  });
});
