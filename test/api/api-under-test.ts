import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { pino } from 'pino';
import request from 'supertest';
import { HeavyWork } from '../../src/api/heavy/heavy-work.js';
import {
  type ApiEnv,
  type ApiOptions,
  type RunningApi,
  createProviders,
  makeApp,
  startApi,
} from '../../src/api/server.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

/** An API on a database of its own and a free port of loopback. */
export interface ApiUnderTest {
  url: string;
  port: number;
  database: TestDatabase;
  /** How often the API requested its process to end. */
  stops: number;
  close(): Promise<void>;
}

/** @param claimWaitMs how long it waits for a worker to claim a new job; by default no time, as no worker runs */
export const apiUnderTest = (
  env: Partial<ApiEnv> = {},
  shared?: TestDatabase,
  claimWaitMs = 0,
): Promise<ApiUnderTest> => underTest((options) => startApi({ ...options, claimWaitMs }), env, shared);

/**
 * The same, but it answers heavy requests itself, as the application in a process beside it does (heavy.spec.ts): loading that
 * would take longer than all requests of most specs.
 */
export const apiInOneProcess = (shared?: TestDatabase, env: Partial<ApiEnv> = {}): Promise<ApiUnderTest> =>
  underTest(startInOneProcess, env, shared);

async function underTest(
  start: (options: ApiOptions) => Promise<RunningApi>,
  env: Partial<ApiEnv>,
  shared: TestDatabase | undefined,
): Promise<ApiUnderTest> {
  const database = shared ?? (await testDatabase());
  const usual: ApiEnv = { host: '127.0.0.1', port: 0, apiKeys: [], confFile: undefined, requestRate: 100_000 };
  const under: Partial<ApiUnderTest> & { stops: number } = { database, stops: 0 };
  const running = await start({
    dataSource: await database.dataSource(),
    env: { ...usual, ...env },
    stop: () => under.stops++,
    claimWaitMs: 0,
    log: pino({ level: 'silent' }),
  });
  return Object.assign(under, {
    url: running.url,
    port: Number(new URL(running.url).port),
    close: async () => {
      await running.close();
      if (!shared) await database.drop();
    },
  }) as ApiUnderTest;
}

async function startInOneProcess(options: ApiOptions): Promise<RunningApi> {
  const { providers, queue } = await createProviders({ ...options, overlay: {} }, new HeavyWork(undefined));
  const app = await makeApp(providers, options.env, options.log!);
  await app.listen(0, '127.0.0.1');
  const { port } = (app.getHttpServer() as Server).address() as AddressInfo;
  providers.server.port = port;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      (app.getHttpServer() as Server).closeAllConnections();
      await app.close();
      await queue.close();
    },
  };
}

/** A response read from a socket, byte for byte. */
export interface RawAnswer {
  status: number;
  /** Header names in lower case; the values as they were sent. */
  headers: Map<string, string>;
  body: string;
}

/** Sends bytes as they are and reads until the server closes; the request must say `Connection: close`. */
export function raw(port: number, request: string | Buffer): Promise<RawAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  const providers: Buffer[] = [];
  const socket = connect(port, '127.0.0.1', () => socket.write(request));
  socket.on('data', (part) => {
    providers.push(part);
    // A stream of events does not end: its head suffices.
    if (/^content-type: text\/event-stream/im.test(providers[0]!.toString('latin1'))) socket.destroy();
  });
  socket.on('error', (error) => (providers.length > 0 ? resolve(read(Buffer.concat(providers))) : reject(error)));
  socket.on('end', () => socket.end());
  socket.on('close', () => resolve(read(Buffer.concat(providers))));
  return promise;
}

/** One request over a raw socket. */
export function rawRequest(
  port: number,
  line: string,
  headers: Record<string, string> = {},
  body = '',
): Promise<RawAnswer> {
  const all = {
    Host: `127.0.0.1:${port}`,
    Connection: 'close',
    ...(body && { 'Content-Length': String(Buffer.byteLength(body)) }),
    ...headers,
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return raw(port, `${line} HTTP/1.1\r\n${head.join('')}\r\n${body}`);
}

function read(bytes: Buffer): RawAnswer {
  const text = bytes.toString();
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { status: Number(first.split(' ')[1]), headers, body: text.slice(end + 4) };
}

/** Sets the crawler's name in `default`, without which nothing is fetched. */
export async function nameCrawler({ database }: Pick<ApiUnderTest, 'database'>): Promise<void> {
  await database.query(
    `insert into crawl_conf (id, params) values ('default', '{"http.agent.name": "orbweaver-test"}')
     on conflict (id) do update set params = crawl_conf.params || excluded.params`,
  );
}

/** Stores the seed list `s1`, of one page. */
export const storeSeedList = ({ url }: Pick<ApiUnderTest, 'url'>): Promise<unknown> =>
  request(url)
    .post('/seed/create')
    .send({ name: 's1', seedUrls: [{ url: 'http://site.test/' }] })
    .expect(200);
