/**
 * Slow clients and large answers (reliability A7): clients that keep connections open without using them do not block others.
 * The tests do not measure how fast an answer arrives, only that it arrives while the slow clients stay connected.
 */
import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemoryBudget } from '../../src/core/queueing/memory-budget.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type ApiUnderTest, apiUnderTest, rawRequest } from './api-under-test.js';
import { addManyPages, newCrawl } from './seeded-pages.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await addManyPages(database, await newCrawl(database, 'large'), 'test.site', { n: 10_000, width: 1_500 });
});
afterAll(() => database?.drop());

/** A client that has connected and sent its first bytes. */
class Client {
  closed = false;
  received = '';
  readonly socket: Socket;

  constructor(port: number, first: string, { reads = true, from = '127.0.0.1' } = {}) {
    this.socket = connect({ port, host: '127.0.0.1', localAddress: from });
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => (this.closed = true));
    if (reads) this.socket.on('data', (part: Buffer) => (this.received += part.toString()));
    if (first !== '') this.socket.write(first);
  }

  async connected(): Promise<this> {
    if (this.socket.connecting) await once(this.socket, 'connect').catch(() => undefined);
    return this;
  }
}

const slowHead = 'GET /config HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ';
const slowBody =
  'POST /config/create HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{';
/** About 15 MB: more than the buffers between server and client hold. */
const query = JSON.stringify({ crawlId: 'large', limit: 10_000 });
const largeAnswer = `POST /db HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${query.length}\r\n\r\n${query}`;

const many = (n: number, port: number, first: string, options = {}) =>
  Promise.all(Array.from({ length: n }, () => new Client(port, first, options).connected()));
const end = (clients: Client[]) => clients.forEach(({ socket }) => socket.destroy());
const open = (clients: Client[]) => clients.filter(({ closed }) => !closed).length;
/** Waits for a condition. */
const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((wake) => setTimeout(wake, 25));
};

describe('a thousand slow sockets', () => {
  let api: ApiUnderTest;
  let heads: Client[] = [];
  let bodies: Client[] = [];
  let unreading: Client[] = [];
  const slow = () => [...heads, ...bodies, ...unreading];
  beforeAll(async () => {
    api = await apiUnderTest({}, database);
    unreading = await many(40, api.port, largeAnswer, { reads: false });
    bodies = await many(460, api.port, slowBody);
    heads = await many(500, api.port, slowHead);
  });
  afterAll(async () => {
    end(slow());
    await api?.close();
  });

  it('stay connected while requests on new connections are answered', async () => {
    for (let n = 0; n < 20; n++) expect((await rawRequest(api.port, 'GET /config')).status).toBe(200);
    const body = JSON.stringify({ type: 'GENERATE', crawlId: 'k', args: {} });
    const made = await rawRequest(api.port, 'POST /job/create', { 'Content-Type': 'application/json' }, body);
    expect(made.status).toBe(200);
    expect((await rawRequest(api.port, 'GET /health/live')).status).toBe(200);
    expect((await rawRequest(api.port, 'GET /health/ready')).status).toBe(200);
    expect(open(slow())).toBe(1_000);
  });

  it('that do not read their answers occupy no database connection', async () => {
    const busy = () =>
      database.query(
        `select query from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
           and (state = 'active' or state like 'idle in transaction%')`,
      );
    // Each has filled its buffers, and waits.
    for (let quiet = 0; quiet < 5; quiet += (await busy()).length === 0 ? 1 : 0) {
      await new Promise((wake) => setTimeout(wake, 50));
    }
    expect(await busy()).toEqual([]);
    expect(open(unreading)).toBe(40);
  });

  it('are closed with 408 REQUEST_TOO_SLOW after the head timeout', async () => {
    await until(() => open(heads) === 0);
    for (const { received } of heads) {
      expect(received).toMatch(/^HTTP\/1\.1 408 /);
      expect(received).toContain('REQUEST_TOO_SLOW');
    }
    expect((await rawRequest(api.port, 'GET /config')).status).toBe(200);
  });
});

describe('more connections than the limit', () => {
  it.each([
    ['that send nothing', ''],
    ['with half a head', slowHead],
    ['with half a body', slowBody],
  ])('%s: new connections are accepted, the oldest are closed', async (_, first) => {
    const api = await apiUnderTest({ connections: { max: 100, maxOfOne: 100 } }, database);
    const old = await many(100, api.port, first);
    const more = await many(50, api.port, first);
    expect((await rawRequest(api.port, 'GET /config')).status).toBe(200);
    await until(() => open(old) <= 50);
    expect(open(more)).toBe(50);
    end([...old, ...more]);
    await api.close();
  });

  it('that do not read their answers are closed one by one when no other can be', async () => {
    const limits = { max: 20, maxOfOne: 20 };
    const streams = { ...limits, slowMs: 60_000 };
    const api = await apiUnderTest({ connections: limits, streams }, database);
    const unreading = await many(20, api.port, largeAnswer, { reads: false });
    // A client is stuck once the head of its answer has arrived and the rest does not fit its buffers.
    await until(() => unreading.every(({ socket }) => socket.readableLength > 0));
    // All connections are in use while answers are produced; as soon as one is stuck, a newcomer replaces it.
    const status = () =>
      rawRequest(api.port, 'GET /config').then(
        (answer) => answer.status,
        () => 0,
      );
    while ((await status()) !== 200) await new Promise((wake) => setTimeout(wake, 25));
    // Clients that now read get the whole answer, except the one that was closed.
    const whole = ({ received }: Client) => received.endsWith('\r\n0\r\n\r\n');
    for (const one of unreading)
      one.socket.on('data', (part: Buffer) => (one.received = (one.received + part.toString()).slice(-20)));
    await until(() => unreading.every((one) => one.closed || whole(one)));
    expect(unreading.filter((one) => !whole(one))).toHaveLength(1);
    end(unreading);
    await api.close();
  });

  it('a request that is being processed is not closed', async () => {
    const api = await apiUnderTest({ connections: { max: 20, maxOfOne: 20 } }, database);
    const holder = await database.pool.connect();
    await holder.query('begin');
    await holder.query('lock table crawl_conf in access exclusive mode');
    const working = new Client(api.port, 'GET /config HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await working.connected();
    const slow: Client[] = [];
    for (let n = 0; n < 10; n++) slow.push(...(await many(20, api.port, slowHead)));
    expect((await rawRequest(api.port, 'GET /health/live')).status).toBe(200);
    await holder.query('rollback');
    holder.release();
    await until(() => working.received.includes('"default"'));
    expect(working.closed).toBe(false);
    end([working, ...slow]);
    await api.close();
  });

  it('of one address do not close those of other addresses', async () => {
    const api = await apiUnderTest({ connections: { max: 60, maxOfOne: 30 } }, database);
    const quiet = await many(10, api.port, slowHead);
    const greedy: Client[] = [];
    for (let n = 0; n < 10; n++) greedy.push(...(await many(30, api.port, slowHead, { from: '127.0.0.2' })));
    expect((await rawRequest(api.port, 'GET /config')).status).toBe(200);
    await until(() => open(greedy) <= 30);
    expect(open(quiet)).toBe(10);
    end([...quiet, ...greedy]);
    await api.close();
  });
});

describe('a response that the client does not read', () => {
  it('is closed after the silence limit, while a reading client gets it whole', async () => {
    const api = await apiUnderTest({ maxSilenceMs: 1_500 }, database);
    const [unreading] = await many(1, api.port, largeAnswer, { reads: false });
    await until(() => unreading!.socket.readableLength > 0);
    const reader = await new Client(api.port, largeAnswer).connected();
    await until(() => reader.received.includes('\r\n0\r\n\r\n') || reader.closed);
    expect(reader.received.endsWith('\r\n0\r\n\r\n')).toBe(true);
    // Reading again reveals the end of the connection before the end of the answer.
    await new Promise((wake) => setTimeout(wake, 5_000));
    unreading!.socket.on('data', (part: Buffer) => (unreading!.received += part.toString()));
    await until(() => unreading!.closed);
    expect(unreading!.received.endsWith('\r\n0\r\n\r\n')).toBe(false);
    end([reader]);
    await api.close();
  });
});

describe('MemoryBudget for request bodies', () => {
  const limits = { max: 100, maxPerKey: 60, reserved: 20 };

  it('reserves and releases bytes, and refuses a reservation above the maximum', () => {
    const budget = new MemoryBudget(limits);
    const one = { id: '192.0.2.1', kind: 'address' } as const;
    expect([budget.reserve(one, 60), budget.reserve(one, 40), budget.reserve(one, 1)]).toEqual([true, true, false]);
    budget.release(one, 60);
    expect([budget.reserve(one, 61), budget.reserve(one, 60)]).toEqual([false, true]);
  });

  it('limits each key and all keys together, and reserves some for admin keys', () => {
    const budget = new MemoryBudget(limits);
    const key = (id: string) => ({ id, kind: 'key' }) as const;
    const admin = { id: 'admin', kind: 'admin key' } as const;
    expect([budget.reserve(key('a'), 61), budget.reserve(key('a'), 60), budget.reserve(key('a'), 1)]).toEqual([
      false,
      true,
      false,
    ]);
    expect([budget.reserve(key('b'), 21), budget.reserve(key('b'), 20), budget.reserve(key('c'), 1)]).toEqual([
      false,
      true,
      false,
    ]);
    expect([budget.reserve(admin, 20), budget.reserve(admin, 1)]).toEqual([true, false]);
    budget.release(key('a'), 60);
    expect(budget.reserve(key('c'), 60)).toBe(true);
  });
});
