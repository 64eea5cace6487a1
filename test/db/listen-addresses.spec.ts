/** C3 of the threat list: the ports of the database are those of its driver and those that the server reports. */
import { existsSync } from 'node:fs';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseConf } from '../../src/core/conf/properties.js';
import { guardOf } from '../../src/plugin/egress-guards.js';
import { openDataSource } from '../../src/db/data-source.js';
import { ownPorts } from '../../src/db/listen-addresses.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

const API = 8081;
const { conf } = parseConf({ 'http.filter.ipaddress.exclude': '', 'http.filter.ports.exclude': '' });

let database: TestDatabase;
/** Address of the listener of the server: a folder of a socket or a host, and its port. */
let server: pg.Client;
/** Forwards to the database like a pooler or a mapped port. */
let mapped: Server;
let mappedPort: number;
const sockets = new Set<Socket>();
beforeAll(async () => {
  database = await testDatabase();
  server = new pg.Client({ connectionString: database.url });
  const { host, port } = server;
  mapped = createServer((from) => {
    const to = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    for (const socket of [from, to]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
    }
    from.pipe(to).pipe(from);
  });
  await new Promise<void>((listening) => mapped.listen(0, '127.0.0.1', listening));
  mappedPort = (mapped.address() as AddressInfo).port;
});
afterAll(async () => {
  sockets.forEach((socket) => socket.destroy());
  mapped?.close();
  await database?.drop();
});
afterEach(() => void vi.unstubAllEnvs());

/** Ports that are blocked when the database has this URL. */
async function ownOf(url: string) {
  const source = await openDataSource(url, { max: 1 });
  try {
    return await ownPorts(source.pool, API);
  } finally {
    await source.destroy();
  }
}

const urlOf = (place: string, query = '') =>
  `postgresql://${encodeURIComponent(server.user ?? '')}:${encodeURIComponent(server.password ?? '')}@${place}/${database.name}${query}`;

describe('the egress guard for a database with its port', () => {
  it.each([
    ['from the URL', () => urlOf(`127.0.0.1:${mappedPort}`)],
    ['from ?port=', () => urlOf('127.0.0.1', `?port=${mappedPort}`)],
    ['from ?port=, which overrides the port of the URL', () => urlOf('127.0.0.1:1', `?port=${mappedPort}`)],
    ['from ?host= and ?port=', () => urlOf('192.0.2.1:1', `?host=127.0.0.1&port=${mappedPort}`)],
    [
      'from PGPORT',
      () => {
        vi.stubEnv('PGPORT', String(mappedPort));
        return urlOf('127.0.0.1');
      },
    ],
    [
      'from PGHOST and PGPORT',
      () => {
        vi.stubEnv('PGHOST', '127.0.0.1');
        vi.stubEnv('PGPORT', String(mappedPort));
        return urlOf('');
      },
    ],
  ])('%s blocks that port and the one on which the server listens', async (_, url) => {
    const own = await ownOf(url());
    expect(own).toEqual(
      expect.arrayContaining([API, mappedPort, server.port, { host: '127.0.0.1', port: mappedPort }]),
    );
    const guard = guardOf(conf, own);
    for (const port of [API, mappedPort, server.port])
      for (const address of ['127.0.0.1', '::1', '0.0.0.0', '::ffff:7f00:1'])
        expect(guard.check(address, port)).toEqual({ rule: 'own-port' });
    expect(guard.check('127.0.0.1', mappedPort === 65_535 ? 1_025 : mappedPort + 1)?.rule).not.toBe('port');
  });

  it('of a unix socket blocks the port that the server reports', async () => {
    const [{ folder, port }] = (await database.query<{ folder: string; port: number }>(
      `select split_part(current_setting('unix_socket_directories'), ',', 1) as folder, current_setting('port')::int as port`,
    )) as [{ folder: string; port: number }];
    const bySocket = existsSync(`${folder}/.s.PGSQL.${port}`);
    const own = await ownOf(bySocket ? urlOf('', `?host=${encodeURIComponent(folder)}&port=${port}`) : database.url);
    expect(own).toContain(port);
    if (bySocket) expect(own).toEqual([API, port]);
    expect(guardOf(conf, own).check('127.0.0.1', port)).toEqual({ rule: 'own-port' });
  });

  it('at a host name blocks that port at every address of the name', async () => {
    expect(await ownOf(urlOf(`localhost:${mappedPort}`))).toContainEqual({ host: 'localhost', port: mappedPort });
  });
});
